package invariants

import (
	"fmt"
	"strings"
)

// GoString returns the world as a scenario, which is what a failure shows of it.
func (w *World) GoString() string {
	var b strings.Builder
	b.WriteString("\ncluster\n")
	fmt.Fprintf(&b, "    release %s\n", w.Release)
	for i := range w.Nodes {
		w.Nodes[i].write(&b)
		if w.someAvoid() {
			writeText(&b, "labels", hostLabel+"="+w.Nodes[i].Name)
		}
		b.WriteString("\n")
	}
	for i := range w.Pods {
		fmt.Fprintf(&b, "    pod %s\n", w.Pods[i].line())
	}
	if w.Known {
		fmt.Fprintf(&b, "    pod %s\n", w.Asks[0].line())
	}
	for i := range w.Budgets {
		fmt.Fprintf(&b, "    budget %s\n", w.Budgets[i].line())
	}
	for _, g := range w.Groups {
		fmt.Fprintf(&b, "    podgroup %s priority=%d", g.Name, g.Priority)
		writeFlag(&b, "whole", g.Whole)
		b.WriteString("\n")
	}

	w.writeConfig(&b)
	if w.Asks[0].Group == "" {
		asked := w.asked()
		fmt.Fprintf(&b, "explain %s\n", asked.line())
		return b.String()
	}
	b.WriteString("group\n")
	for i := range w.Asks {
		fmt.Fprintf(&b, "    pod %s\n", w.Asks[i].line())
	}
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	fmt.Fprintf(b, "    node %s cpu=%d memory=%dGi pods=%d", n.Name, n.CPU, n.Memory, n.Pods)
	writeFlag(b, "cordoned", n.Cordoned)
}

// line returns the budget as scenarios write it.
func (b *Budget) line() string {
	selector := "everything"
	if b.Label != "" {
		selector = b.Label + "=" + b.Value
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s selector=%s allowed=%d", b.Name, selector, b.Allowed)
	if b.Elsewhere {
		writeText(&out, "namespace", elsewhere)
	}
	writeText(&out, "disrupted", b.Disrupted)
	return out.String()
}

// writeConfig writes the caller's rules and what its scheduler has found, if there is any of it.
func (w *World) writeConfig(b *strings.Builder) {
	lines := w.Rules.lines()
	if w.given() {
		for _, n := range w.Nodes {
			lines = append(lines, fmt.Sprintf("found %s %s", n.Name, n.Found))
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "config\n    %s\n", strings.Join(lines, "\n    "))
	}
}

// lines returns the rules as scenarios write them.
func (r *Rules) lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.Policy != "" {
		add("policy %s", r.Policy)
	}
	if r.ByCPU {
		add("importance cpu")
	}

	// The caller's filter. Its own word is written behind what it allows.
	if r.MostOfA >= 0 {
		concerns := ""
		if r.Concerns {
			concerns = " concerns"
		}
		add("filter %s at-most=%d of=app=a%s", filterName, r.MostOfA, concerns)
	}

	// Who may preempt whom, by rules of the caller.
	if r.Spared != "" {
		add("spares app=%s", r.Spared)
	}
	if r.Taken != "" {
		add("takes app=%s", r.Taken)
	}
	if r.MostAway >= 0 {
		add("guard %s at-most=%d of=app=b beyond=app=a", guardName, r.MostAway)
	}
	if r.Refuses {
		add("refuses unschedulable")
	}

	// The order of the ranks decides, so that it is kept.
	for i := range r.Ranks {
		lines = append(lines, r.Ranks[i].line())
	}
	return lines
}

// line returns the rank as scenarios write it.
func (r *Rank) line() string {
	switch {
	case r.Of != "":
		return fmt.Sprintf("cost %s each=%d of=app=%s", r.Name, r.Each, r.Of)
	case r.Prefers != "":
		return fmt.Sprintf("figure %s prefers=%s", r.Name, r.Prefers)
	}
	return "rank " + r.Name
}

// line returns the pod as scenarios write it.
func (p *Pod) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s cpu=%d memory=%dGi", p.Name, p.CPU, p.Memory)
	writeText(&b, "on", p.Node)
	writeText(&b, "nominated", p.Nominated)
	if !p.Unset {
		fmt.Fprintf(&b, " priority=%d", p.Priority)
	}
	if p.Started != 0 {
		fmt.Fprintf(&b, " start=%dm", -p.Started)
	}

	var labels []string
	if p.App != "" {
		labels = append(labels, "app="+p.App)
	}
	if p.Tier != "" {
		labels = append(labels, "tier="+p.Tier)
	}
	writeText(&b, "labels", strings.Join(labels, ","))
	if p.Port > 0 {
		fmt.Fprintf(&b, " ports=%d", p.Port)
	}
	writeText(&b, "group", p.Group)
	writeFlag(&b, "never", p.Never)
	writeText(&b, "leaving", p.Leaving)
	if p.Avoids != "" {
		fmt.Fprintf(&b, " anti=(app=%s by %s)", p.Avoids, hostLabel)
	}
	if len(p.Names) > 0 {
		fmt.Fprintf(&b, " node=(metadata.name in (%s))", strings.Join(p.Names, ") | metadata.name in ("))
	}
	return b.String()
}

// writeText writes an option with its value, and nothing without one.
func writeText(b *strings.Builder, option, value string) {
	if value != "" {
		fmt.Fprintf(b, " %s=%s", option, value)
	}
}

// writeFlag writes an option without a value.
func writeFlag(b *strings.Builder, option string, set bool) {
	if set {
		b.WriteString(" " + option)
	}
}
