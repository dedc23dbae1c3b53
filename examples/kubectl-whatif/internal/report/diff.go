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

// Comparison says what changed between two reports.
type Comparison struct {
	// Before names the cluster of the earlier report. Changes lists the lines that differ between the reports,
	// section by section.
	Before  string       `json:"before"`
	Changes []Difference `json:"changes"`
	// Now is the later report.
	Now *Report `json:"now"`
}

// Difference is a line that differs between two reports.
type Difference struct {
	Section Section `json:"section"`
	Object  string  `json:"object"`
	// Before and After are the texts of the line. One is empty if that report has no such line.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Worse is set if the line is bad and was not before, or concerned fewer pods. Bad are a pod that finds no
	// place or pushes others out, a drain that does not end or leaves pods without a place, and a mistake in a
	// class.
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

// severity says how bad a line is.
type severity uint8

const (
	harmless severity = iota
	evicts            // a pod has to leave or finds no place after a drain, or a class is wrong
	stays             // a pod has no place, or a drain does not end
)

// fact is a line of a report.
type fact struct {
	section  Section
	object   string
	text     string
	severity severity
	// pods is the number of pods that the line concerns, if more pods are worse. Otherwise it is 0.
	pods int
}

// facts returns the lines of a report, in its order.
func (r *Report) facts() []fact {
	out := r.pendingFacts()
	out = append(out, r.drainFacts()...)

	// The lines from here on are bad only if they report a mistake in a class.
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

// pendingFacts returns a line for each pending pod.
func (r *Report) pendingFacts() (out []fact) {
	for i := range r.Waiting.Turns {
		t := &r.Waiting.Turns[i]
		f := fact{section: ofPending, object: string(t.Pod.Key), text: string(t.Outcome)}
		switch t.Outcome {
		case question.Waits:
			f.text, f.severity = "finds no place", stays
		case question.PushesOut:
			f.pods = fresh(t.Victims)
			f.text, f.severity = "pushes out "+console.Plural(f.pods, "pod"), evicts
		case question.Placed:
			f.text = "fits"
		}
		out = append(out, f)
	}
	return out
}

// drainFacts returns a line for each node whose drain never ends or leaves pods without a place, and for each
// budget that holds drains up.
func (r *Report) drainFacts() (out []fact) {
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

	// Sorted by name, lines do not move between two reports. The report itself lists the budgets that stop
	// drains first.
	budgets := slices.SortedFunc(slices.Values(r.Drains.Budgets), func(a, b question.BudgetHold) int { return cmp.Compare(a.Key, b.Key) })
	for _, b := range budgets {
		out = append(out, fact{ofBudgets, string(b.Key), fmt.Sprintf("allows %d, holds up %s, %d of them for ever", b.Allowed, console.Plural(b.Nodes, "drain"), b.Stuck), harmless, 0})
	}
	return out
}

// fresh counts the victims that were not leaving already.
func fresh(victims []question.Victim) (n int) {
	for i := range victims {
		if !victims[i].Terminating {
			n++
		}
	}
	return n
}

// line identifies what a line of a report is about.
type line struct {
	section Section
	object  string
}

// Compare says what changed between two reports. before names the cluster of the earlier one.
func Compare(before string, then, now *Report) *Comparison {
	c := &Comparison{Before: before, Changes: []Difference{}, Now: now}
	old := map[line][]fact{}
	for _, f := range then.facts() {
		key := line{f.section, f.object}
		old[key] = append(old[key], f)
	}

	// Several lines may concern one object. They are matched in their order, each at most once.
	for _, f := range now.facts() {
		key := line{f.section, f.object}
		if len(old[key]) == 0 {
			c.addNew(f, then)
			continue
		}
		was := old[key][0]
		old[key] = old[key][1:]
		if was.text != f.text {
			c.add(f, was.text, f.text, worsened(was, f))
		}
	}

	// Lines without a match in the later report are gone, which is never worse.
	for _, f := range then.facts() {
		key := line{f.section, f.object}
		if len(old[key]) > 0 {
			c.add(f, old[key][0].text, "", harmless)
			old[key] = old[key][1:]
		}
	}

	slices.SortStableFunc(c.Changes, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Section.order(), b.Section.order()), cmp.Compare(b.severity, a.severity))
	})
	return c
}

// add records a line that differs.
func (c *Comparison) add(f fact, was, is string, level severity) {
	c.Changes = append(c.Changes, Difference{Section: f.section, Object: f.object, Before: was, After: is, severity: level, Worse: level > harmless})
}

// addNew records a line that the earlier report does not have. The drain of a new node does not count as worse.
func (c *Comparison) addNew(f fact, then *Report) {
	level := f.severity
	if f.section == ofDrains && !then.nodes[f.object] {
		level = harmless
	}
	c.add(f, "", f.text, level)
}

// worsened returns the severity of a line if it is worse than before, or equally bad for more pods.
func worsened(was, is fact) severity {
	if is.severity > was.severity || is.severity == was.severity && is.pods > was.pods {
		return is.severity
	}
	return harmless
}

// order returns the position of the section in a report.
func (s Section) order() int {
	return slices.Index([]Section{ofPending, ofDrains, ofBudgets, ofReach, ofRoom, ofFindings}, s)
}

// title returns the heading of the section.
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

// Stays counts the lines that became worse and report a pod without a place or a drain without an end.
func (c *Comparison) Stays() int { return c.count(stays) }

// Leaves counts the lines that became worse in another way.
func (c *Comparison) Leaves() int { return c.count(evicts) }

// count counts the changes with a severity.
func (c *Comparison) count(g severity) (n int) {
	for i := range c.Changes {
		if c.Changes[i].severity == g {
			n++
		}
	}
	return n
}

// summary says in a sentence how many lines changed, and how many of them are worse.
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

// WriteText prints the lines that differ for people, at most limit of each section, or all if limit is 0. The
// error is that of w.
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

// sameSection counts how many differences at the beginning of the list belong to the same section.
func sameSection(d []Difference) int {
	n := slices.IndexFunc(d, func(one Difference) bool { return one.Section != d[0].Section })
	if n < 0 {
		return len(d)
	}
	return n
}

// cells returns the cells of the difference in a table.
func (d *Difference) cells() []string {
	worse := ""
	if d.Worse {
		worse = "worse"
	}
	return []string{d.Object, cmp.Or(d.Before, "-"), cmp.Or(d.After, "-"), worse}
}
