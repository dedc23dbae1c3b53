package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// Comparison is what changed between two reports.
type Comparison struct {
	// Before names the cluster of the earlier report, and Changes are the lines of the report
	// that differ, section by section.
	Before  string       `json:"before"`
	Changes []Difference `json:"changes"`
	// Now is the later report.
	Now *Report `json:"now"`
}

// Difference is a line of the report that differs.
type Difference struct {
	Section Section `json:"section"`
	Object  string  `json:"object"`
	// Before and After are empty where the report has no such line.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Worse is set where a pod finds no place any more or has to leave, a drain does not end or
	// leaves pods without a place, or a class is wrong, and it was not so before, or for fewer pods.
	Worse bool `json:"worse,omitempty"`

	severity severity
}

// Section is a part of a report.
type Section string

// The sections.
const (
	ofPending  Section = "pending"
	ofDrains   Section = "drains"
	ofBudgets  Section = "budgets"
	ofReach    Section = "reach"
	ofRoom     Section = "room"
	ofFindings Section = "classes"
)

// severity is how bad a line is.
type severity uint8

const (
	harmless severity = iota
	evicts            // somebody has to leave, or something is wrong
	stays             // a pod has no place, or a drain no end
)

// fact is a line of a report.
type fact struct {
	section Section
	object  string
	text    string
	severity severity
	// pods counts those that it is so for, where more are worse.
	pods int
}

// facts are the lines of a report, in its order.
func (r *Report) facts() []fact {
	var out []fact
	for i := range r.Waiting.Turns {
		t := &r.Waiting.Turns[i]
		text, level, pods := string(t.Outcome), harmless, 0
		switch {
		case t.Outcome == question.Waits:
			text, level = "finds no place", stays
		case t.Outcome == question.PushesOut:
			pods = fresh(t.Victims)
			text, level = "pushes out "+console.Plural(pods, "pod"), evicts
		case t.Outcome == question.Placed:
			text = "fits"
		}
		out = append(out, fact{ofPending, string(t.Pod.Key), text, level, pods})
	}
	for i := range r.Drains.Stuck {
		n := &r.Drains.Stuck[i]
		held := len(n.Held) + n.MoreHeld
		out = append(out, fact{ofDrains, n.Node, "never empties: " + console.Plural(held, "pod") + " held", stays, held})
	}
	for i := range r.Drains.Crowded {
		n := &r.Drains.Crowded[i]
		pending := len(n.Pending) + n.MorePending
		out = append(out, fact{ofDrains, n.Node, "leaves " + console.Plural(pending, "pod") + " without a place", evicts, pending})
	}
	for _, node := range r.Drains.Undecided {
		out = append(out, fact{ofDrains, node, "not played to its end", harmless, 0})
	}
	budgets := slices.SortedFunc(slices.Values(r.Drains.Budgets), func(a, b question.BudgetHold) int { return cmp.Compare(a.Key, b.Key) })
	for _, b := range budgets {
		out = append(out, fact{ofBudgets, string(b.Key), fmt.Sprintf("allows %d, holds up %s, %d of them for ever", b.Allowed, console.Plural(b.Nodes, "drain"), b.Stuck), harmless, 0})
	}
	for i := range r.Reach {
		one := &r.Reach[i]
		out = append(out, fact{ofReach, one.Class, fmt.Sprintf("%s, %d without a place elsewhere", console.Plural(one.Pods, "pod"), one.NoRoom+one.Lost), harmless, 0})
	}
	for i := range r.Headroom {
		h := &r.Headroom[i]
		out = append(out, fact{ofRoom, cmp.Or(h.Class, "free") + ", " + string(h.Resource), h.text("%s, %s on one node"), harmless, 0})
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		level := harmless
		if f.Wrong {
			level = evicts
		}
		out = append(out, fact{ofFindings, strings.TrimPrefix(f.Class+", "+string(f.Rule), ", "), f.Text, level, 0})
	}
	return out
}

// fresh counts the victims that do not leave already.
func fresh(victims []question.Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating {
			n++
		}
	}
	return n
}

// Compare says what changed between two reports. before names the cluster of the earlier one.
func Compare(before string, then, now *Report) *Comparison {
	type line struct {
		section Section
		object  string
	}
	c := &Comparison{Before: before, Changes: []Difference{}, Now: now}
	old := map[line][]fact{}
	for _, f := range then.facts() {
		at := line{f.section, f.object}
		old[at] = append(old[at], f)
	}
	add := func(f fact, was, is string, level severity) {
		d := Difference{Section: f.section, Object: f.object, Before: was, After: is, severity: level, Worse: level > harmless}
		c.Changes = append(c.Changes, d)
	}
	for _, f := range now.facts() {
		at := line{f.section, f.object}
		if len(old[at]) == 0 {
			level := f.severity
			if f.section == ofDrains && !then.nodes[f.object] {
				level = harmless // the node is new
			}
			add(f, "", f.text, level)
			continue
		}
		was := old[at][0]
		old[at] = old[at][1:]
		if was.text != f.text {
			level := harmless
			if f.severity > was.severity || f.severity == was.severity && f.pods > was.pods {
				level = f.severity
			}
			add(f, was.text, f.text, level)
		}
	}
	for _, f := range then.facts() {
		at := line{f.section, f.object}
		if len(old[at]) > 0 {
			add(f, old[at][0].text, "", harmless)
			old[at] = old[at][1:]
		}
	}
	slices.SortStableFunc(c.Changes, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Section.order(), b.Section.order()), cmp.Compare(b.severity, a.severity))
	})
	return c
}

func (s Section) order() int {
	return slices.Index([]Section{ofPending, ofDrains, ofBudgets, ofReach, ofRoom, ofFindings}, s)
}

// title is the section in words.
func (s Section) title() string {
	switch s {
	case ofPending:
		return "Pending"
	case ofDrains:
		return "Drains, one node at a time"
	case ofBudgets:
		return "Budgets that hold drains up"
	case ofReach:
		return "Who could be pushed out, by class"
	case ofRoom:
		return "Room by class"
	}
	return "Priority classes"
}

// Stays counts the lines by which a pod has no place or a drain no end that was not so before.
func (c *Comparison) Stays() int { return c.count(stays) }

// Leaves counts the lines that are worse in another way.
func (c *Comparison) Leaves() int { return c.count(evicts) }

func (c *Comparison) count(g severity) (n int) {
	for i := range c.Changes {
		if c.Changes[i].severity == g {
			n++
		}
	}
	return n
}

// summary is the comparison in a sentence.
func (c *Comparison) summary() string {
	if len(c.Changes) == 0 {
		return "Nothing in the report has changed."
	}
	text := fmt.Sprintf("%s changed since %s", subject(len(c.Changes), "answer", "has", "have"), c.Before)
	if n := c.Stays() + c.Leaves(); n > 0 {
		return text + fmt.Sprintf(", %d for the worse.", n)
	}
	return text + ", none for the worse."
}

// WriteText prints the lines that differ for people, limit of each section and all where it is
// 0. The error is that of w.
func (c *Comparison) WriteText(w io.Writer, limit int) error {
	out := pageOn(w)
	out.say("%s", c.summary())
	for rest := c.Changes; len(rest) > 0; {
		n := sameSection(rest)
		out.heading(rest[0].Section.title())
		var rows console.Table
		rows.Head("", "BEFORE", "NOW", "")
		shown := bounded(n, limit)
		for _, d := range rest[:shown] {
			rows.Add(d.cells()...)
		}
		rows.Print(out.Page)
		out.more(n - shown)
		rest = rest[n:]
	}
	return out.To(w)
}

// sameSection counts the first differences of one section.
func sameSection(d []Difference) int {
	n := slices.IndexFunc(d, func(one Difference) bool { return one.Section != d[0].Section })
	if n < 0 {
		return len(d)
	}
	return n
}

func (d *Difference) cells() []string {
	worse := ""
	if d.Worse {
		worse = "worse"
	}
	return []string{d.Object, cmp.Or(d.Before, "-"), cmp.Or(d.After, "-"), worse}
}
