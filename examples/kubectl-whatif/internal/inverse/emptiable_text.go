package inverse

import (
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints the nodes for people, at most limit of each list, or all if limit is 0. The error is that of
// w.
func (e *Emptiable) WriteText(w io.Writer, limit int) error {
	out := console.SheetFor(w)
	out.Say("%s", e.sentence())
	if len(e.Nodes) > 0 {
		out.Line("  %s", listed(e.Nodes, limit, func(name string) string { return name }))
	}

	if len(e.LeftOut) > 0 {
		out.Line("")
		out.Say("%s", e.others())
		rows := console.Table{Right: map[int]bool{1: true}}
		rows.Head("NODE", "PODS", "IN THE WAY")
		shown := bounded(len(e.LeftOut), limit)
		for i := range e.LeftOut[:shown] {
			l := &e.LeftOut[i]
			rows.Add(l.Node, strconv.Itoa(l.Pods), l.text())
		}
		if more := len(e.LeftOut) - shown; more > 0 {
			rows.Note("and %d more", more)
		}
		rows.Print(out.Page)
	}

	out.Line("")
	out.Say("%s", e.effort())
	return out.To(w)
}

// sentence says how many nodes can be emptied together, and what becomes of their pods.
func (e *Emptiable) sentence() string {
	switch {
	case e.Of == 0:
		return "There is no node to empty."
	case len(e.Nodes) == 0 && e.Ended:
		return fmt.Sprintf("None of %s was found that can be emptied.", console.Plural(e.Of, "node"))
	case len(e.Nodes) == 0:
		return fmt.Sprintf("None of %s can be emptied.", console.Plural(e.Of, "node"))
	}

	text := fmt.Sprintf("%d of %s can be emptied together: ", len(e.Nodes), console.Plural(e.Of, "node"))
	switch {
	case e.Pods == 0:
		return text + "nobody has to be evicted."
	case e.Pods == 1:
		text += "1 pod is evicted and finds a place elsewhere"
	default:
		text += fmt.Sprintf("%d pods are evicted and find a place elsewhere", e.Pods)
	}

	text += ", nobody is pushed out, and disruption budgets are kept"
	switch {
	case e.Waits == 1:
		text += "; the drain waits once until replacements are ready"
	case e.Waits > 1:
		text += fmt.Sprintf("; the drain waits %d times until replacements are ready", e.Waits)
	}
	return text + "."
}

// others introduces the list of the nodes that are left out.
func (e *Emptiable) others() string {
	tried := 0
	for i := range e.LeftOut {
		if e.LeftOut[i].Tried {
			tried++
		}
	}

	switch {
	case tried == len(e.LeftOut) && len(e.Nodes) == 0:
		return "Each was tried:"
	case tried == len(e.LeftOut):
		return "Each of the others was tried on top of these, and cannot be emptied as well:"
	case tried == 0:
		return fmt.Sprintf("The limit of %d turns ended the search before the others were tried on top of these:", e.Turns)
	}
	return fmt.Sprintf("%d of %s were tried on top of these, and cannot be emptied as well; then the limit ended the search:", tried, console.Plural(len(e.LeftOut), "other"))
}

// text names the obstacle of a node, and says whether it was tried with all the others or with some.
func (l *LeftOut) text() string {
	switch {
	case l.Why == "":
		return "not tried"
	case !l.Tried:
		return "tried with others alone: " + l.Why
	}
	return l.Why
}

// effort says how much was tried.
func (e *Emptiable) effort() string {
	text := fmt.Sprintf("%s and %s of pods were tried.", console.Plural(e.Tries, "set"), console.Plural(e.Turns, "turn"))
	switch {
	case e.Exchanges > 0 && e.Unexchanged > 0:
		text += fmt.Sprintf(" Exchanges of one node for others were tried for %d, and for %d not any more; there may be a larger set.", e.Exchanges, e.Unexchanged)
	case e.Unexchanged > 0:
		text += " No exchange of one node for others was tried; there may be a larger set."
	case e.Exchanges > 0:
		text += " No exchange of one of these for two others works."
	}
	return text
}
