package question

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints at most limit turns for people, with as many victims of each, or all if limit is 0. If there
// are too many, it leaves out turns of pods that simply fit first. The error is that of w.
func (p *Pending) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("%s", p.summary())
	if p.Elsewhere > 0 {
		out.say("%s of other namespaces that %s in between, too: without --namespace all are listed.", console.Plural(p.Elsewhere, "turn"), verb(p.Elsewhere, "comes", "come"))
	}
	if len(p.Turns) == 0 {
		return out.To(w)
	}

	out.line("")
	out.say(pendingOrder)
	var rows console.Table
	rows.Head("#", "POD", "PRIORITY", "OUTCOME", "NODE")
	shown := selected(len(p.Turns), limit, func(i int) bool { return p.Turns[i].Outcome != Placed })
	said := saidOnce{}
	for _, i := range shown {
		t := &p.Turns[i]
		rows.Add(strconv.Itoa(i+1), t.name(), t.priority(), t.Text(), t.Node)
		addNotes(&rows, said.notes(i+1, t, limit))
	}
	rows.Print(out.Page)
	out.more(len(p.Turns) - len(shown))
	return out.To(w)
}

// pendingOrder explains the list of turns.
const pendingOrder = "In the order in which a scheduler takes them, each seeing what those before it did. Pods that " +
	"have to leave hold their room until they have ended; pods of one priority go by name."

// summary puts the totals into a few sentences.
func (p *Pending) summary() string {
	n := &p.Totals
	if n.Pods == 0 {
		return "No pod is pending."
	}

	// Without groups the outcomes add up to the number of pods. With groups they do not, which the sentence has
	// to say.
	text := fmt.Sprintf("Of %s %s.", console.Plural(n.Pods, "pending pod"), n.outcomes())
	if n.Groups > 0 {
		text = fmt.Sprintf("Of %s, those of %s counted as one, %s.", console.Plural(n.Pods, "pending pod"), console.Plural(n.Groups, "group"), n.outcomes())
	}

	if n.Unplaced > 0 {
		text += fmt.Sprintf(" %s of groups that fit %s without a place.", console.Plural(n.Unplaced, "pod"), verb(n.Unplaced, "is", "are"))
	}
	if n.Victims > 0 {
		text += fmt.Sprintf(" %s to leave", verb(n.Victims, "1 pod has", fmt.Sprintf("%d pods have", n.Victims)))
		if n.Violating > 0 {
			text += fmt.Sprintf(", %d of them against a disruption budget", n.Violating)
		}
		text += "."
	}
	return text
}

// outcomes lists the outcomes that occur, each with its number of turns.
func (n *PendingTotals) outcomes() string {
	var parts []string
	add := func(count int, text string) {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, text))
		}
	}
	add(n.Placed, verb(n.Placed, "fits", "fit"))
	add(n.PushesOut, verb(n.PushesOut, "pushes others out", "push others out"))
	add(n.Waits, verb(n.Waits, "stays pending", "stay pending"))
	add(n.Gated, verb(n.Gated, "is gated", "are gated"))
	add(n.OtherScheduler, verb(n.OtherScheduler, "is", "are")+" not of this scheduler")
	add(n.Leaving, verb(n.Leaving, "is", "are")+" being deleted")
	add(n.InGroup, verb(n.InGroup, "belongs to a group", "belong to groups")+" of which nothing is said")
	return strings.Join(parts, ", ")
}

// verb returns the form of a verb that agrees with the number.
func verb(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}
