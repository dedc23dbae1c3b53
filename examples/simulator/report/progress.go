package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// progressEvery is how often the line is written at most.
	progressEvery = 200 * time.Millisecond
	// looksEvery is how many steps go by between looks at the clock.
	looksEvery = 64
)

// Progress is one line on the terminal that says how far a run has come. It
// alone of everything here looks at the clock, and writes nothing where nobody is
// likely to be watching. A nil *Progress does nothing. It is for one goroutine
// at a time.
type Progress struct {
	w     io.Writer
	clock func() time.Time

	start, shown time.Time
	steps        int // since the last look at the clock
	width        int // of the text on the screen
}

// NewProgress begins a line on w, which is nil unless w is a terminal.
func NewProgress(w io.Writer) *Progress {
	if !isTerminal(w) {
		return nil
	}
	return progressWithClock(w, time.Now)
}

func progressWithClock(w io.Writer, clock func() time.Time) *Progress {
	now := clock()
	return &Progress{w: w, clock: clock, start: now, shown: now}
}

// isTerminal reports whether a person is likely to be watching.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Step is to be called after every event: share, from 0 to 1, is how much of the
// run is done, and events how many there were. Most calls only count.
func (p *Progress) Step(share float64, events int) {
	if p == nil {
		return
	}
	if p.steps++; p.steps < looksEvery {
		return
	}
	p.steps = 0
	now := p.clock()
	if now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	p.show(progressText(share, events, now.Sub(p.start)))
}

// progressText returns share, rate and the time left if it goes on like this.
func progressText(share float64, events int, elapsed time.Duration) string {
	share = min(max(share, 0), 1)
	rate := int(float64(events) / max(elapsed.Seconds(), 1e-9))
	text := fmt.Sprintf("%3.0f%%  %s events/s", 100*share, Count(rate))
	if share > 0.001 {
		text += "  " + Seconds(elapsed.Seconds()*(1-share)/share) + " left"
	}
	return text
}

// show writes over what stood in the line before.
func (p *Progress) show(text string) {
	gap := max(0, p.width-utf8.RuneCountInString(text))
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", gap))
	p.width = utf8.RuneCountInString(text)
}

// End wipes the line, so that what comes next begins on a clean one.
func (p *Progress) End() {
	if p == nil || p.width == 0 {
		return
	}
	fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	p.width = 0
}
