package inverse

import (
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// WriteText prints the largest sizes for people. limit bounds the lists about each. The error is that of w.
func (l *Largest) WriteText(w io.Writer, limit int) error {
	out := console.SheetFor(w)
	out.Say("%s", l.sentence())
	if l.Fits != nil {
		l.Fits.beyond(out, limit)
	}
	if l.Evicting != nil && (l.Fits == nil || l.Evicting.Steps > l.Fits.Steps) {
		out.Line("")
		out.Say("%s", l.evicting())
		l.Evicting.beyond(out, limit)
	}
	if l.Waiting != nil {
		for _, note := range l.Waiting.Notes(limit) {
			out.Line("  %s", note)
		}
	}

	out.Line("")
	out.Say("The shape %s is made larger and smaller as a whole, in steps of %s of %s; %s were tried.",
		amountsText(l.Shape), l.Step, l.Resource, console.Plural(l.Tried, "size"))
	return out.To(w)
}

// sentence says which size is the largest that fits, or that none does.
func (l *Largest) sentence() string {
	switch {
	case l.Fits != nil:
		return fmt.Sprintf("The largest that fits with nobody leaving asks for %s, %s the shape, on %s%s.", amountsText(l.Fits.Requests), l.Fits.Times(), l.Fits.Node, otherNodes(l.Fits.Nodes-1))
	case l.Evicting != nil:
		return fmt.Sprintf("Nothing of this shape fits with nobody leaving: not even %s of %s.", l.Step, l.Resource)
	}
	return fmt.Sprintf("Nothing of this shape finds a place, not even %s of %s:", l.Step, l.Resource)
}

// amountsText lists amounts exactly, cpu and memory first.
func amountsText(l resource.List) string {
	var out []string
	for _, name := range inOrder(l) {
		out = append(out, string(name)+" "+l[name].String())
	}
	return strings.Join(out, ", ")
}

// otherNodes says that there are n other nodes. It is empty if n is not positive.
func otherNodes(n int) string {
	if n <= 0 {
		return ""
	}
	return " and " + console.Plural(n, "other node")
}

// evicting says which size is the largest that finds a place by pushing out others.
func (l *Largest) evicting() string {
	e := l.Evicting
	return fmt.Sprintf("With its priority, %d, the largest that finds a place by pushing out others asks for %s, %s the shape, on %s: %s to leave: %s.", l.Pod.Priority,
		amountsText(e.Requests), e.Times(), e.Node, podsHave(len(e.Victims)), listed(e.Victims, mostNamed, func(v question.Victim) string { return v.Text() }))
}

// podsHave returns "1 pod has" or "n pods have".
func podsHave(n int) string {
	if n == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", n)
}

// beyond says why a pod that is one step larger finds no place.
func (s *Size) beyond(out *console.Sheet, limit int) {
	if s.Beyond == nil {
		return
	}
	out.Line("  one step more, %s: %s", amountsText(s.Next), s.Beyond.Text())
	for _, note := range s.Beyond.Notes(limit) {
		out.Line("    %s", note)
	}
}
