package question

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints the fates of the pods for people, the first limit of each
// list; all where limit is 0. The error is that of w.
func (q *Without) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	out.say("Without %s: %s", names(q.Nodes, bounded(len(q.Nodes), limit)), q.summary())
	q.writeStayers(out, limit)
	q.writeMoves(out, limit)
	q.writeDrain(out, limit)
	return out.to(w)
}

func (q *Without) summary() string {
	t := &q.Totals
	if t.Own == 0 {
		return "no pod has to find another place."
	}
	var parts []string
	add := func(n int, one, more string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, verb(n, one, more)))
		}
	}
	add(t.Placed, "fits elsewhere", "fit elsewhere")
	add(t.PushesOut, "pushes others out", "push others out")
	add(t.Waits, "waits for room", "wait for room")
	add(t.OtherScheduler, "is not of this scheduler", "are not of this scheduler")
	add(t.InGroup, "waits for its group", "wait for their group")
	text := plural(t.Own, "pod")
	if t.InTurn > 0 {
		text += fmt.Sprintf(", and %d more pushed out for them,", t.InTurn)
	}
	text += fmt.Sprintf(" %s to be made again: %s.", verb(t.Own+t.InTurn, "has", "have"), strings.Join(parts, ", "))
	if t.Violating > 0 {
		text += fmt.Sprintf(" %s against a disruption budget.", subject(t.Violating, "pod is pushed out", "pods are pushed out"))
	}
	return text
}

// writeStayers prints the pods that are not made again.
func (q *Without) writeStayers(out *paper, limit int) {
	say := func(pods []Pod, text string) {
		if len(pods) > 0 {
			out.line("  %d %s: %s.", len(pods), text, podNames(pods, limit))
		}
	}
	say(q.Lost, "lost, without a controller to make them again")
	say(q.Tied, "of DaemonSets or static, which do not move")
	say(q.Leaving, "being deleted anyway")
}

const movesOrder = "In the order in which a scheduler takes them, those pushed out gone at once and made again in turn"

func podNames(pods []Pod, limit int) string {
	keys := make([]string, len(pods))
	for i := range pods {
		keys[i] = string(pods[i].Key)
	}
	return names(keys, bounded(len(keys), limit))
}

// writeMoves prints the pods that are made again: those that wait or push others
// out before those that simply fit, where not all can be shown.
func (q *Without) writeMoves(out *paper, limit int) {
	if len(q.Moves) == 0 {
		return
	}
	out.line("")
	out.say("%s:", movesOrder)
	var rows console.Table
	rows.Head("#", "POD", "PRIORITY", "LEAVES", "OUTCOME", "TO")
	shown := selected(len(q.Moves), limit, func(i int) bool { return q.Moves[i].Outcome != Placed })
	for _, i := range shown {
		m := &q.Moves[i]
		rows.Add(strconv.Itoa(i+1), string(m.Pod.Key), strconv.Itoa(int(m.Pod.Priority)), m.Pod.Node, m.outcome(), m.Node)
		if m.PushedOutBy != "" {
			addNotes(&rows, []string{"pushed out for " + string(m.PushedOutBy)})
		}
		addNotes(&rows, m.notes(limit))
	}
	rows.Print(out.Page)
	if more := len(q.Moves) - len(shown); more > 0 {
		out.line("  and %d more", more)
	}
}

// writeDrain prints the effects of disruption budgets.
func (q *Without) writeDrain(out *paper, limit int) {
	out.line("")
	if len(q.Budgets) == 0 {
		out.say("No disruption budget covers a pod that would be evicted: a drain goes through, as does a loss.")
	} else {
		out.line("A drain keeps to disruption budgets, and a loss does not ask them:")
	}
	var rows console.Table
	rows.Head("BUDGET", "MAY GO", "PODS", "A DRAIN", "A LOSS")
	shown := bounded(len(q.Budgets), limit)
	for _, b := range q.Budgets[:shown] {
		rows.Add(string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Pods), b.Drain.text(), b.loss())
		addNotes(&rows, b.notes())
	}
	if shown > 0 {
		rows.Print(out.Page)
	}
	if shown < len(q.Budgets) {
		out.line("  and %d more", len(q.Budgets)-shown)
	}
	if len(q.Refused) > 0 {
		out.say("Several budgets cover %s, so that no drain can evict %s: %s.", plural(len(q.Refused), "pod"),
			verb(len(q.Refused), "it", "them"), podNames(q.Refused, limit))
	}
	if len(q.Lost) > 0 {
		out.say("kubectl drain refuses to go on with pods that have no controller, unless it is told to.")
	}
}

func (e DrainEffect) text() string {
	switch e {
	case Lets:
		return "goes through"
	case Slows:
		return "waits for replacements to be ready"
	case Blocks:
		return "is blocked"
	}
	return string(e)
}

// loss is the effect of the nodes' loss on the budget, which counts ready pods alone.
func (b *BudgetLoad) loss() string {
	if int64(b.Pods-b.Unready) <= int64(max(0, b.Allowed)) {
		return "keeps it"
	}
	return "breaks it"
}

// notes are about pods that are not ready.
func (b *BudgetLoad) notes() []string {
	if b.Unready == 0 {
		return nil
	}
	text := fmt.Sprintf("%d of them %s not ready", b.Unready, verb(b.Unready, "is", "are"))
	switch {
	case b.Free == b.Unready:
		text += ", and may be evicted whatever the budget allows"
	case b.Free > 0:
		text += fmt.Sprintf(", and %d may be evicted whatever the budget allows", b.Free)
	}
	return []string{text}
}
