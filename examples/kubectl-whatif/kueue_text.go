package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/kueue"
	"github.com/outrank-go/outrank/resource"
)

// quotaText lists amounts of quotas. A quota is named resource@flavor, and counts in the unit of its resource.
func quotaText(l resource.List) string {
	var parts []string
	for _, name := range l.Names() {
		base, _, _ := strings.Cut(string(name), "@")
		parts = append(parts, string(name)+" "+amount(resource.Name(base), l[name]))
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

// text writes the answer for a person. Lists have at most list entries, or all if list is 0.
func (d *KueueDocument) text(p console.Page, list int) {
	a := d.Answer
	p.Line("Would Kueue admit %s, as things are in %s?", string(a.Workload), d.Source)
	p.Line("  cluster    %s, of which %d have quota", console.Plural(d.Workloads, "workload"), d.Holding)
	if !d.Now.IsZero() {
		p.Line("  as of      %s UTC", d.Now.UTC().Format("2006-01-02 15:04:05"))
	}
	if a.ClusterQueue != "" {
		p.Line("  queue      %s, of the ClusterQueue %s", string(a.LocalQueue), strings.Join(append([]string{a.ClusterQueue}, a.Cohorts...), " in "))
	}

	if a.Boost != 0 {
		p.Line("  priority   %d, with a boost of %d", a.Priority, a.Boost)
	} else {
		p.Line("  priority   %d", a.Priority)
	}

	if len(a.Uses) > 0 {
		p.Line("  asks for   %s", quotaText(a.Uses))
	}

	writeCaveats(p, d.Caveats)
	d.outcome(p, list)
	writeList(p, "Asked about before it:", a.Ahead, list)
}

// outcome writes what becomes of the workload, and when to ask again.
func (d *KueueDocument) outcome(p console.Page, list int) {
	a := d.Answer
	switch a.Outcome {
	case kueue.Fits:
		p.Line("\n%s: its quota is free.", good("Yes, and nobody has to leave"))
	case kueue.Preempts:
		p.Line("\n%s; too little is free of %s:", console.Styled{Text: "Yes, once " + console.Plural(len(a.Victims), "workload") + " have left", Style: console.Yellow}, scarceText(a))
		d.victims(p, a.Victims, list)
	default:
		p.Line("\n%s:", bad(map[kueue.Outcome]string{kueue.Waits: "No, it waits", kueue.Inadmissible: "No, and not by others' leaving"}[a.Outcome]))
		p.Items(a.Reasons)
	}

	if a.RetryAt.IsZero() {
		return
	}

	p.Line("\nKueue asks again at %s, when the first window of protection ends.", a.RetryAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	if a.Then == nil {
		p.Line("That alone admits it at no time.")
		return
	}
	p.Line("If nothing else changes, it is admitted at %s, once these leave:", a.Then.At.UTC().Format("2006-01-02 15:04:05 UTC"))
	d.victims(p, a.Then.Victims, list)
}

// scarceText lists the quotas of which too little is free.
func scarceText(a *kueue.Answer) string {
	var names []string
	for _, name := range a.Scarce {
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}

// victims writes a row for each workload that has to leave, with the rule that allows taking it.
func (d *KueueDocument) victims(p console.Page, victims []kueue.Victim, list int) {
	t := console.Table{Right: map[int]bool{0: true, 3: true, 4: true}, Rigid: map[int]bool{1: true}}
	t.Head("", "WORKLOAD", "CLUSTERQUEUE", "PRIORITY", "STARTED", "USES")

	shown := len(victims)
	if list > 0 {
		shown = min(list, shown)
	}

	for i, v := range victims[:shown] {
		t.Add(fmt.Sprint(i+1), v.Workload, v.ClusterQueue, fmt.Sprint(v.Priority), age(d.Now, v.Started.Time), quotaText(v.Uses))
		note := "by the rule " + v.Rule
		if v.Leaving {
			note += "; it is being evicted already"
		}
		t.Note("%s", note)
	}

	t.Print(p)
	if more := len(victims) - shown; more > 0 {
		p.Line("     and %d more", more)
	}
}

// writeList writes the first names of a list below a heading, nothing for an empty list.
func writeList(p console.Page, head string, names []string, list int) {
	if len(names) == 0 {
		return
	}

	shown := slices.Clone(names)
	if list > 0 && len(shown) > list {
		shown = append(shown[:list], fmt.Sprintf("and %d more", len(names)-list))
	}

	p.Line("\n%s", head)
	p.Items(shown)
}
