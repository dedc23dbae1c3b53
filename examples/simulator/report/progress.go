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
	// progressEvery is the least time between two writes of the line on a
	// terminal, lineEvery between two new lines elsewhere.
	progressEvery = 200 * time.Millisecond
	lineEvery     = 15 * time.Second
	// looksEvery is the number of steps between two looks at the clock.
	looksEvery = 64
)

// Progress tells how far a run has come: on a terminal in one line that is
// written again and again, and in a file or pipe with a line now and then, so
// that a short run writes none. Nothing else here looks at the clock. A nil
// *Progress does nothing. It is for one goroutine at a time.
type Progress struct {
	w     io.Writer
	clock func() time.Time

	start, shown time.Time
	steps        int // since the last look at the clock
	every        time.Duration
	lines        bool // a new line each time
	width        int  // of the text on the screen
}

// NewProgress begins to write to w. It is nil where w is no file: then nobody is
// waiting.
func NewProgress(w io.Writer) *Progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	return progressWithClock(w, !isTerminal(f), time.Now)
}

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

// Step is to be called after every event: share, from 0 to 1, is the part of the
// run that is done, and events their number. Most calls only count.
func (p *Progress) Step(share float64, events int) {
	if p == nil {
		return
	}
	if p.steps++; p.steps < looksEvery {
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

// progressText returns share, rate and the time left at this rate.
func progressText(share float64, events int, elapsed time.Duration) string {
	share = min(max(share, 0), 1)
	rate := int(float64(events) / max(elapsed.Seconds(), 1e-9))
	text := fmt.Sprintf("%3.0f%%  %s events/s", 100*share, Count(rate))
	if share > 0.001 {
		text += "  " + Seconds(elapsed.Seconds()*(1-share)/share) + " left"
	}
	return text
}

// show writes over the line before, or a line of its own.
func (p *Progress) show(text string) {
	if p.lines {
		fmt.Fprintf(p.w, "simulator: %s\n", strings.TrimLeft(text, " "))
		return
	}
	gap := max(0, p.width-utf8.RuneCountInString(text))
	fmt.Fprintf(p.w, "\r%s%s", text, strings.Repeat(" ", gap))
	p.width = utf8.RuneCountInString(text)
}

// End wipes the line, so that the next output begins on a clean one.
func (p *Progress) End() {
	if p == nil || p.width == 0 {
		return
	}
	fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.width))
	p.width = 0
}
