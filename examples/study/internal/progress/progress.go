// Package progress answers how far a study is. Workers in this process count here what they do. If all workers
// are in other processes, nothing is counted here, and the number of results has to be found in another way.
package progress

import (
	"fmt"
	"io"
	"math"
	"sync/atomic"
	"time"
)

var made, failures, known, nanoseconds atomic.Int64

// Ran counts a run that was made.
func Ran(fail bool, seconds float64) {
	if fail {
		failures.Add(1)
	}
	nanoseconds.Add(int64(math.Min(seconds, 1e9) * 1e9))
	made.Add(1)
}

// Found counts a run whose result was in the store already.
func Found() { known.Add(1) }

// Counts returns the counts of this process.
func Counts() (runs, failed, found int, busy time.Duration) {
	return int(made.Load()), int(failures.Load()), int(known.Load()), time.Duration(nanoseconds.Load())
}

// Reset sets all counts to zero.
func Reset() {
	for _, c := range []*atomic.Int64{&made, &failures, &known, &nanoseconds} {
		c.Store(0)
	}
}

// Line describes the progress of a study with total runs after some time. elsewhere is the number of results of
// workers in other processes, or 0 if it is not known.
func Line(total, elsewhere int, after time.Duration) string {
	runs, failures, known, _ := Counts()
	done := min(max(runs+known, elsewhere), total)
	text := fmt.Sprintf("%d of %d runs", done, total)
	if known > 0 {
		text += fmt.Sprintf(", %d from before", known)
	}
	if failures > 0 {
		text += fmt.Sprintf(", %d failed", failures)
	}

	// The rate counts only the runs that were made now, because finding results takes no time.
	fresh := done - known
	if fresh <= 0 || after <= 0 {
		return text
	}
	rate := float64(fresh) / after.Seconds()
	text += fmt.Sprintf(", %.3g a second", rate)
	if left := total - done; left > 0 {
		text += ", " + Duration(time.Duration(float64(left)/rate*1e9)) + " left"
	}
	return text
}

// Busy says how long the simulations of this process took in total, and how long the process ran. It is empty
// without simulations. On a single core the difference is the work of Beam.
func Busy(after time.Duration) string {
	runs, _, _, busy := Counts()
	if runs == 0 || after <= 0 {
		return ""
	}
	return fmt.Sprintf("%d runs of %.1f s in all, made in %.1f s: %.2f at a time\n", runs, busy.Seconds(), after.Seconds(), busy.Seconds()/after.Seconds())
}

// Duration writes a time for people.
func Duration(d time.Duration) string {
	switch d = d.Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
}

// Show writes lines until stop is called, which writes a last one. On a terminal it writes a line every second,
// over the one before. Otherwise it writes a line every minute, below the one before.
func Show(w io.Writer, terminal bool, line func() string) (stop func()) {
	every, before, after := time.Minute, "", "\n"
	if terminal {
		every, before, after = time.Second, "\r\x1b[K", ""
	}

	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprint(w, before+line()+after)
			case <-quit:
				fmt.Fprint(w, before+line()+"\n")
				return
			}
		}
	}()
	return func() { close(quit); <-done }
}
