package question

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// WriteText prints the effects of the change for people. limit bounds the pods and classes that are shown; 0
// means no bound. The error is that of w.
func (c *ClassImpact) WriteText(w io.Writer, limit int) error {
	out := paperFor(w)
	c.write(out, limit)
	return out.To(w)
}

// write prints the changes, the classes whose reach changes, and the pods that wait.
func (c *ClassImpact) write(out *paper, limit int) {
	c.writeChanges(out)
	c.writeClasses(out, limit)
	c.writePending(out, limit)
}

// writeChanges prints the changed classes, and says what a change of classes does not do.
func (c *ClassImpact) writeChanges(out *paper) {
	if len(c.Changes) == 0 {
		out.line("No class changes.")
	}
	for i := range c.Changes {
		out.line("Class %s: %s", c.Changes[i].Name, c.Changes[i].text())
	}
	if c.DefaultBefore != c.DefaultAfter {
		out.line("Pods that name no class: %s, now %s", orNone(c.DefaultAfter), orNone(c.DefaultBefore))
	}

	out.line("")
	out.say("Nothing happens at once: a pod keeps the priority that it was created with, whatever becomes of "+
		"its class. Of %s %d would get another priority or policy when their controllers recreate them.", console.Plural(c.Running, "running pod"), c.Remade)
	if c.NamedDefault > 0 {
		out.say("%s the default class %s; one that names no class itself would get another when it is recreated, "+
			"which cannot be told apart here.", subject(c.NamedDefault, "pod carries", "pods carry"), c.DefaultBefore)
	}
	if c.UnknownClass > 0 {
		out.say("%s a class that is not there; its priority is taken to stay.", subject(c.UnknownClass, "pod names", "pods name"))
	}
}

// orNone names the default class, or what pods get without one.
func orNone(class string) string {
	if class == "" {
		return "priority 0"
	}
	return "class " + class
}

// subject is a number with the text that agrees with it: "1 pod is", "2 pods are".
func subject(n int, one, more string) string {
	return fmt.Sprintf("%d %s", n, verb(n, one, more))
}

// text puts the values of the class after the change and before it into words.
func (c *ClassChange) text() string {
	if c.Before == nil {
		return "new, " + c.After.text()
	}
	return fmt.Sprintf("%s, now %s", c.After.text(), c.Before.text())
}

// text puts the values of a class into words. It is "none" for a class that does not exist.
func (v *ClassValue) text() string {
	if v == nil {
		return "none"
	}
	text := fmt.Sprintf("value %d, %s", v.Value, v.Policy)
	if v.GlobalDefault {
		text += ", the default"
	}
	return text
}

// writeClasses prints the classes whose reach changes, and says which pods no class could push out before.
func (c *ClassImpact) writeClasses(out *paper, limit int) {
	rows, changed, more := c.reachRows(limit)
	out.line("")
	if changed == 0 {
		out.say("No running pod becomes one that can be pushed out, and none stops being one.")
		return
	}

	out.line("How many running pods a new pod of a class could push out, by priority alone:")
	rows.Print(out.Page)
	out.more(more)

	anybody := &c.Anybody
	switch stand, again := anybody.AsTheyStand.Gained, anybody.Again.Gained; {
	case stand+again > 0:
		out.say("Out of reach of every class before, but for those of the system: %s that can be pushed out at once, and %d once all are recreated.",
			console.Plural(stand, "running pod"), again)
	default:
		out.say("Each of these could be pushed out before, by new pods of another class.")
	}
	if c.MoreClasses > 0 {
		out.line("  %s not looked at", subject(c.MoreClasses, "class was", "classes were"))
	}
}

// reachRows returns a row for each class whose reach changes, up to the limit. changed counts all such classes,
// and more the classes beyond the limit.
func (c *ClassImpact) reachRows(limit int) (rows console.Table, changed, more int) {
	rows.Head("CLASS", "VALUE", "NOW", "THOSE AS THEY STAND", "ALL RECREATED")
	for i := range c.Classes {
		r := &c.Classes[i]
		if !r.changes() {
			continue
		}
		if changed++; limit > 0 && changed > limit {
			more++
			continue
		}

		rows.Add(className(r.Class), r.values(), strconv.Itoa(r.Now), r.AsTheyStand.text(), r.Again.text())
		if r.AsTheyStand.Gained > 0 {
			addNotes(&rows, []string{"can be pushed out at once: " + r.AsTheyStand.gained()})
		}
		if r.Again.Gained > 0 {
			addNotes(&rows, []string{"once all are recreated: " + r.Again.gained()})
		}
	}
	return rows, changed, more
}

// className returns the name of a class, or a word for pods that name none.
func className(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// values returns the value of the class before and after the change, or once if it stays the same.
func (r *ClassReach) values() string {
	one := func(v *ClassValue) string {
		if v == nil {
			return "-"
		}
		text := strconv.Itoa(int(v.Value))
		if v.Policy == "Never" {
			text += " (Never)"
		}
		return text
	}
	before, after := one(r.Before), one(r.After)
	if before == after {
		return after
	}
	return before + " -> " + after
}

// text returns the number of pods, and how many were gained and lost.
func (r *Reach) text() string {
	text := strconv.Itoa(r.Pods)
	switch {
	case r.Gained > 0 && r.Lost > 0:
		text += fmt.Sprintf(" (+%d, -%d)", r.Gained, r.Lost)
	case r.Gained > 0:
		text += fmt.Sprintf(" (+%d)", r.Gained)
	case r.Lost > 0:
		text += fmt.Sprintf(" (-%d)", r.Lost)
	}
	return text
}

// gained says how many pods of which classes become possible victims, and names the first of them.
func (r *Reach) gained() string {
	parts := make([]string, 0, len(r.GainedBy))
	for _, c := range r.GainedBy[:min(len(r.GainedBy), 5)] {
		if c.Class == "" {
			parts = append(parts, fmt.Sprintf("%d without a class", c.Pods))
		} else {
			parts = append(parts, fmt.Sprintf("%d of %s", c.Pods, c.Class))
		}
	}

	// Classes beyond the fifth are counted together.
	others := 0
	for _, c := range r.GainedBy[min(len(r.GainedBy), 5):] {
		others += c.Pods
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s", others, subject(len(r.GainedBy)-5, "more class", "more classes")))
	}

	text := strings.Join(parts, ", ") + ": "
	shown := r.Names[:min(len(r.Names), 3)]
	text += names(shown, len(shown))
	if more := r.Gained - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// writePending prints the waiting pods for which the change makes a difference, and counts those that were not
// asked about.
func (c *ClassImpact) writePending(out *paper, limit int) {
	out.line("")
	if c.PendingPods+c.NotAsked == 0 {
		out.line("No pod is pending.")
		return
	}

	switch {
	case c.PendingPods == 0:
	case len(c.Pending) == 0:
		out.say("For none of %s that could be tried the change means anything.", console.Plural(c.PendingPods, "pending pod"))
	default:
		c.writeImpacts(out, limit)
	}
	if c.NotAsked > 0 {
		out.say("%s not asked about: %s gated, being deleted, of another scheduler, or scheduled with a group.",
			console.Plural(c.NotAsked, "pending pod")+verb(c.NotAsked, " is", " are"), verb(c.NotAsked, "it is", "they are"))
	}
}

// writeImpacts prints the waiting pods for which the change makes a difference, each with its turns.
func (c *ClassImpact) writeImpacts(out *paper, limit int) {
	out.say("Of %s the change means something else for %d, each asked about alone. As things are they "+
		"keep their priority; this is what they would do if they were recreated:", console.Plural(c.PendingPods, "pending pod"), len(c.Pending))

	var rows console.Table
	rows.Head("POD", "PRIORITY", "WHEN", "OUTCOME", "NODE")
	shown := bounded(len(c.Pending), limit)
	for i := range c.Pending[:shown] {
		p := &c.Pending[i]
		priority := strconv.Itoa(int(p.Pod.Priority))
		if p.After != p.Pod.Priority {
			priority += " -> " + strconv.Itoa(int(p.After))
		}

		// Only the first row of a pod names it.
		name := string(p.Pod.Key)
		for _, t := range p.turns() {
			rows.Add(name, priority, t.when, t.Text(), t.Node)
			if len(t.Victims) > 0 {
				addNotes(&rows, []string{"who leaves: " + t.victimNames(limit)})
			}
			name, priority = "", ""
		}
	}
	rows.Print(out.Page)
	out.more(len(c.Pending) - shown)
}

// timedTurn is a turn with a word for the time at which it takes place.
type timedTurn struct {
	when string
	*Turn
}

// turns returns the turns of a waiting pod: before the change, after it, and once all pods are recreated.
func (p *PendingImpact) turns() []timedTurn {
	return []timedTurn{{"now", &p.Now}, {"those as they stand", &p.AsTheyStand}, {"all recreated", &p.Again}}
}
