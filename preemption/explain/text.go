package explain

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/internal/rank"
	"github.com/outrank-go/outrank/resource"
)

// Text returns the report as text for people, in lines that begin with their subject. It uses only the fields of the
// report, so equal reports have equal texts. The report's lists bound its length.
func (r *Report) Text() string {
	w := &writer{}
	w.line(0, "%s", r.Summary())
	if r.Refused != nil {
		w.line(1, "%s", r.Refused.Text())
	}

	if r.Choice != nil {
		w.section(fmt.Sprintf("Why node %s:", prose.Name(r.Choice.Node)), r.Choice.Texts())
	}
	r.writeVictims(w)
	if r.Stay != nil {
		w.section("Who stays on the node:", r.Stay.Texts())
	}
	if texts := r.wayOut(); len(texts) > 0 {
		w.section("What is missing, and what would help:", texts)
	}
	r.writeNodes(w)
	return w.String()
}

// wayOut says in sentences what is missing, and what would help.
func (r *Report) wayOut() (out []string) {
	for i := range r.Nodes {
		if text := r.Nodes[i].Help(); text != "" {
			out = append(out, text)
		}
	}
	if r.Nothing != nil {
		out = append(out, r.Nothing.Texts()...)
	}
	return out
}

// writer writes indented lines.
type writer struct{ strings.Builder }

// section writes a title, and below it its lines.
func (w *writer) section(title string, lines []string) {
	w.line(0, "%s", title)
	for _, text := range lines {
		w.line(1, "%s", text)
	}
}

// line writes one line. Each level of indent is two spaces.
func (w *writer) line(indent int, format string, args ...any) {
	w.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(w, format, args...)
	w.WriteByte('\n')
}

// Summary returns the answer in one sentence.
func (r *Report) Summary() string {
	pod := r.Pod.text()
	switch r.Outcome {
	case preemption.Fits:
		if r.Resize {
			return "Nobody has to leave: the node has room for the resize of " + pod + "."
		}
		return fmt.Sprintf("Nobody has to leave: %s fits as things are.", pod)
	case preemption.NotEligible, preemption.NothingHelps:
		if r.Leaving != nil {
			return "Nobody else has to leave: " + pod + " " + r.Leaving.Text()
		}
		if r.Outcome == preemption.NotEligible {
			return fmt.Sprintf("Nobody leaves: %s fits nowhere, and may not push others out: %s", pod, ineligibleText(r.Ineligible))
		}
		return fmt.Sprintf("Nobody leaves: on no node would pushing others out make room for %s.", pod)
	}

	// The outcome is preempt.
	node := "a node"
	if r.Choice != nil {
		node = "node " + prose.Name(r.Choice.Node)
	}
	if r.Resize {
		return fmt.Sprintf("%s to leave %s so that %s can be resized there.", have(r.Victims.Len()), node, pod)
	}
	return fmt.Sprintf("%s to leave %s so that %s can run there.", have(r.Victims.Len()), node, pod)
}

// have begins a sentence about n pods: "1 pod has", "2 pods have".
func have(n int) string {
	if n == 1 {
		return "1 pod has"
	}
	return fmt.Sprintf("%d pods have", n)
}

// ineligibleText says why the pod may not push others out.
func ineligibleText(why preemption.Ineligibility) string {
	switch why {
	case "":
		return "unknown."
	case preemption.PolicyNever:
		return "its preemption policy is Never."
	case preemption.VictimsTerminating:
		return "victims of its earlier preemption are still leaving."
	case preemption.Nominated:
		return "it has a nomination already."
	case preemption.NoPriority:
		return "it has no priority."
	case preemption.Disabled:
		return "preemption is disabled."
	}
	if text := refusalOf(why); text != "" {
		return "the caller's rule says: " + strings.TrimSuffix(prose.Text(text), ".") + "."
	}
	return why.Message()
}

// Texts says in sentences why the node was chosen.
func (c *Choice) Texts() []string {
	if c.RunnerUp.Node == "" {
		return []string{"It is the only node on which pushing pods out makes room."}
	}
	out := []string{c.decided()}
	if c.Candidates > 2 && len(c.Rounds) > 0 {
		parts := make([]string, len(c.Rounds))
		for i, r := range c.Rounds {
			parts[i] = fmt.Sprintf("%d by %s", r.Left, RankText(r.Rank))
		}
		out = append(out, fmt.Sprintf("Of %s there are left, by one rank after the other: %s.", prose.Plural(c.Candidates, "candidate"), strings.Join(parts, ", ")))
	}
	return out
}

// decided says which rank decided, with the values of both candidates. Without such a rank the order of the
// nodes decided.
func (c *Choice) decided() string {
	other, won := prose.Name(c.RunnerUp.Node), rank.Won(c.DecidedBy)
	if won == "" {
		return fmt.Sprintf("It equals %s in every rank and comes first in the order of the nodes.", other)
	}

	text := fmt.Sprintf("%s: %s against %s on %s", won, valueText(c.DecidedBy, &c.Score, &c.RunnerUp.Score), valueText(c.DecidedBy, &c.RunnerUp.Score, &c.Score), other)
	if c.DecidedBy == rank.Violations {
		text += fmt.Sprintf(", where %s would break", keysText(c.RunnerUp.Budgets))
	}
	return text + "."
}

// RankText returns the words for what the rank of a name prefers, such as "fewer victims". For the empty name and for
// "node-order", which stand for no rank, it says that all are equal.
func RankText(name string) string { return rank.Text(name) }

// valueText returns the value of s in a rank, in the form in which it is compared with other.
func valueText(by string, s, other *preemption.Score) string {
	switch by {
	case rank.Start:
		return moment(s.Start)
	case rank.PrioritySum:
		return sumText(s, other.Victims)
	}
	return fmt.Sprint(preemption.Rank{Name: by}.Of(*s))
}

// sumText returns a sum of priorities. Sums are compared with 2^31 added for each victim (rule 11.4); that part is left
// out if both candidates have the same number of victims.
func sumText(s *preemption.Score, others int) string {
	if s.Victims == others {
		return fmt.Sprint(plainSum(s))
	}
	return fmt.Sprintf("%d × 2^31 %+d", s.Victims, plainSum(s))
}

// writeVictims says why each victim leaves, and which budgets that breaks.
func (r *Answer) writeVictims(w *writer) {
	if len(r.Victims.Items) == 0 {
		return
	}

	w.line(0, "Why each victim, the most important first:")
	for i := range r.Victims.Items {
		w.line(1, "%s", r.Victims.Items[i].Text())
	}
	if r.Victims.More > 0 {
		w.line(1, "and %s more", prose.Plural(r.Victims.More, "victim"))
	}

	for i := range r.Budgets.Items {
		b := &r.Budgets.Items[i]
		w.line(1, "Budget %s allows %s and breaks by losing %s.", prose.Name(b.Key), prose.Plural(int(b.Allowed), "disruption"),
			keysText(b.Victims))
	}
	if r.Budgets.More > 0 {
		w.line(1, "%s more would break.", prose.Plural(r.Budgets.More, "budget"))
	}
}

// Text says in a sentence why the pod has to leave.
func (v *Victim) Text() string {
	text := v.Pod.text()
	switch {
	case v.Blocks == nil:
		text += ": an extender named it"
	case v.AtItsTurn:
		text += ": when it was put back, there stood in the way: " + v.Blocks.Text()
	default:
		text += ": if it stayed, " + v.Blocks.Text()
	}

	if v.Rule != "" {
		text += "; the rule that allows it: " + v.Rule
	}
	if v.With != "" {
		text += "; it leaves with " + prose.Name(v.With)
	}
	if v.Terminating {
		text += "; it is terminating already"
	}
	return text + "."
}

// Texts says in sentences which pods stay, and how much room is left.
func (s *Stay) Texts() []string {
	out := s.spared()
	if len(s.Protected.Items) > 0 {
		out = append(out, fmt.Sprintf("Of lower priority, but not to be evicted: %s.", pods(s.Protected)))
	}
	if s.Higher > 0 {
		out = append(out, fmt.Sprintf("Of the same or a higher priority: %s.", prose.Plural(s.Higher, "pod")))
	}

	var left []string
	for i := range s.Room {
		if r := &s.Room[i]; r.Resource != resource.Pods {
			left = append(left, fmt.Sprintf("%s %s", prose.Resource(r.Resource), r.Free.Sub(r.Needed)))
		}
	}
	if len(left) > 0 {
		out = append(out, fmt.Sprintf("Room left once the pod is there: %s.", strings.Join(left, ", ")))
	}
	return out
}

// spared returns a sentence for each reason, with the pods that are spared for it. Pods that are not listed are counted
// in a last sentence, or in the sentence of the listed pods if these all share one.
func (s *Stay) spared() []string {
	// The reasons are in the order in which they first occur.
	var reasons []string
	byReason := map[string][]*Spared{}
	for i := range s.Spared.Items {
		p := &s.Spared.Items[i]
		reason := p.reason()
		if byReason[reason] == nil {
			reasons = append(reasons, reason)
		}
		byReason[reason] = append(byReason[reason], p)
	}

	var out []string
	for _, reason := range reasons {
		list := byReason[reason]
		if len(list) == 1 {
			out = append(out, list[0].sentence())
			continue
		}

		// If all listed pods share a reason, the pods that are not listed are counted here.
		more := 0
		if len(reasons) == 1 {
			more = s.Spared.More
		}
		names := textsOf(list, func(p **Spared) string { return (*p).Pod.text() })
		out = append(out, fmt.Sprintf("%d pods are spared: the pod fits beside them%s: %s.", len(list)+more, reason, prose.List(names, more)))
	}

	if s.Spared.More > 0 && (len(reasons) != 1 || len(s.Spared.Items) == 1) {
		out = append(out, fmt.Sprintf("%s more of lower priority: spared as well.", prose.Plural(s.Spared.More, "pod")))
	}
	return out
}

// reason returns what the sentence adds about pods that are spared in spite of something; it is empty for most.
func (p *Spared) reason() string {
	text := ""
	if p.Below {
		text += ", though less important than every victim"
	}
	if len(p.Budgets.Items) > 0 {
		text += "; back early, as " + keysText(p.Budgets) + " might break"
	}
	return text
}

// sentence returns the sentence about a single pod, with the amounts that it takes.
func (p *Spared) sentence() string {
	text := fmt.Sprintf("%s is spared: the pod fits beside it", p.Pod.text())
	if p.Below {
		text += ", though it is less important than every victim"
	}
	if held := held(p.Takes); held != "" {
		text += "; it takes " + held
	}
	if len(p.Budgets.Items) > 0 {
		text += "; it came back early, as " + keysText(p.Budgets) + " might break"
	}
	return text + "."
}

// keysText lists budgets or pods.
func keysText(l List[outrank.Key]) string { return prose.List(prose.Names(l.Items), l.More) }

// held lists amounts of resources.
func held(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		q := l[name]
		parts = append(parts, fmt.Sprintf("%s %s", prose.Resource(name), q.String()))
	}
	return strings.Join(parts, ", ")
}

// writeNodes writes a line for each group of nodes.
func (r *Report) writeNodes(w *writer) {
	if len(r.Nodes) == 0 {
		return
	}
	w.line(0, "What became of the nodes:")
	for i := range r.Nodes {
		w.line(1, "%s", r.Nodes[i].Text())
	}
}
