package report

import (
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Overview draws the report as a page about the snapshot in question. It extends the page about pending pods by
// tables, under a headline of its own.
func (r *Report) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	o := r.Waiting.Overview(snap, nil)
	lines := r.summary()
	o.Title = "How the cluster stands"
	o.Headline = strings.TrimSuffix(lines[0], ".")
	o.Summary = strings.Join(lines[1:], " ")
	o.Figures = append(o.Figures, page.Figure{Figure: strconv.Itoa(len(r.Drains.Stuck)), Of: "nodes that cannot be drained"})
	add := func(t page.Table) {
		if len(t.Rows) == 0 {
			return
		}
		if n := len(t.Rows) - page.MostRows; n > 0 {
			t.Rows, t.More = t.Rows[:page.MostRows], n
		}
		o.Tables = append(o.Tables, t)
	}

	add(r.Remedies.table())
	add(drainTable("Nodes whose drain never ends", r.Drains.Stuck, heldTexts))
	add(drainTable("Nodes whose drain leaves pods without a place", r.Drains.Crowded, pendingTexts))
	add(r.budgetTable())
	add(r.reachTable())
	add(r.roomTable())
	add(r.findingTable())
	o.Todo = r.todo()
	return o
}

// heldTexts names the pods of a node that budgets hold, each with its budgets.
func heldTexts(n *question.NodeDrain) (out []string) {
	for i := range n.Held {
		out = append(out, string(n.Held[i].Pod.Key)+" is held by "+names(n.Held[i].Budgets, 0))
	}
	return out
}

// pendingTexts names the pods of a node that find no place.
func pendingTexts(n *question.NodeDrain) (out []string) {
	for i := range n.Pending {
		out = append(out, string(n.Pending[i].Key))
	}
	return out
}

// mostTodo is the most remedies that the end of a page lists.
const mostTodo = 5

// todo says what to do: apply the remedies that were tried, look at the budgets that keep drains from ending,
// and mend the classes that are wrong.
func (r *Report) todo() []string {
	var out []string
	for i := range r.Remedies.List {
		if one := &r.Remedies.List[i]; one.Kind != None && len(out) < mostTodo {
			out = append(out, one.name()+": "+one.Text)
		}
	}

	var stopping []string
	for _, b := range r.Drains.Budgets {
		if b.Stuck > 0 {
			stopping = append(stopping, string(b.Key))
		}
	}
	if len(stopping) > 0 {
		out = append(out, "Before a drain of the nodes that never empty, look at what these budgets want: "+list(stopping, 0, mostTodo)+". --without NODE says what frees one.")
	}

	for i := range r.Findings {
		if f := &r.Findings[i]; f.Wrong {
			out = append(out, "Mend the class "+strings.TrimSpace(f.Class+": "+f.text()))
		}
	}
	return out
}

// table lists the remedies.
func (m *Remedies) table() page.Table {
	t := page.Table{Title: "The cheapest thing that helps", Note: "Tried once everybody else has had a turn.", Columns: []page.Column{{Title: "Pod"}, {Title: "Kind"}, {Title: "What helps"}}}
	for i := range m.List {
		one := &m.List[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{one.name(), string(one.Kind), one.Text}})
	}
	return t
}

// drainTable lists the drains of nodes. notes returns the pods to name for a drain.
func drainTable(title string, nodes []question.NodeDrain, notes func(*question.NodeDrain) []string) page.Table {
	t := page.Table{Title: title, Columns: []page.Column{{Title: "Node"}, {Title: "Evicted", Number: true}, {Title: "Of", Number: true}, {Title: "Pods"}}}
	for i := range nodes {
		n := &nodes[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{n.Node, strconv.Itoa(n.Evicted), strconv.Itoa(n.Pods), list(notes(n), n.MoreHeld+n.MorePending, 0)}})
	}
	return t
}

// budgetTable lists the budgets that hold drains up.
func (r *Report) budgetTable() page.Table {
	t := page.Table{Title: "Budgets that hold drains up", Columns: []page.Column{{Title: "Budget"}, {Title: "Allowed", Number: true}, {Title: "Nodes", Number: true}, {Title: "For ever", Number: true}}}
	for _, b := range r.Drains.Budgets {
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Nodes), strconv.Itoa(b.Stuck)}})
	}
	return t
}

// reachTable counts the pods that each class could push out, and names the first namespaces with their numbers.
func (r *Report) reachTable() page.Table {
	t := page.Table{Title: "Who could be pushed out by new pods", Note: "By priority alone, and where they would be recreated.", Columns: []page.Column{
		{Title: "Class"}, {Title: "Value", Number: true}, {Title: "Pods", Number: true}, {Title: "Elsewhere", Number: true},
		{Title: "No place", Number: true}, {Title: "Not recreated", Number: true}, {Title: "Same node", Number: true}, {Title: "Not asked", Number: true},
	}}
	for i := range r.Reach {
		one := &r.Reach[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: append([]string{one.Class, strconv.Itoa(int(one.Value))}, one.cells()...)})
		for j := range one.Namespaces[:min(len(one.Namespaces), 10)] {
			n := &one.Namespaces[j]
			t.Rows = append(t.Rows, page.TableRow{Cells: append([]string{"  in " + n.Namespace, ""}, n.cells()...)})
		}
	}
	return t
}

// roomTable lists the room of each class.
func (r *Report) roomTable() page.Table {
	t := page.Table{Title: "Room by class", Note: "By amounts alone: free, and with all pods of lower priority gone.", Columns: []page.Column{
		{Title: "Class"}, {Title: "Resource"}, {Title: "Offered", Number: true}, {Title: "Room", Number: true}, {Title: "On one node", Number: true},
	}}
	for i := range r.Headroom {
		h := &r.Headroom[i]
		class := h.Class
		if class == "" {
			class = "free"
		}
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{class, string(h.Resource), amount.Text(h.Resource, h.Offered), amount.Text(h.Resource, h.Free), amount.Text(h.Resource, h.OnOne)}})
	}
	return t
}

// findingTable lists the findings.
func (r *Report) findingTable() page.Table {
	t := page.Table{Title: "Priority classes", Columns: []page.Column{{Title: "Class"}, {Title: "Finding"}}}
	for i := range r.Findings {
		f := &r.Findings[i]
		text := f.text()
		if f.Wrong {
			text = "wrong: " + text
		}
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{f.Class, text}})
	}
	return t
}

// Overview draws the comparison as a page about the snapshot of the later report. It is the page of that report
// with the changes before everything else.
func (c *Comparison) Overview(snap *engine.Snapshot, pod *outrank.Pod) *page.Overview {
	o := c.Now.Overview(snap, pod)
	o.Title, o.Headline = "What has changed", strings.TrimSuffix(c.summary(), ".")
	o.Summary = strings.Join(c.Now.summary(), " ")

	var changed []page.Table
	for rest := c.Changes; len(rest) > 0; {
		n := sameSection(rest)
		t := page.Table{Title: "Changed: " + rest[0].Section.title(), Columns: []page.Column{{Title: "What"}, {Title: "Before"}, {Title: "Now"}, {Title: ""}}}
		shown := min(n, page.MostRows)
		for _, d := range rest[:shown] {
			t.Rows = append(t.Rows, page.TableRow{Cells: d.cells()})
		}
		t.More = n - shown
		changed, rest = append(changed, t), rest[n:]
	}
	o.Tables = append(changed, o.Tables...)
	return o
}
