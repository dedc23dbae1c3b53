package question

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteText tells what becomes of the pods to people, the first limit of each list; all where
// limit is 0. The error is that of w.
func (q *Without) WriteText(w io.Writer, limit int) error {
	var out paper
	out.line("Without %s: %s", names(q.Nodes, bounded(len(q.Nodes), limit)), q.summary())
	q.writeStayers(&out, limit)
	q.writeMoves(&out, limit)
	q.writeDrain(&out, limit)
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

// writeStayers tells of the pods that are not made again.
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

func podNames(pods []Pod, limit int) string {
	keys := make([]string, len(pods))
	for i := range pods {
		keys[i] = string(pods[i].Key)
	}
	return names(keys, bounded(len(keys), limit))
}

// writeMoves tells of the pods that are made again: those that wait or push others out before
// those that simply fit, where not all can be shown.
func (q *Without) writeMoves(out *paper, limit int) {
	if len(q.Moves) == 0 {
		return
	}
	out.line("")
	out.line("In the order in which a scheduler takes them, those pushed out gone at once and made again in turn:")
	var rows sheet
	rows.row("#", "POD", "PRIORITY", "LEAVES", "OUTCOME", "TO", "WHO LEAVES FOR IT")
	shown := bounded(len(q.Moves), limit)
	for i := range q.Moves[:shown] {
		m := &q.Moves[i]
		from := m.Pod.Node
		if m.PushedOutBy != "" {
			from += " for " + string(m.PushedOutBy)
		}
		rows.row(strconv.Itoa(i+1), string(m.Pod.Key), strconv.Itoa(int(m.Pod.Priority)), from, m.outcome(), m.Node, m.leavers(limit))
		for _, note := range m.notes(limit) {
			rows.row(note)
		}
	}
	rows.write(out)
	if shown < len(q.Moves) {
		out.line("  and %d more", len(q.Moves)-shown)
	}
}

// writeDrain tells what disruption budgets do.
func (q *Without) writeDrain(out *paper, limit int) {
	out.line("")
	if len(q.Budgets) == 0 {
		out.line("No disruption budget covers a pod that would be evicted: a drain goes through, as does a loss.")
	} else {
		out.line("A drain keeps to disruption budgets, and a loss does not ask them:")
	}
	var rows sheet
	rows.row("BUDGET", "MAY GO", "PODS", "A DRAIN", "A LOSS")
	shown := bounded(len(q.Budgets), limit)
	for _, b := range q.Budgets[:shown] {
		rows.row(string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Pods), b.Drain.text(), b.loss())
	}
	if shown > 0 {
		rows.write(out)
	}
	if shown < len(q.Budgets) {
		out.line("  and %d more", len(q.Budgets)-shown)
	}
	if len(q.Refused) > 0 {
		out.line("Several budgets cover %s, so that no drain can evict %s: %s.", plural(len(q.Refused), "pod"),
			verb(len(q.Refused), "it", "them"), podNames(q.Refused, limit))
	}
	if len(q.Lost) > 0 {
		out.line("kubectl drain refuses to go on with pods that have no controller, unless it is told to.")
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

func (b *BudgetLoad) loss() string {
	if b.Drain == Lets {
		return "keeps it"
	}
	return "breaks it"
}
