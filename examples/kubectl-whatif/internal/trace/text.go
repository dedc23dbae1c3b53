package trace

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption"
)

// stepsEach is the number of steps shown on a node, per node that the limit allows.
const stepsEach = 4

// WriteText prints the trace for people: at most limit nodes, and stepsEach times as many steps of each, or a
// few more. A limit below 1 counts as 1.
func (t *Trace) WriteText(p console.Page, limit int) {
	if text := t.nothing(); text != "" {
		p.Line("\nStep by step: %s.", text)
		return
	}

	limit = max(limit, 1)
	shown := min(len(t.Nodes), limit)
	for i := range t.Nodes[:shown] {
		n := &t.Nodes[i]
		p.Line("\nStep by step, node %s:", n.Node+n.role(t))
		n.write(p, limit)
	}

	if more := len(t.Nodes) - shown + t.MoreNodes; more > 0 {
		p.Line("\nAnd %d more nodes where pods are taken away", more)
	}
	if t.NotTried > 0 {
		p.Line("\n%d more %s not tried, as no eviction helps there", t.NotTried, map[bool]string{true: "node is", false: "nodes are"}[t.NotTried == 1])
	}

	if text := t.ranks(); text != "" {
		p.Line("\n%s", text)
	}
	for i := range t.Rounds {
		p.Line("  %s", t.Rounds[i].text())
	}
}

// write prints the answers of a node, and its steps up to a bound that depends on limit.
func (n *Node) write(p console.Page, limit int) {
	p.Line("  as it is: %s", n.AsItIs.text())
	p.Line("  %s", n.emptied())
	if len(n.Steps) == 0 {
		return
	}

	// Dividing instead of multiplying avoids an overflow with a large limit. It may show up to three steps more
	// than the product would.
	steps := len(n.Steps)
	if limit < steps/stepsEach {
		steps = limit * stepsEach
	}

	p.Line("  put back one by one, %s:", orderText)
	rows := console.Table{Right: map[int]bool{0: true, 2: true}, Spare: []int{3}}
	rows.Head("#", "POD", "PRIORITY", "BREAKS", "PUT BACK", "BECAUSE")
	for i := range n.Steps[:steps] {
		s := &n.Steps[i]
		rows.Add(strconv.Itoa(i+1), string(s.Pod)+s.with(), strconv.Itoa(int(s.Priority)), keys(s.Breaks), s.outcome(), s.Check.text())
	}
	rows.Print(p)
	if more := len(n.Steps) - steps; more > 0 {
		p.Line("     and %d more steps", more)
	}
}

// orderText says in which order pods are put back.
const orderText = "those whose leaving breaks a budget first, the most important at the head"

// nothing says why there are no steps to show. It is empty if there are some.
func (t *Trace) nothing() string {
	switch t.Outcome {
	case preemption.Fits:
		return "a node takes the pod as things are, so nobody is taken away"
	case preemption.NotEligible:
		return "the pod may not push others out, so nobody is taken away"
	}
	if len(t.Nodes) == 0 {
		return "no node is tried, as no eviction helps on any"
	}
	return ""
}

// role says which part the node plays in the decision.
func (n *Node) role(t *Trace) string {
	switch {
	case n.Chosen:
		return ", which is chosen"
	case n.Emptied.Fits:
		return ", a candidate"
	}
	return ", where it does not help"
}

// emptied returns the node's answer once all pods that could leave are gone.
func (n *Node) emptied() string {
	if n.Possible == 0 {
		return "nobody there could leave"
	}
	who := fmt.Sprintf("with the %d pods gone that could leave: ", n.Possible)
	if n.Possible == 1 {
		who = "with the 1 pod gone that could leave: "
	}
	return who + n.Emptied.text()
}

// text puts a node's answer into a few words. If amounts are short, they replace the reasons.
func (c *Check) text() string {
	if c.Fits {
		return "the pod fits"
	}

	var parts []string
	for _, s := range c.Short {
		parts = append(parts, fmt.Sprintf("%s: %s needed, %s free", s.Resource, amount.Text(s.Resource, s.Needed), amount.Text(s.Resource, s.Free)))
	}
	text := strings.Join(c.Reasons, ", ")
	if len(parts) > 0 {
		text = strings.Join(parts, "; ")
	}
	if c.Filter != "" {
		text = c.Filter + ": " + text
	}
	return text
}

// outcome says whether the pod stays.
func (s *Step) outcome() string {
	if s.Stays {
		return "stays"
	}
	return "leaves"
}

// with names the pods that share the pod's fate.
func (s *Step) with() string {
	if len(s.With) == 0 {
		return ""
	}
	return " with " + keys(s.With)
}

// keys lists the first few keys, and counts the others.
func keys(list []outrank.Key) string {
	const most = 3
	var out []string
	for _, key := range list[:min(len(list), most)] {
		out = append(out, string(key))
	}
	text := strings.Join(out, ", ")
	if more := len(list) - len(out); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// ranks introduces the rounds.
func (t *Trace) ranks() string {
	switch {
	case t.Chosen == "":
		return ""
	case t.Candidates == 1:
		return t.Chosen + " is the only candidate, so nothing is compared."
	}
	return fmt.Sprintf("The %d candidates are compared, rank by rank, until %s is left:", t.Candidates, t.Chosen)
}

// text says on a line which nodes a round leaves.
func (r *Round) text() string {
	left := listed(r.Left, r.MoreLeft)
	if r.rank == "" {
		return r.Rank + ": " + left
	}
	text := fmt.Sprintf("%s: %s on %s", r.Rank, r.Best, left)
	if len(r.Out) == 0 {
		return text + "; nobody is out"
	}
	return text + "; out: " + r.out()
}

// out names the nodes that leave the comparison.
func (r *Round) out() string {
	var out []string
	for _, o := range r.Out {
		text := o.Node
		if o.Figure != "" {
			text += " (" + o.Figure + ")"
		}
		out = append(out, text)
	}
	return listed(out, r.MoreOut)
}

// listed joins names, and says how many more there are.
func listed(names []string, more int) string {
	text := strings.Join(names, ", ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Tables returns the trace as tables of a page: one for each node, and one for the ranks.
func (t *Trace) Tables() (out []page.Table) {
	if text := t.nothing(); text != "" {
		return []page.Table{{Title: "Step by step", Text: text}}
	}

	for i := range t.Nodes {
		out = append(out, t.Nodes[i].table(t))
	}
	return append(out, t.ranksTable())
}

// table has the steps of a node, with at most as many rows as a page shows.
func (n *Node) table(t *Trace) page.Table {
	table := page.Table{
		Title: "Step by step: node " + n.Node + n.role(t), Note: "As it is: " + n.AsItIs.text() + ". " + capital(n.emptied()) + ".",
		Columns: []page.Column{{Title: "#", Number: true}, {Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Put back"}},
	}
	if len(n.Steps) == 0 {
		table.Text = "Nobody is put back."
	} else {
		table.Note += " Put back one by one, " + orderText + "."
	}

	shown := min(len(n.Steps), page.MostRows)
	for i := range n.Steps[:shown] {
		s := &n.Steps[i]
		notes := []string{s.Check.text()}
		if len(s.Breaks) > 0 {
			notes = append(notes, "its leaving breaks "+keys(s.Breaks))
		}
		table.Rows = append(table.Rows, page.TableRow{
			Cells: []string{strconv.Itoa(i + 1), string(s.Pod) + s.with(), strconv.Itoa(int(s.Priority)), s.outcome()}, Notes: notes,
		})
	}
	table.More = len(n.Steps) - shown
	return table
}

// ranksTable has the rounds, and says how many nodes the other tables leave out.
func (t *Trace) ranksTable() page.Table {
	ranks := page.Table{Title: "Step by step: the ranks", Note: t.ranks(), Columns: []page.Column{{Title: "Better is"}, {Title: "Best"}, {Title: "Left"}}}
	for i := range t.Rounds {
		r := &t.Rounds[i]
		row := page.TableRow{Cells: []string{r.Rank, r.Best, listed(r.Left, r.MoreLeft)}}
		if len(r.Out) > 0 {
			row.Notes = []string{"out: " + r.out()}
		}
		ranks.Rows = append(ranks.Rows, row)
	}

	var rest []string
	if t.MoreNodes > 0 {
		rest = append(rest, fmt.Sprintf("%d more nodes where pods are taken away.", t.MoreNodes))
	}
	if t.NotTried > 0 {
		rest = append(rest, fmt.Sprintf("%d more not tried, as no eviction helps there.", t.NotTried))
	}
	if len(ranks.Rows) == 0 {
		ranks.Text = strings.Join(append(rest, "Nothing is compared."), "\n")
	} else if len(rest) > 0 {
		ranks.Note += " " + strings.Join(rest, " ")
	}
	return ranks
}

// capital returns a text with a capital first letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
