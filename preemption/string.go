package preemption

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// The texts of plans are for people and may change; programs read the JSON.

// mostReasons and mostCandidates keep the text of a plan to a few lines on a cluster of any size. The
// victims are always told in full.
const (
	mostReasons    = 4
	mostCandidates = 3
)

// String returns the plan in a few lines: the outcome, the victims, the budgets that their loss violates,
// the nominations that are cleared, and how many nodes turn the pod down for which reason. Of a plan that
// Explain has made it also tells the best candidates and the rank that decides between the first two.
// There is no line break at the end.
func (p Plan) String() string {
	var t planText
	t.WriteString(prose.Pod(p.Pod) + ": " + p.outcomeText())
	t.line("warning", listed(p.Warnings, len(p.Warnings), outrank.Problem.String))

	// What happens, and what it costs.
	t.line("victims", listed(p.Victims, len(p.Victims), victimText))
	t.line("violated budgets", budgetsText(p.Victims))
	t.line("cleared nominations", listed(p.ClearedNominations, len(p.ClearedNominations), prose.Pod))
	if g := p.grace(); g != nil {
		t.line("grace", g.String())
	}
	if p.ClusterCertificate != nil {
		t.line("certificate", p.ClusterCertificate.text())
	}

	// Why so, and not otherwise.
	t.line("as things are", listed(p.TurnedDown, mostReasons, turnedDownText))
	t.line("after removal", listed(p.helpless(), mostReasons, Count.String))
	if p.Nodes != nil {
		t.line("candidates", p.candidatesText())
	}
	return t.String()
}

// candidatesText lists the best candidates, and what decides between the first two.
func (p *Plan) candidatesText() string {
	text := listed(p.Candidates, mostCandidates, candidateText)
	if len(p.Candidates) > 1 {
		text += "; decided by: " + rank.Text(p.DecidedBy)
	}
	return text
}

// outcomeText returns the outcome with what it is about.
func (p *Plan) outcomeText() string {
	switch p.Outcome {
	case Fits:
		if p.Resize {
			return prose.ResizeFits
		}
		if p.Feasible == 1 {
			return "fits on 1 node"
		}
		return fmt.Sprintf("fits on %d nodes", p.Feasible)
	case Preempts:
		return "preempts on " + p.Node
	}
	return outcomeText(p.Outcome, p.Ineligible)
}

func outcomeText(o Outcome, why Ineligibility) string {
	if o == NotEligible && why != "" {
		return strings.TrimSuffix(why.Message(), ".")
	}
	return cmp.Or(strings.ReplaceAll(string(o), "-", " "), "no answer")
}

// candidateText returns the node with the victims.
func candidateText(c Candidate) string {
	return c.Node + " [" + listed(c.Victims, len(c.Victims), Victim.String) + "]"
}

// String returns the number of nodes with the status.
func (c Count) String() string { return fmt.Sprintf("%d %s", c.Nodes, c.Status) }

// String returns the group's plan in a few lines: the outcome, the status that kube-scheduler gives the group,
// the node of each pod, the victims, the budgets that their loss violates, and why there was no place. There is
// no line break at the end.
func (p GroupPlan) String() string {
	subject := "pods without a group"
	if p.Group != "" {
		subject = "group " + string(p.Group)
	}

	outcome := "preempts" // without a node: the placement names the nodes
	if p.Outcome != Preempts {
		outcome = outcomeText(p.Outcome, p.Ineligible)
	}

	var t planText
	t.WriteString(subject + ": " + outcome)
	t.line("status", strings.Join(p.Status.Reasons, ", "))
	t.line("placement", listed(p.Placement, len(p.Placement), Assignment.String))

	units := slices.Collect(p.Units())
	t.line("victims", listed(units, len(units), unitText))
	t.line("violated budgets", budgetsText(p.Victims))
	t.line("as things are", p.TurnedDown.text())
	t.line("after removal", p.Unhelpful.text())
	return t.String()
}

// planText is the text of a plan while it is built.
type planText struct{ strings.Builder }

// line adds a line, if there is anything to say on it.
func (t *planText) line(about, text string) {
	if text != "" {
		t.WriteString("\n  " + about + ": " + text)
	}
}

// listed joins the texts of the first few, and says how many more there are.
func listed[T any](list []T, most int, text func(T) string) string {
	var parts []string
	for _, v := range list[:min(len(list), most)] {
		parts = append(parts, text(v))
	}
	out := strings.Join(parts, ", ")
	if more := len(list) - most; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// turnedDownText marks the nodes where preemption cannot help. They may give the same reason as nodes
// where it may.
func turnedDownText(c Count) string {
	if c.Code == UnschedulableAndUnresolvable {
		return c.String() + " (removal cannot help)"
	}
	return c.String()
}

// budgetsText lists the budgets of all victims, each once.
func budgetsText(victims []Victim) string {
	var names []string
	for i := range victims {
		for _, b := range victims[i].Violated {
			if b != nil && !slices.Contains(names, string(b.Key())) {
				names = append(names, string(b.Key()))
			}
		}
	}
	return strings.Join(names, ", ")
}

// unitText names victims that leave together: the pod, or the group with the number of its pods.
func unitText(victims []Victim) string {
	switch first := &victims[0]; {
	case first.Composite != nil:
		return fmt.Sprintf("%s (%d pods)", first.Composite.Key(), len(victims))
	case first.Group != nil:
		return fmt.Sprintf("%s (%d pods)", first.Group.Key(), len(victims))
	default:
		return prose.Pod(first.Pod)
	}
}

// victimText returns the victim with what makes it one: its priority, its group and the caller's rule.
func victimText(v Victim) string {
	if v.Pod == nil { // in a plan that a caller has put together
		return prose.Pod(v.Pod)
	}

	text := fmt.Sprintf("%s (priority %d", v, v.Pod.PriorityValue())
	if v.Pod.Terminating() {
		text += ", terminating"
	}

	switch {
	case v.Group != nil:
		text += ", with podgroup " + string(v.Group.Key())
	case v.Composite != nil:
		text += ", with compositepodgroup " + string(v.Composite.Key())
	}

	if v.Rule != "" {
		text += ", by the rule: " + v.Rule
	}
	return text + ")"
}
