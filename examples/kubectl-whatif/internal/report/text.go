package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// WriteText prints the report for people, at most limit entries of each list, or all if limit is 0. The error
// is that of w.
func (r *Report) WriteText(w io.Writer, limit int) error {
	out := pageOn(w)
	for _, line := range r.summary() {
		out.say("%s", line)
	}
	out.heading("Pending")
	if err := r.Waiting.WriteText(out.Page, limit); err != nil {
		return err
	}
	r.Remedies.write(out, limit)

	out.heading("Drains, one node at a time")
	writeDrains(out, r.Drains, limit)
	out.heading("Who could be pushed out")
	r.writeReach(out, limit)
	out.heading("Room by class")
	r.writeRoom(out)
	out.heading("Priority classes")
	r.writeFindings(out, limit)
	return out.To(w)
}

// summary sums up the report in a few sentences. The first one is about the pending pods.
func (r *Report) summary() []string {
	out := []string{pendingSentence(r.Waiting)}

	// Unless every drain was played to its end, it is not known that all drains end.
	d := r.Drains
	switch stuck := len(d.Stuck); {
	case stuck > 0:
		out = append(out, fmt.Sprintf("The drain of %d of %s never ends.", stuck, console.Plural(d.Nodes, "node")))
	case len(d.Undecided) == 0:
		out = append(out, "Every node can be drained by itself.")
	}
	if len(d.Crowded) > 0 {
		out = append(out, fmt.Sprintf("The drain of %s leaves pods without a place.", console.Plural(len(d.Crowded), "other node")))
	}

	if top := r.topReach(); top != nil && top.Pods > 0 {
		out = append(out, fmt.Sprintf("New pods of class %s could push out %s, of which %d would find no place elsewhere or are not recreated.",
			top.Class, console.Plural(top.Pods, "running pod"), top.NoRoom+top.Lost))
	}

	wrong := 0
	for i := range r.Findings {
		if r.Findings[i].Wrong {
			wrong++
		}
	}
	if wrong > 0 {
		out = append(out, subject(wrong, "thing", "is", "are")+" wrong with the priority classes.")
	}
	return out
}

// pendingSentence says how many pods wait, how many find no place, and how many have to leave.
func pendingSentence(waiting *question.Pending) string {
	n := waiting.Totals
	homeless := n.Waits + n.Unplaced
	switch {
	case n.Pods == 0:
		return "No pod is pending."
	case homeless == 0 && n.Victims == 0:
		return subject(n.Pods, "pod", "is", "are") + " pending, and nobody has to leave."
	}
	return fmt.Sprintf("%s pending: %d %s no place, and %s to leave for the others.",
		subject(n.Pods, "pod", "is", "are"), homeless, verb(homeless, "finds", "find"), subject(n.Victims, "pod", "has", "have"))
}

// topReach returns the reach of the highest class that does not belong to the system. It is nil if there is
// none.
func (r *Report) topReach() *Reach {
	for i := range r.Reach {
		if !strings.HasPrefix(r.Reach[i].Class, "system-") {
			return &r.Reach[i]
		}
	}
	return nil
}

// write prints at most limit remedies.
func (m *Remedies) write(out *paper, limit int) {
	if len(m.List)+m.NotAsked == 0 {
		return
	}

	out.line("")
	out.say("The cheapest thing that helps, tried once everybody else has had a turn:")

	shown := bounded(len(m.List), limit)
	var rows console.Table
	for i := range m.List[:shown] {
		one := &m.List[i]
		rows.Add(one.name(), string(one.Kind))
		rows.Note("  %s", one.Text)
	}
	rows.Print(out.Page)
	out.more(len(m.List) - shown)
	if m.NotAsked > 0 {
		out.say("For %s more nothing was tried.", console.Plural(m.NotAsked, "pod"))
	}
}

// name names the pod, and says for how many others it stands.
func (m *Remedy) name() string {
	if m.Pods == 1 {
		return string(m.Pod)
	}
	return fmt.Sprintf("%s and %d more of %s", m.Pod, m.Pods-1, m.Owner)
}

// writeDrains prints how many drains end and how, and names the drains that do not end well.
func writeDrains(out *paper, d *question.DrainSurvey, limit int) {
	out.say("Of %s, %d %s at once, %d as replacements become ready, and %d never.", console.Plural(d.Nodes, "node"), d.AtOnce, verb(d.AtOnce, "empties", "empty"), d.Slow, len(d.Stuck))
	if n := len(d.Undecided); n > 0 {
		out.say("Budgets hold up the drain of %s more; whether it ends was not tried, because %d turns had been taken: %s.", console.Plural(n, "node"), d.Most, names(d.Undecided, limit))
	}

	stuck := drainList{"Drains that never end:", d.Stuck, func(n *question.NodeDrain) string {
		texts := make([]string, 0, len(n.Held))
		for i := range n.Held {
			texts = append(texts, string(n.Held[i].Pod.Key)+" by "+names(n.Held[i].Budgets, 0))
		}
		return "held: " + list(texts, n.MoreHeld, limit)
	}}
	stuck.write(out, limit)
	crowded := drainList{"Drains that end and leave pods without a place:", d.Crowded, func(n *question.NodeDrain) string {
		return "pending: " + list(pendingTexts(n), n.MorePending, limit)
	}}
	crowded.write(out, limit)
	if d.Unfollowed > 0 {
		out.say("Where the pods of %s go that %s at once was not tried, because %d turns had been taken.", console.Plural(d.Unfollowed, "node"), verb(d.Unfollowed, "empties", "empty"), d.Most)
	}
	writeHolds(out, d.Budgets, limit)
}

// writeHolds prints at most limit of the budgets that hold drains up.
func writeHolds(out *paper, budgets []question.BudgetHold, limit int) {
	if len(budgets) == 0 {
		return
	}

	out.line("")
	out.line("Budgets that hold drains up:")
	rows := console.Table{Right: map[int]bool{1: true, 2: true, 3: true}}
	rows.Head("BUDGET", "ALLOWED", "NODES", "NEVER")
	shown := bounded(len(budgets), limit)
	for _, b := range budgets[:shown] {
		rows.Add(string(b.Key), strconv.Itoa(int(b.Allowed)), strconv.Itoa(b.Nodes), strconv.Itoa(b.Stuck))
		if b.Several > 0 {
			rows.Note("  on %s no eviction of a pod is let through, because several budgets cover it", console.Plural(b.Several, "node"))
		}
	}
	rows.Print(out.Page)
	out.more(len(budgets) - shown)
}

// drainList is a list of the drains of nodes, with a note for each.
type drainList struct {
	title string
	nodes []question.NodeDrain
	note  func(*question.NodeDrain) string
}

// write prints at most limit drains. It prints nothing if there are none.
func (l *drainList) write(out *paper, limit int) {
	if len(l.nodes) == 0 {
		return
	}

	out.line("")
	out.line("%s", l.title)
	rows := console.Table{Right: map[int]bool{1: true}}
	rows.Head("NODE", "EVICTED")
	shown := bounded(len(l.nodes), limit)
	for i := range l.nodes[:shown] {
		n := &l.nodes[i]
		rows.Add(n.Node, fmt.Sprintf("%d of %d", n.Evicted, n.Pods))
		rows.Note("  %s", l.note(n))
	}
	rows.Print(out.Page)
	out.more(len(l.nodes) - shown)
}

// writeReach prints how many running pods each class could push out, with the first namespaces of each.
func (r *Report) writeReach(out *paper, limit int) {
	if len(r.Reach) == 0 {
		out.line("No class may push anybody out.")
		return
	}

	how := ""
	if r.Fates.Tried > 0 {
		how = " One pod of each of " + console.Plural(r.Fates.Tried, "controller") + " was taken away and asked about, its own node left out; the others of it count as it does."
	}
	if r.Fates.NotTried > 0 {
		how += " For " + console.Plural(r.Fates.NotTried, "controller") + " more nobody was asked."
	}
	out.say("Running pods with a lower priority than new pods of a class have, and where they would be recreated.%s", how)

	rows := console.Table{Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}}
	rows.Head("CLASS", "VALUE", "PODS", "ELSEWHERE", "NO PLACE", "NOT RECREATED", "SAME NODE", "NOT ASKED")

	// The note below the row of a class names its first namespaces.
	for i := range r.Reach {
		one := &r.Reach[i]
		rows.Add(append([]string{one.Class, strconv.Itoa(int(one.Value))}, one.cells()...)...)
		shown := bounded(len(one.Namespaces), limit)
		texts := make([]string, shown)
		for j := range one.Namespaces[:shown] {
			texts[j] = one.Namespaces[j].text()
		}
		if shown > 0 {
			rows.Note("  %s", list(texts, len(one.Namespaces)-shown, 0))
		}
	}
	rows.Print(out.Page)
}

// cells returns the counts as texts. A count of 0 is left empty, except for the number of all pods.
func (c *Count) cells() []string {
	out := []string{strconv.Itoa(c.Pods)}
	for _, n := range []int{c.Elsewhere, c.NoRoom, c.Lost, c.Tied, c.Unknown} {
		text := ""
		if n > 0 {
			text = strconv.Itoa(n)
		}
		out = append(out, text)
	}
	return out
}

// text says how many pods of the namespace could be pushed out, and how many would have no place.
func (n *NamespaceReach) text() string {
	text := fmt.Sprintf("%d of %s", n.Pods, n.Namespace)
	if gone := n.NoRoom + n.Lost; gone > 0 {
		text += fmt.Sprintf(" (%d without a place)", gone)
	}
	return text
}

// writeRoom prints the room of each class in a table with a row for each class and a column for each resource.
func (r *Report) writeRoom(out *paper) {
	out.say("By amounts alone: what is free, and what would be with all pods of lower priority gone; most on one node in brackets.")
	if r.Closed > 0 {
		out.say("%s cordoned, and left out.", subject(r.Closed, "node", "is", "are"))
	}

	resources, classes, amounts := r.roomByClass()
	head := []string{"CLASS"}
	for _, name := range resources {
		head = append(head, strings.ToUpper(string(name)))
	}
	rows := console.Table{}
	rows.Head(head...)
	for _, class := range classes {
		cells := []string{class}
		if class == "" {
			cells[0] = "free"
		}
		for _, name := range resources {
			cells = append(cells, amounts[name][class])
		}
		rows.Add(cells...)
	}
	rows.Print(out.Page)
}

// roomByClass returns the resources and the classes in their order, and the texts of the amounts of each
// resource by class. Every resource of the report has the same classes, so that the first one gives the order.
func (r *Report) roomByClass() (resources []resource.Name, classes []string, amounts map[resource.Name]map[string]string) {
	amounts = map[resource.Name]map[string]string{}
	for i := range r.Headroom {
		h := &r.Headroom[i]
		if amounts[h.Resource] == nil {
			amounts[h.Resource] = map[string]string{}
			resources = append(resources, h.Resource)
		}
		if len(resources) == 1 {
			classes = append(classes, h.Class)
		}
		amounts[h.Resource][h.Class] = h.text("%s (%s)")
	}
	return resources, classes, amounts
}

// writeFindings prints at most limit findings.
func (r *Report) writeFindings(out *paper, limit int) {
	if len(r.Findings) == 0 {
		out.line("Nothing is odd about them.")
		return
	}

	shown := bounded(len(r.Findings), limit)
	var rows console.Table
	for i := range r.Findings[:shown] {
		f := &r.Findings[i]
		kind := "note"
		if f.Wrong {
			kind = "wrong"
		}
		rows.Add(kind, f.Class, f.text())
	}
	rows.Print(out.Page)
	out.more(len(r.Findings) - shown)
}

// text says the finding, and names the first of its pods.
func (f *Finding) text() string {
	if f.Example == "" {
		return f.Text
	}
	return f.Text + ": " + string(f.Example) + more(f.Pods-1)
}

// more says that there are n more. It is empty if n is 0.
func more(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// list joins at most limit texts, or all if limit is 0. It counts the rest, together with others that are not
// among the texts.
func list(texts []string, others, limit int) string {
	shown := bounded(len(texts), limit)
	return strings.Join(texts[:shown], ", ") + more(len(texts)-shown+others)
}

// names joins at most limit names, or all if limit is 0.
func names[T ~string](all []T, limit int) string {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = string(all[i])
	}
	return list(texts, 0, limit)
}

// bounded returns how many of n things are shown. A limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}

// paper collects lines for people, wrapped to the width of a page.
type paper struct{ *console.Sheet }

// pageOn returns a paper as wide as the page of w.
func pageOn(w io.Writer) *paper { return &paper{console.SheetFor(w)} }

// line writes a line.
func (p *paper) line(format string, args ...any) { p.Line(format, plain(args)...) }

// more says that a list has n more entries. It writes nothing if n is not positive.
func (p *paper) more(n int) {
	if n > 0 {
		p.line("  and %d more", n)
	}
}

// heading writes a heading in bold, below a blank line.
func (p *paper) heading(text string) {
	p.line("")
	p.line("%s", console.Styled{Text: text, Style: console.Bold})
}

// say writes running text.
func (p *paper) say(format string, args ...any) { p.Say(format, plain(args)...) }

// plain turns keys among the arguments into strings, which the sheet makes safe for a terminal.
func plain(args []any) []any {
	for i, a := range args {
		if key, ok := a.(outrank.Key); ok {
			args[i] = string(key)
		}
	}
	return args
}
