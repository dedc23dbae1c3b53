package question

import (
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Overview draws the answer as a page about the snapshot in question, which is [Scenario.Stage]: the cluster
// before the changes, with the nodes that they add.
func (a *Aftermath) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	headline, summary := a.title()
	s := sketchOf(snap, strings.TrimSuffix(headline, "."), summary)
	s.Gone, s.made = a.Nodes, a.made

	a.figures(s)
	a.mark(s)

	s.table(a.movesTable())
	s.table(forbiddenTable(a.Forbidden))
	s.table(resizesTable(a.Resizes))
	if len(a.Drains) > 0 {
		s.table(a.drainsTable())
		s.Tables = append(s.Tables, a.budgetsTable()) // an empty table says that no budget is concerned
	}

	for _, list := range []struct {
		title string
		pods  []Pod
	}{
		{"Lost, without a controller to recreate them", a.Lost}, {"Of DaemonSets or static, which do not move", a.Tied},
		{"Being deleted anyway", a.Leaving}, {"Covered by several budgets, so that no drain can evict them", a.Refused},
	} {
		s.table(podsTable(list.title, list.pods))
	}

	a.todo(s)
	return &s.Overview
}

// title returns the headline and the summary. If no nodes are removed, the first sentence of the summary is the
// headline.
func (a *Aftermath) title() (headline, summary string) {
	summary = strings.Join(a.summary(), " ")
	if len(a.Nodes) > 0 {
		which := names(a.Nodes, 1)
		if len(a.Nodes) > 1 {
			which = console.Plural(len(a.Nodes), "node")
		}
		return "Without " + which + ": " + a.headline(), "Without " + names(a.Nodes, notesOnPage) + ": " + summary
	}

	if first, rest, more := strings.Cut(summary, ". "); more {
		return first, rest
	}
	return summary, summary
}

// figures adds the large numbers. It leaves out numbers that do not concern the changes.
func (a *Aftermath) figures(s *sketch) {
	n := &a.Totals
	if n.New > 0 {
		s.figure(n.New, "new pods")
	}
	if n.Own > n.New || n.New == 0 && len(a.Resizes) == 0 {
		s.figure(n.Own-n.New, "pods that lose their place")
	}
	if len(a.Resizes) > 0 {
		s.figure(len(a.Resizes), "resizes")
	}

	s.figure(n.Victims, "pushed out")
	s.figure(n.Waits, "stay pending")
	s.figure(len(a.Lost), "lost for good")
}

// mark draws which pods leave and which arrive.
func (a *Aftermath) mark(s *sketch) {
	for _, pods := range [][]Pod{a.Lost, a.Tied, a.Leaving} {
		for _, p := range pods {
			s.leave(p.Key, "leaves, and nothing takes its place")
		}
	}

	// New pods, waiting pods and resized pods leave no place behind.
	for i := range a.Moves {
		m := &a.Moves[i]
		switch m.Origin {
		case New, Waiting, Resizing:
		case Ending:
			s.leave(m.Pod.Key, "leaves already")
		case PushedOut:
			s.leave(m.Pod.Key, "leaves for "+string(m.PushedOutBy))
		default:
			s.leave(m.Pod.Key, "loses its place")
		}
		s.turn(&m.Turn, nil)
	}
}

// headline says what becomes of the pods of the removed nodes.
func (a *Aftermath) headline() string {
	t := &a.Totals
	switch {
	case t.Own+t.InTurn > 0:
	case len(a.Lost) > 0:
		return subject(len(a.Lost), "pod is lost", "pods are lost") + " for good"
	default:
		return "nobody has to move"
	}
	return strconv.Itoa(t.Placed) + " " + verb(t.Placed, "pod fits", "pods fit") + " elsewhere, " + strconv.Itoa(t.PushesOut) + " " +
		verb(t.PushesOut, "pushes others out", "push others out") + ", " + strconv.Itoa(t.Waits) + " " + verb(t.Waits, "stays pending", "stay pending")
}

// movesTable has the turns in their order, with at most as many rows as a page shows.
func (a *Aftermath) movesTable() page.Table {
	t := page.Table{
		Title: "Where they go", Note: movesOrder + ".",
		Columns: []page.Column{{Title: "#", Number: true}, {Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Leaves"}, {Title: "To"}, {Title: "Outcome"}},
	}
	shown := bounded(len(a.Moves), page.MostRows)
	said := saidOnce{}
	for i := range a.Moves[:shown] {
		m := &a.Moves[i]
		r := page.TableRow{Cells: []string{strconv.Itoa(i + 1), m.name(), m.priority(), m.leaves(), m.Node, m.Text()}}
		r.Notes = append(m.why(), said.notes(i+1, &m.Turn, notesOnPage)...)
		t.Rows = append(t.Rows, r)
	}
	t.More = len(a.Moves) - shown
	return t
}

// drainsTable says how each drain goes.
func (a *Aftermath) drainsTable() page.Table {
	t := page.Table{Title: "A drain", Columns: []page.Column{{Title: "Nodes"}, {Title: "Evicted", Number: true}, {Title: "Of", Number: true}, {Title: "The drain"}}}
	for i := range a.Drains {
		d := &a.Drains[i]
		r := page.TableRow{Cells: []string{names(d.Nodes, notesOnPage), strconv.Itoa(d.Evicted), strconv.Itoa(d.Pods), d.text()}}
		r.Notes = append(d.held(notesOnPage), d.pending(notesOnPage)...)
		t.Rows = append(t.Rows, r)
	}
	return t
}

// budgetsTable says what the removal of the nodes does to each budget, or that no budget is concerned.
func (a *Aftermath) budgetsTable() page.Table {
	t := page.Table{
		Title: "What disruption budgets do", Note: "A drain keeps to them, and a loss does not ask them. No budget covers a pod that would be evicted.",
		Columns: []page.Column{{Title: "Budget"}, {Title: "May go", Number: true}, {Title: "Pods", Number: true}, {Title: "A drain"}, {Title: "A loss"}},
	}
	if len(a.Budgets) > 0 {
		t.Note = "A drain keeps to them, and a loss does not ask them."
	}
	shown := bounded(len(a.Budgets), page.MostRows)
	for i := range a.Budgets[:shown] {
		b := &a.Budgets[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Pods), b.text(), b.loss()}, Notes: b.notes()})
	}
	t.More = len(a.Budgets) - shown
	return t
}

// podsTable lists pods, with at most as many rows as a page shows.
func podsTable(title string, pods []Pod) page.Table {
	t := page.Table{Title: title, Columns: []page.Column{{Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Node"}, {Title: "Owner"}}}
	shown := bounded(len(pods), page.MostRows)
	for _, p := range pods[:shown] {
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{string(p.Key), strconv.Itoa(int(p.Priority)), p.Node, p.Owner}})
	}
	t.More = len(pods) - shown
	return t
}

// todo ends the page with what to do: first about the changes, then about the pods about which nothing more is
// known.
func (a *Aftermath) todo(s *sketch) {
	a.todoDrains(s)
	if n := len(a.Lost); n > 0 {
		s.do(subject(n, "pod is", "pods are") + " lost, and nothing recreates " + verb(n, "it", "them") + ".")
	}

	t := &a.Totals
	if t.Forbidden > 0 {
		s.do(subject(t.Forbidden, "pod is", "pods are") + " not created: see the quotas' messages.")
	}
	if t.Unresized > 0 {
		s.do(subject(t.Unresized, "resize is not done", "resizes are not done") + ": see what is in their way.")
	}

	// More room helps both, and another question tries how much.
	if c := cost(t.Victims, t.Violating); c != "" {
		s.do("It costs room: " + c + ".")
	}
	if t.Victims+t.Waits > 0 {
		s.do("How many more nodes are enough until nobody has to leave, and until everybody finds a place, is tried by --more-nodes NODE with the same changes.")
	}

	for _, left := range []struct {
		n         int
		one, more string
	}{
		{t.Gated, "pod is gated, and waits for whoever takes its gates away", "pods are gated, and wait for whoever takes their gates away"},
		{t.OtherScheduler, "pod is left to another scheduler", "pods are left to other schedulers"},
		{t.InGroup, "pod waits for its group", "pods wait for their group"},
	} {
		if left.n > 0 {
			s.do(subject(left.n, left.one, left.more) + ".")
		}
	}
	if len(s.Todo) == 0 {
		s.do("Nothing to do: all that the changes are about have a place, and nobody has to leave for them.")
	}
}

// todoDrains says which allowances let each stuck drain go through, if some were found.
func (a *Aftermath) todoDrains(s *sketch) {
	for i := range a.Drains {
		d := &a.Drains[i]
		switch freed := d.freedText(); {
		case !d.Stuck:
		case freed != "":
			s.do(freed + " As things are it never does.")
		default:
			s.do("No budget was found to let the drain go through as things are: it never ends on " + d.StuckAt + ".")
		}
	}
}

// forbiddenTable lists the pods that quotas keep from being created, with at most as many rows as a page shows.
func forbiddenTable(list []quotas.Forbidden) page.Table {
	t := page.Table{Title: "Not created", Note: "Quotas keep these pods from being created: they take no turn, and push nobody out.",
		Columns: []page.Column{{Title: "Workload"}, {Title: "Namespace"}, {Title: "Pods", Number: true}, {Title: "Quota"}}}
	shown := bounded(len(list), page.MostRows)
	for _, f := range list[:shown] {
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{f.Workload, f.Namespace, strconv.Itoa(f.Pods), f.Quota}, Notes: []string{f.Message}})
	}
	t.More = len(list) - shown
	return t
}

// resizesTable lists resizes with their outcomes, with at most as many rows as a page shows.
func resizesTable(list []Resized) page.Table {
	t := page.Table{Title: "Resizes in place", Note: "The node decides, and tries again whenever pods leave. Until then a scheduler counts the larger amounts.",
		Columns: []page.Column{{Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Node"}, {Title: "From"}, {Title: "To"}, {Title: "Outcome"}}}
	shown := bounded(len(list), page.MostRows)
	for i := range list[:shown] {
		r := &list[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{r.name(), strconv.Itoa(int(r.Pod.Priority)), r.Pod.Node, amount.Texts(r.From), amount.Texts(r.To), r.outcome()}, Notes: r.why()})
	}
	t.More = len(list) - shown
	return t
}
