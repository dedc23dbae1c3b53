package question

import (
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption"
)

// Overview draws the answer as a page about the snapshot in question.
func (q *Without) Overview(snap *preemption.Snapshot, _ *outrank.Pod) *page.Overview {
	which := names(q.Nodes, 1)
	if len(q.Nodes) > 1 {
		which = plural(len(q.Nodes), "node")
	}
	s := sketchOf(snap, "Without "+which+": "+headlineOf(&q.Totals, len(q.Lost)), "Without "+names(q.Nodes, notesOnPage)+": "+q.summary())
	s.Gone = q.Nodes
	s.figure(q.Totals.Own, "pods that lose their node")
	s.figure(q.Totals.InTurn, "pushed out for them")
	s.figure(q.Totals.Waits, "wait for room")
	s.figure(len(q.Lost), "lost for good")
	for i := range q.Moves {
		m := &q.Moves[i]
		if m.PushedOutBy != "" {
			s.leave(m.Pod.Key, "leaves for "+string(m.PushedOutBy))
		} else {
			s.leave(m.Pod.Key, "loses its node")
		}
		s.turn(&m.Turn, nil)
	}
	s.table(q.movesTable())
	s.Tables = append(s.Tables, q.budgetsTable()) // where it is empty, it says so
	for _, list := range []struct {
		title string
		pods  []Pod
	}{
		{"Lost, without a controller to make them again", q.Lost}, {"Of DaemonSets or static, which do not move", q.Tied},
		{"Being deleted anyway", q.Leaving}, {"Covered by several budgets, so that no drain can evict them", q.Refused},
	} {
		s.table(podsTable(list.title, list.pods))
	}
	return &s.Overview
}

func headlineOf(t *WithoutTotals, lost int) string {
	switch {
	case t.Own+t.InTurn > 0:
	case lost > 0:
		return subject(lost, "pod is lost", "pods are lost") + " for good"
	default:
		return "nobody has to move"
	}
	return strconv.Itoa(t.Placed) + " " + verb(t.Placed, "pod fits", "pods fit") + " elsewhere, " + strconv.Itoa(t.PushesOut) + " " +
		verb(t.PushesOut, "pushes others out", "push others out") + ", " + strconv.Itoa(t.Waits) + " " + verb(t.Waits, "waits", "wait")
}

func (q *Without) movesTable() page.Table {
	t := page.Table{
		Title: "Where they go", Note: movesOrder + ".",
		Columns: []page.Column{{Title: "#", Number: true}, {Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Leaves"}, {Title: "To"}, {Title: "Outcome"}},
	}
	shown := bounded(len(q.Moves), page.MostRows)
	for i := range q.Moves[:shown] {
		m := &q.Moves[i]
		r := page.TableRow{Cells: []string{strconv.Itoa(i + 1), m.name(), m.priority(), m.Pod.Node, m.Node, m.outcome()}}
		if m.PushedOutBy != "" {
			r.Notes = append(r.Notes, "pushed out for "+string(m.PushedOutBy))
		}
		r.Notes = append(r.Notes, m.notes(notesOnPage)...)
		t.Rows = append(t.Rows, r)
	}
	t.More = len(q.Moves) - shown
	return t
}

func (q *Without) budgetsTable() page.Table {
	t := page.Table{
		Title: "What disruption budgets do", Note: "A drain keeps to them, and a loss does not ask them. No budget covers a pod that would be evicted.",
		Columns: []page.Column{{Title: "Budget"}, {Title: "May go", Number: true}, {Title: "Pods", Number: true}, {Title: "A drain"}, {Title: "A loss"}},
	}
	if len(q.Budgets) > 0 {
		t.Note = "A drain keeps to them, and a loss does not ask them."
	}
	shown := bounded(len(q.Budgets), page.MostRows)
	for i := range q.Budgets[:shown] {
		b := &q.Budgets[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Pods), b.Drain.text(), b.loss()}, Notes: b.notes()})
	}
	t.More = len(q.Budgets) - shown
	return t
}

func podsTable(title string, pods []Pod) page.Table {
	t := page.Table{Title: title, Columns: []page.Column{{Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Node"}, {Title: "Owner"}}}
	shown := bounded(len(pods), page.MostRows)
	for _, p := range pods[:shown] {
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{string(p.Key), strconv.Itoa(int(p.Priority)), p.Node, p.Owner}})
	}
	t.More = len(pods) - shown
	return t
}
