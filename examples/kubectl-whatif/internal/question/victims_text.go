package question

import (
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption/explain"
)

// WriteText prints the fate of each victim. Each list is cut after limit entries, unless limit is 0. The error
// is that of w.
func (v *Victims) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("What becomes of %s, once %s runs on %s: %s.", console.Plural(len(v.Replacements), "victim"), v.Pod.Key, v.Node, v.Totals.text())
	out.line("")
	writeFates(out, v.Replacements, 2, limit)
	if g := v.Gentler; g != nil {
		out.line("")
		out.say("On %s, %s for %s, though kube-scheduler does not look at that.", g.Node, verb(g.Moved, "the one victim would find another place", fmt.Sprintf("all %d victims would find other places", g.Moved)), v.Pod.Key)
	}
	return out.To(w)
}

// text says how many pods have which fate.
func (t *VictimTotals) text() string {
	var parts []string
	add := func(n int, one, more string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verb(n, one, more)))
		}
	}
	add(t.Fits, "finds another place", "find another place")
	add(t.PushesOut, "pushes out others in turn", "push out others in turn")
	add(t.Waits, "has to wait", "have to wait")
	add(t.Lost, "is lost", "are lost")
	add(t.Replaced, "was replaced before", "were replaced before")
	add(t.Unknown, "waits for its group", "wait for their group")
	add(t.Beyond, "leaves in turn and was not followed", "leave in turn and were not followed")
	if parts == nil {
		return "nobody left"
	}

	text := strings.Join(parts, ", ")
	if t.InTurn > 0 {
		text += fmt.Sprintf("; %d of them %s by a replacement", t.InTurn, verb(t.InTurn, "is pushed out", "are pushed out"))
	}
	return text
}

// writeFates prints replacements and, indented below each, the replacements of the pods that it pushes out.
func writeFates(out *paper, fates []explain.Replacement, indent, limit int) {
	shown := bounded(len(fates), limit)
	for i := range fates[:shown] {
		// The text of a replacement continues with its victims, which are printed separately below, up to the
		// limit.
		text, _, _ := strings.Cut(fates[i].Text(), "\n")
		out.block(indent, text)
		writeFates(out, fates[i].Victims, indent+2, limit)
	}
	if more := len(fates) - shown; more > 0 {
		out.block(indent, fmt.Sprintf("and %d more", more))
	}
}
