package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// progress shows a person how far reading has come: a dump of a large cluster
// takes seconds.
type progress struct {
	to    io.Writer
	name  string
	total int64 // of the files opened so far; 0 where one is not known
	on    bool

	opened  int
	unknown bool
	read    int64
	shown   time.Time
	width   int // of the text on the screen
}

func newProgress(to io.Writer, name string) *progress {
	return &progress{to: to, name: name, on: isTerminal(to), shown: time.Now()}
}

// through counts the bytes of one more file, of a size that is 0 where it is not
// known.
func (p *progress) through(r io.Reader, size int64) io.Reader {
	p.opened++
	p.unknown = p.unknown || size <= 0
	if p.total += size; p.unknown || p.opened > 1 {
		p.total = 0 // the rest is not known
	}
	return &counted{p, r}
}

// counted is a reader whose progress is shown.
type counted struct {
	progress *progress
	in       io.Reader
}

// Read counts, and shows the count a few times per second.
func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	p := c.progress
	p.read += int64(n)
	if now := time.Now(); p.on && now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show(p.String())
	}
	return n, err
}

// steps shows the number of a question's pods that are done.
func (p *progress) steps(done, total int) {
	if now := time.Now(); p.on && now.Sub(p.shown) >= 100*time.Millisecond {
		p.shown = now
		p.show(fmt.Sprintf("asked about %d of %d", done, total))
	}
}

// String returns the progress in words.
func (p *progress) String() string {
	const mb = 1e6
	if p.total <= 0 {
		return fmt.Sprintf("reading %s: %.1f MB", screen.Safe(p.name), float64(p.read)/mb)
	}
	return fmt.Sprintf("reading %s: %.1f of %.1f MB (%d%%)",
		screen.Safe(p.name), float64(p.read)/mb, float64(p.total)/mb, 100*p.read/p.total)
}

// show writes over the text before in the line.
func (p *progress) show(text string) {
	fmt.Fprintf(p.to, "\r%-*s", p.width, text)
	p.width = max(p.width, len(text))
}

// end wipes the line, so that the next output begins on a clean one.
func (p *progress) end() {
	if p.width > 0 {
		fmt.Fprintf(p.to, "\r%s\r", strings.Repeat(" ", p.width))
		p.width = 0
	}
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
