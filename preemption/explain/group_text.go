package explain

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank/internal/prose"
	"github.com/outrank-go/outrank/preemption"
)

// Text returns the report as text for people. It uses only the fields of the report, whose
// lists bound its length.
func (r *GroupReport) Text() string {
	w := &writer{}
	w.line(0, "%s", r.Summary())

	// Why the group has no place, without preemption and with it.
	if r.TurnedDown != nil {
		w.line(0, "As things are there is %s.", r.TurnedDown.text())
	}
	switch n := r.Unhelpful; {
	case n == nil:
	case n.Guard != nil:
		w.line(0, "Of all that might leave %s keeps some: %s. With the others gone there is still %s.",
			prose.Text(n.Guard.Filter), guardReasons(n.Guard), n.text())
	default:
		w.line(0, "With all gone that might leave there is still %s.", n.text())
	}

	// Who leaves, and where the pods of the group go then.
	if len(r.Victims.Items) > 0 {
		w.line(0, "Why each victim, the most important first; each was put back in its turn:")
		for i := range r.Victims.Items {
			w.line(1, "%s", r.Victims.Items[i].text())
		}
		if r.Victims.More > 0 {
			w.line(1, "and %s more", prose.Plural(r.Victims.More, "victim"))
		}
	}

	if len(r.Seats.Items) > 0 {
		w.line(0, "Where its pods go:")
		for _, s := range r.Seats.Items {
			w.line(1, "%s on node %s", prose.Name(s.Key), prose.Name(s.Node))
		}
		if r.Seats.More > 0 {
			w.line(1, "and %s more", prose.Plural(r.Seats.More, "pod"))
		}
	}
	return w.String()
}

// Summary returns the answer in one sentence.
func (r *GroupReport) Summary() string {
	group := r.name()
	switch r.Outcome {
	case preemption.Fits:
		return fmt.Sprintf("Nobody has to leave: %s fits as things are.", group)
	case preemption.NotEligible:
		return fmt.Sprintf("Nobody leaves: there is no place for %s, and it may not push others out: %s", group, ineligibleText(r.Ineligible))
	case preemption.NothingHelps:
		if r.Unhelpful == nil {
			return fmt.Sprintf("Nobody leaves: there is no place for %s, and nobody might leave for it.", group)
		}
		return fmt.Sprintf("Nobody leaves: pushing others out makes no place for %s.", group)
	}

	// All units can turn out to be unnecessary: after the removal the group may have been placed on other nodes.
	if len(r.Victims.Items) == 0 {
		return fmt.Sprintf("Nobody has to leave in the end so that %s can run.", group)
	}

	// Units are only mentioned if some of them have several pods.
	text := fmt.Sprintf("%s to leave so that %s can run", have(r.VictimPods), group)
	if units := r.Victims.Len(); units != r.VictimPods {
		leave := "leave"
		if units == 1 {
			leave = "leaves"
		}
		text += fmt.Sprintf(", in %s that %s together", prose.Plural(units, "unit"), leave)
	}
	if r.Violations > 0 {
		text += fmt.Sprintf("; budget violations: %d", r.Violations)
	}
	return text + "."
}

// name returns the words for the group.
func (r *GroupReport) name() string {
	switch {
	case r.Group == "":
		return "the group"
	case r.Tree:
		return "the tree of groups " + prose.Name(r.Group)
	}
	return "group " + prose.Name(r.Group)
}

// text says which pod has no place, and why.
func (n *NoPlace) text() string {
	text := "no place"
	if n.Pod != "" {
		text += " for " + prose.Name(n.Pod)
	}
	var parts []string
	for i := range n.Nodes.Items {
		word := &n.Nodes.Items[i]
		parts = append(parts, fmt.Sprintf("%s: %s", prose.Plural(word.Count, "node"), word.Text()))
	}
	if n.Nodes.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more answers", n.Nodes.More))
	}
	if n.Reason != "" {
		parts = append(parts, prose.Text(n.Reason))
	}

	if len(parts) > 0 {
		text += " (" + strings.Join(parts, "; ") + ")"
	}
	return text
}

// guardReasons repeats the reasons of the guard in its own words.
func guardReasons(g *Obstacle) string {
	if len(g.Reasons) == 0 {
		return "it gives no reason"
	}
	return prose.Text(strings.Join(g.Reasons, ", "))
}

// text says in a sentence why the unit has to leave.
func (v *GroupVictim) text() string {
	var text string
	switch list := pods(v.Pods); {
	case v.Tree:
		text = fmt.Sprintf("the tree of groups %s (priority %d): %s", prose.Name(v.Group), v.Priority, list)
	case v.Group != "":
		text = fmt.Sprintf("group %s (priority %d): %s", prose.Name(v.Group), v.Priority, list)
	default:
		text = list
	}

	// Why it was not reprieved.
	switch n := v.Blocks; {
	case n == nil:
	case n.Guard != nil:
		text += fmt.Sprintf(": with it back %s keeps the others: %s", prose.Text(n.Guard.Filter), guardReasons(n.Guard))
	default:
		text += ": with it back there was " + n.text()
	}

	if v.Rule != "" {
		text += "; the rule that allows it: " + prose.Text(v.Rule)
	}
	if len(v.Budgets.Items) > 0 {
		text += "; losing it breaks " + keysText(v.Budgets)
	}
	return text + "."
}
