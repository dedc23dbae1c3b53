package page

import (
	"time"

	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/preemption/engine"
)

// frame is what every page has around its contents.
type frame struct {
	Title, Source, Release, Now string
	Outcome, Summary            string
	Caveats                     []string
	// Todo says what to do, at the end of the page.
	Todo          []string
	Style, Script any
	Policy        string
}

// newFrame makes a frame that says which cluster the page shows, and at which time.
func newFrame(title, source string, snap *engine.Snapshot, now time.Time) frame {
	f := frame{Title: screen.Safe(title), Source: source, Release: snap.Release().String(), Style: style, Script: script, Policy: policy}
	if !now.IsZero() {
		f.Now = now.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	return f
}
