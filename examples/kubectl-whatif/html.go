package main

import (
	"io"

	htmlpage "github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
)

// writeHTML draws a decision as a page.
func writeHTML(w io.Writer, d *decision) error {
	a := newAnswer(d, 0)
	in := htmlpage.Input{
		Source: a.Cluster.Source, Snapshot: d.snap, Explanation: d.Explanation, Report: d.why,
		Priority: howPriorityIsKnown(&a.Pod), Hints: a.Hints, Now: d.now,
	}
	for _, c := range d.caveats {
		in.Caveats = append(in.Caveats, caveatText(c))
	}
	if d.then != nil {
		in.Replacements = d.then.Replacements
	}
	return htmlpage.Write(w, in)
}
