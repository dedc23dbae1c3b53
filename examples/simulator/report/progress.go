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
	// progressEvery is the least time between two updates of the line on a terminal.
	progressEvery = 200 * time.Millisecond
	// lineEvery is the least time between two lines in a file or pipe.
	lineEvery = 15 * time.Second
	// looksEvery is the number of steps between two readings of the clock.
	looksEvery = 64
)

// Progress shows how far a run has come. On a terminal it overwrites one line. In a file or pipe it writes a
// line now and then, so that a short run writes none. Nothing else in this package reads the clock. A nil
// *Progress does nothing. Only one goroutine may use a Progress at a time.
type Progress struct {
	w     io.Writer
	clock func() time.Time

	// start is the time at which the run began, and shown the time of the last write.
	start, shown time.Time
	// steps counts the steps since the clock was last read.
	steps int
	// every is the least time between two writes.
	every time.Duration
	// lines is set if each write is a new line.
	lines bool
	// width is the number of characters of the text on the screen.
	width int
}

// NewProgress returns a progress that writes to w. It returns nil if w is not a file, because then nobody
// watches.
func NewProgress(w io.Writer) *Progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	return progressWithClock(w, !isTerminal(f), time.Now)
}

// progressWithClock is NewProgress with a clock, which tests replace.
func progressWithClock(w io.Writer, lines bool, clock func() time.Time) *Progress {
	now := clock()
	p := &Progress{w: w, clock: clock, start: now, shown: now, every: progressEvery, lines: lines}
	if lines {
		p.every = lineEvery
	}
	return p
}

// isTerminal reports whether a person is likely to be watching.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// Step must be called after every event. share is the part of the run that is done, from 0 to 1, and events
// the number of events. Most calls only count.
func (p *Progress) Step(share float64, events int) {
	if p == nil {
		return
	}

	p.steps++
	if p.steps < looksEvery {
		return
	}
	p.steps = 0
	now := p.clock()
	if now.Sub(p.shown) < p.every {
		return
	}
	p.shown = now
	p.show(progressText(share, events, now.Sub(p.start)))
}

// progressText returns the share, the rate, and the time that remains at this rate.
func progressText(share float64, events int, elapsed time.Duration) string {
	share = min(max(share, 0), 1)
	rate := int(float64(events) / max(elapsed.Seconds(), 1e-9))
	text := fmt.Sprintf("%3.0f%%  %s events/s", 100*share, Count(rate))
	if share > 0.001 {
		text += "  " + Seconds(elapsed.Seconds()*(1-share)/share) + " left"
	}
	return text
}

// show writes a new line or, on a terminal, overwrites the present text. Blanks erase the rest of a longer
// text.
func (p *Progress) show(text string) {
	if p.lines {
		fmt.Fprintf(p.w, "simulator: %s\n", strings.TrimLeft(text, " "))
		return
	}
	gap := max(0, p.width-utf8.RuneCountInString(text))
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", gap))
	p.width = utf8.RuneCountInString(text)
}

// End erases the line, so that other output begins on an empty one.
func (p *Progress) End() {
	if p == nil || p.width == 0 {
		return
	}
	fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	p.width = 0
}
