package question

import (
	"fmt"
	"io"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// WriteText prints the answer for people: limit names of each list and ten times as many victims and places, or
// all if limit is 0. The error is that of w.
func (w *WholeGroup) WriteText(to io.Writer, limit int) error {
	out := paperFor(to)
	report := w.report(limit)
	out.block(0, report.Text())

	// The report may have left out the pod in question.
	if node := w.nodeOfAsked(); report.Seats.More > 0 && node != "" {
		out.line("The pod that was asked about, %s, goes to node %s.", w.Asked, node)
	}
	for _, note := range w.notes(limit) {
		out.line("%s", note)
	}
	return out.To(to)
}

// nodeOfAsked returns the node that the pod in question gets. It is empty if it gets none.
func (w *WholeGroup) nodeOfAsked() string {
	for _, m := range w.Members {
		if m.Key == w.Asked {
			return m.Node
		}
	}
	return ""
}

// report returns the report with at most limit names in each list, or all if limit is 0.
func (w *WholeGroup) report(limit int) *explain.GroupReport {
	if limit > 0 && w.plan != nil {
		if cut, err := explain.Group(w.snap, w.plan, explain.Options{Most: limit}); err == nil {
			return cut
		}
	}
	return w.Report
}

// notes says whether the group lacks pods, and names its pods without a place and the pods that are not tried.
func (w *WholeGroup) notes(limit int) []string {
	var out []string
	if there := len(w.Members) + w.Running; !w.Tree && there < int(w.MinCount) {
		out = append(out, fmt.Sprintf("The group wants %s, and %d %s there to be placed: it waits for %d more, whoever leaves.",
			console.Plural(int(w.MinCount), "pod"), there, verb(there, "is", "are"), int(w.MinCount)-there))
	}

	if w.placed() && w.Unplaced > 0 {
		without := w.without()
		out = append(out, "Enough of its pods have a place, and not all: "+names(without, bounded(len(without), limit))+" "+
			verb(len(without), "stays", "stay")+" pending.")
	}

	shown := bounded(len(w.KeptBack), limit)
	for i := range w.KeptBack[:shown] {
		out = append(out, "Not tried: "+string(w.KeptBack[i].Key)+" "+w.KeptBack[i].why()+".")
	}
	if more := len(w.KeptBack) - shown; more > 0 {
		out = append(out, "and "+console.Plural(more, "more pod")+" that "+verb(more, "is", "are")+" not tried")
	}
	return out
}

// without lists the pods that get no place, beginning with the one in question.
func (w *WholeGroup) without() (keys []outrank.Key) {
	for _, m := range w.Members {
		switch {
		case m.Node != "":
		case m.Key == w.Asked:
			keys = slices.Insert(keys, 0, m.Key)
		default:
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// placed reports whether the group runs, now or once others have left.
func (w *WholeGroup) placed() bool {
	return w.Report.Outcome == preemption.Fits || w.Report.Outcome == preemption.Preempts
}
