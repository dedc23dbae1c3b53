package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// progress shows a person how much has been read. A dump of a large cluster takes seconds to read.
type progress struct {
	to io.Writer
	// name is the name of the cluster that is read.
	name string
	// total is the number of bytes to read, or 0 if it is not known.
	total int64
	// on says that somebody is watching.
	on bool

	// opened counts the files. unknown says that the size of one of them is not known.
	opened  int
	unknown bool
	// read is the number of bytes read so far.
	read int64
	// shown is the time at which the text was last renewed, and width the greatest width that it had.
	shown time.Time
	width int
}

// newProgress shows progress if to is a terminal.
func newProgress(to io.Writer, name string) *progress {
	return &progress{to: to, name: name, on: isTerminal(to), shown: time.Now()}
}

// through counts the bytes of one more file. A size of 0 means that the size is not known. Files are opened one
// after the other, so that the total is unknown as soon as there is a second one.
func (p *progress) through(r io.Reader, size int64) io.Reader {
	p.opened++
	p.unknown = p.unknown || size <= 0
	p.total += size
	if p.unknown || p.opened > 1 {
		p.total = 0
	}
	return &counted{p, r}
}

// counted is a reader that reports what is read to a progress.
type counted struct {
	progress *progress
	in       io.Reader
}

// Read counts the bytes, and shows the count a few times per second.
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

// steps shows how many steps of a question are done.
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

// show writes over the text on the line. It pads a shorter text, so that nothing of a longer one is left.
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

// isTerminal reports whether w is a terminal, so that a person is likely to be watching.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
