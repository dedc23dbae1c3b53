package question

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints how many replicas find room, their nodes, and the pods that leave for each replica. It shows
// at most limit replicas with victims, or all if limit is 0. The error is that of w.
func (r *Replicas) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("%s", r.summary())
	if free := r.Turns[:r.Free]; len(free) > 0 {
		out.line("")
		out.say("Before anybody leaves: %s.", places(free, limit))
	}

	r.writeSteps(out, limit)
	if r.Forbidden != nil {
		out.line("")
		out.say("%s", r.Forbidden)
	}

	if r.Stopped {
		last := &r.Turns[len(r.Turns)-1]
		out.line("")
		out.line("Replica %d finds no room:", r.Running+1)
		for _, note := range last.Notes(limit) {
			out.line("  %s", note)
		}
		for _, text := range r.missing() {
			out.line("  %s", text)
		}
	}
	return out.To(w)
}

// missing says what the last replica lacks if nothing helps it. It is empty if all find room.
func (r *Replicas) missing() []string {
	why := r.Why
	if why == nil || why.Nothing == nil {
		return nil
	}
	return why.Nothing.Texts()
}

// summary says how many replicas fit, and which pods leave for them.
func (r *Replicas) summary() string {
	text := fmt.Sprintf("Of %s of %s, %d %s as things are", console.Plural(r.Asked, "replica"), r.Pod.Key, r.Free, verb(r.Free, "fits", "fit"))
	switch {
	case r.Running == r.Free && r.Stopped:
		text += ", and pushing others out makes room for no more."
	case r.Running == r.Free:
		text += "."
	default:
		text += fmt.Sprintf(", and %d more once %s.", r.Running-r.Free, subject(r.Victims, "other pod has left", "other pods have left"))
		if r.Violating > 0 {
			text += fmt.Sprintf(" %d of these %s a disruption budget.", r.Violating, verb(r.Violating, "breaks", "break"))
		}
		if r.Stopped {
			text += fmt.Sprintf(" %d is the limit.", r.Running)
		}
	}
	return text
}

// writeSteps prints the replicas from the first one for which pods leave. Consecutive replicas that simply fit
// share a row.
func (r *Replicas) writeSteps(out *paper, limit int) {
	rest := r.Turns[r.Free:r.Running]
	if len(rest) == 0 {
		return
	}

	out.line("")
	out.line("Step by step:")
	var rows console.Table
	rows.Head("REPLICA", "NODE")
	for i, shown := 0, 0; i < len(rest); shown++ {
		if limit > 0 && shown == limit {
			rows.Note("and %d more", len(rest)-i)
			break
		}

		if rest[i].Outcome == PushesOut {
			rows.Add(strconv.Itoa(r.Free+i+1), rest[i].Node)
			addNotes(&rows, rest[i].Notes(limit))
			i++
			continue
		}

		// All these replicas run. One that pushes nobody out is therefore placed, and the loop advances.
		from := i
		for i < len(rest) && rest[i].Outcome == Placed {
			i++
		}
		number := strconv.Itoa(r.Free + from + 1)
		if i-from > 1 {
			number += " to " + strconv.Itoa(r.Free+i)
		}
		rows.Add(number, places(rest[from:i], limit))
		addNotes(&rows, []string{"nobody leaves"})
	}
	rows.Print(out.Page)
}

// places says how many turns went to each node, the largest number first, equal numbers by name.
func places(turns []Turn, limit int) string {
	counts := map[string]int{}
	for i := range turns {
		counts[turns[i].Node]++
	}
	nodes := make([]string, 0, len(counts))
	for node := range counts {
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b)) })

	shown := bounded(len(nodes), limit)
	texts := make([]string, shown)
	for i := range shown {
		texts[i] = fmt.Sprintf("%d on %s", counts[nodes[i]], nodes[i])
	}
	text := strings.Join(texts, ", ")
	if more := len(nodes) - shown; more > 0 {
		text += fmt.Sprintf(" and others on %s", console.Plural(more, "more node"))
	}
	return text
}
