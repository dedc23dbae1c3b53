package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
)

// text writes the document for a person.
func (doc *Document) text(p console.Page, list int) {
	switch {
	case doc.Pod != nil && doc.Why != "":
		p.Line("Why %s, or why not, for %s in %s, both ways?", doc.Why, doc.Pod.Key, doc.Cluster.Source)
	case doc.Pod != nil:
		p.Line("Who has to leave for %s and its devices in %s, both ways?", doc.Pod.Key, doc.Cluster.Source)
	default:
		p.Line("What becomes of all pods that wait in %s, both ways?", doc.Cluster.Source)
	}

	c := &doc.Cluster
	p.Line("  cluster    %s, %s of which %d pending", console.Plural(c.Nodes, "node"), console.Plural(c.Pods, "pod"), c.Pending)
	p.Line("  devices    %s of %s, %s of which %d hold some", console.Plural(c.Devices, "device"), console.Plural(c.Drivers, "driver"), console.Plural(c.Claims, "claim"), c.Allocated)
	p.Line("  rules      of Kubernetes %v (%s), and %s", c.Release, c.ReleaseFrom, noRelease)
	if !doc.Now.IsZero() {
		p.Line("  as of      %s UTC", doc.Now.UTC().Format(time.DateTime))
	}
	if doc.Pod != nil {
		doc.Pod.write(p)
	}

	if len(doc.Caveats) > 0 {
		p.Line("\nBefore you rely on this:")
		var texts []string
		for _, w := range doc.Caveats {
			texts = append(texts, w.text())
		}
		p.Items(texts)
	}

	if doc.Both != nil {
		doc.Both.text(p, list)
	} else {
		doc.turns(p, list)
	}
}

// write writes the pod in question with its claims.
func (a *podAsked) write(p console.Page) {
	if a.Template != "" {
		number := "which makes one for each node that takes it"
		if a.Replicas > 0 {
			number = "which asks for " + console.Plural(a.Replicas, "pod")
		}
		p.Line("  made by    %s, %s; this is about one of them", a.Template, number)
	}
	p.Line("  priority   %d%s", a.Priority, inBrackets(a.PriorityClass))
	for i := range a.Claims {
		p.Line("  claim      %s", a.Claims[i].text())
	}
}

// text returns a caveat in words. A caveat about the dump is a sentence; any other begins with its object.
func (c caveat) text() string {
	if c.Object == "the dump" {
		return c.Object + " " + c.Text
	}
	return c.String()
}

// inBrackets returns a text in brackets, to be appended to another one. It is empty if the text is.
func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

// text describes a claim of the pod in question.
func (c *asked) text() string {
	if len(c.Devices) > 0 {
		return fmt.Sprintf("%s: has %s", c.Name, some(c.Devices, mostNear))
	}
	return fmt.Sprintf("%s: %s", c.Name, c.Wants)
}

// text writes the answers of both ways, and then which devices the pod lacks, node by node.
func (b *both) text(p console.Page, list int) {
	for _, w := range []*way{b.Release, b.Proposed} {
		p.Line("")
		style := console.Green
		if w.Outcome == preemption.Preempts {
			style = console.Yellow
		} else if w.Outcome != preemption.Fits {
			style = console.Red
		}
		p.Line("%s", console.Styled{Text: w.Says, Style: style})
		w.text(p, list)
	}

	if len(b.Short) > 0 {
		p.Line("\nThe devices, node by node (who may leave goes by priority; claims come free %s):", noRelease)
	}
	for i := range b.Short {
		lines := b.Short[i].Lines
		p.Line("  %s", lines[0])

		// The last line sums up, and is always shown.
		shown := lines[1:]
		if len(shown) > list+1 && list != everything {
			p.Items(shown[:list])
			p.Line("    and %d more claims", len(shown)-list-1)
			shown = shown[len(shown)-1:]
		}
		p.Items(shown)
	}
	if b.MoreShort > 0 {
		p.Line("  and %d more nodes that the pod's claims are in the way of; --why-not NODE tells of one, --list of more", b.MoreShort)
	}
}

// text writes the details of the answer of a way.
func (w *way) text(p console.Page, list int) {
	if w.Outcome == preemption.Preempts {
		w.victims(p)
	}
	for _, g := range w.Devices {
		p.Line("  claim %s gets %s", g.Claim, some(g.Devices, mostNear))
	}
	if w.Outcome == preemption.Preempts && w.Why.Choice != nil {
		p.Items(w.Why.Choice.Texts())
	}

	// Before evictions both ways turn down the same nodes, so that one list of them suffices.
	if w.Outcome == preemption.NothingHelps || w.Outcome == preemption.NotEligible {
		if w.Rules != kep {
			counted(p, "As things are:", w.Turned, list)
		}
		counted(p, "With all pods gone that may leave:", w.Helpless, list)
	}

	if w.Plugin != "" {
		p.Items([]string{w.Plugin})
	}
	if e := w.Exact; e != nil {
		p.Say("  %s", e.text())
	}
}

// victims writes a row for each pod that has to leave.
func (w *way) victims(p console.Page) {
	t := console.Table{Right: map[int]bool{0: true, 2: true}, Spare: []int{3}}
	t.Head("#", "POD", "PRIORITY", "CLASS", "FREES")
	for i := range w.Victims {
		v := &w.Victims[i]
		t.Add(fmt.Sprint(i+1), string(v.Key), fmt.Sprint(v.Priority), v.Class, orNone(v.Frees))
		if v.Owner != "" {
			t.Note("owner %s", v.Owner)
		}
		if len(v.Budgets) > 0 {
			t.Note("breaks budget %s", keys(v.Budgets, mostNear))
		}
	}
	t.Print(p)
}

// counted writes the first entries of a list of answers below a title.
func counted(p console.Page, title string, counts []count, list int) {
	if len(counts) == 0 {
		return
	}
	p.Line("  %s", title)
	for i := range counts[:min(len(counts), list)] {
		c := &counts[i]
		by := ""
		if c.Filter != "" {
			by = " (" + c.Filter + ")"
		}
		p.Line("    %s: %s%s: %s", console.Plural(c.Nodes, "node"), some(c.Reasons, mostNear), by, some(c.Names, mostNear))
	}
	if more := len(counts) - list; more > 0 {
		p.Line("    and %d more answers", more)
	}
}

// text compares the answer with the best one, in a sentence.
func (e *exact) text() string {
	if e.Best != preemption.Preempts {
		return fmt.Sprintf("The best answer by the same ranks: nobody leaves (%s)%s.", said(e.Best), sure(e.Sure))
	}
	if e.Better == "" {
		return fmt.Sprintf("The best answer by the same ranks is as good as this one%s.", sure(e.Sure))
	}
	return fmt.Sprintf("The best answer by the same ranks is better by %s: %s on node %s would have to leave, %s%s.", e.Better, console.Plural(len(e.Victims), "pod"), e.Node, keys(e.Victims, mostNear), sure(e.Sure))
}

// sure says how certain it is that the best answer is the best, if that is known.
func sure(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

// keys lists at most most keys, and says how many more there are.
func keys(list []outrank.Key, most int) string {
	var names []string
	for _, k := range list {
		names = append(names, string(k))
	}
	return some(names, most)
}

// orNone lists keys for a cell of a table, which is "-" without keys.
func orNone(list []outrank.Key) string {
	if len(list) == 0 {
		return "-"
	}
	return keys(list, mostNear)
}

// turns writes what becomes of all waiting pods.
func (doc *Document) turns(p console.Page, list int) {
	p.Line("\nPods take their turns by priority, and those of one priority as the dump has them, each to the end: who is pushed out is gone,")
	p.Line("and does not come back here. A pod that fits goes to the first node that takes it; kube-scheduler goes by scores.\n")

	t := console.Table{Right: map[int]bool{1: true}}
	t.Head("POD", "PRIORITY", strings.ToUpper(doc.Cluster.Release.String()), "DRAPREEMPTION")

	// All turns are compared, even those that are not shown.
	differ := 0
	for i := range doc.Turns {
		one := &doc.Turns[i]
		if one.Release.brief() != one.Proposed.brief() {
			differ++
		}
		if list != everything && i >= max(list, 20) {
			continue
		}

		t.Add(string(one.Pod), fmt.Sprint(one.Priority), one.Release.brief(), one.Proposed.brief())
		for _, note := range []struct {
			by string
			of *turn
		}{{doc.Cluster.Release.String(), &one.Release}, {"DRAPreemption", &one.Proposed}} {
			if text := note.of.detail(); text != "" {
				t.Note("%s: %s", note.by, text)
			}
		}
	}

	if len(doc.Turns) == 0 {
		p.Line("No pod is pending.")
		return
	}

	t.Print(p)
	if more := len(doc.Turns) - max(list, 20); more > 0 && list != everything {
		p.Line("  and %d more; --list 0 has all", more)
	}
	p.Line("\nOf %s %d would fare differently with DRAPreemption.", console.Plural(len(doc.Turns), "pending pod"), differ)
}

// brief describes a turn in a cell of a table.
func (t *turn) brief() string {
	switch t.Outcome {
	case placed:
		return "fits on " + t.Node
	case pushesOut:
		return fmt.Sprintf("pushes %s out of %s", console.Plural(len(t.Victims), "pod"), t.Node)
	}
	return "waits"
}

// detail says about a turn what brief leaves out.
func (t *turn) detail() string {
	var parts []string
	if t.Reason != "" {
		parts = append(parts, t.Reason)
	}

	if len(t.Victims) > 0 {
		leave := keys(t.Victims, mostNear) + " would leave"
		if len(t.Frees) > 0 {
			leave += ", which frees " + keys(t.Frees, mostNear)
		}
		parts = append(parts, leave)
	}

	if len(t.Devices) > 0 {
		var devices []string
		for _, g := range t.Devices {
			devices = append(devices, g.Devices...)
		}
		slices.Sort(devices)
		parts = append(parts, "the pod gets "+some(devices, mostNear))
	}
	return strings.Join(parts, "; ")
}

// said writes an outcome with spaces in place of hyphens.
func said(o preemption.Outcome) string { return strings.ReplaceAll(string(o), "-", " ") }
