package question

import (
	"fmt"
	"strconv"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Overview draws the answer as a page about the snapshot in question. It marks the pods that become possible
// victims of new pods of some class.
func (c *ClassImpact) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	s := sketchOf(snap, "", "Nothing happens at once: a pod keeps the priority that it was created with, whatever becomes of its class.")
	s.May = true

	// A reach names only its most important pods.
	cut := false
	for i := range c.Classes {
		r := &c.Classes[i]
		for _, reach := range []*Reach{&r.AsTheyStand, &r.Again} {
			cut = cut || len(reach.Names) < reach.Gained
			for _, key := range reach.Names {
				s.leave(key, "could be pushed out by new pods of "+className(r.Class))
			}
		}
	}

	s.Headline = classesHeadline(len(c.Changes), len(s.Leave), cut)
	s.Title = s.Headline
	if cut {
		s.Summary += " The most important ones are marked; the table counts them all."
	}

	s.figure(c.Running, "running pods")
	s.figure(c.Remade, "would get another priority when they are recreated")
	s.figure(len(c.Pending), "pending pods for which it means something else")
	s.table(c.changesTable())
	s.table(c.reachTable())
	s.table(c.pendingTable())
	c.todo(s)
	return &s.Overview
}

// classesHeadline says how many pods become possible victims. cut says that the number counts only some of
// them.
func classesHeadline(changes, gained int, cut bool) string {
	what := "1 class changes"
	switch {
	case changes == 0:
		return "No class changes"
	case changes > 1:
		what = fmt.Sprintf("%d classes change", changes)
	}

	who := console.Plural(gained, "running pod")
	switch {
	case gained == 0:
		who = "no running pod"
	case cut:
		who = fmt.Sprintf("more than %d running pods", gained)
	}
	return what + ", and " + who + " could be pushed out that could not before"
}

// changesTable lists the changed classes.
func (c *ClassImpact) changesTable() page.Table {
	t := page.Table{Title: "What changes", Columns: []page.Column{{Title: "Class"}, {Title: "Before"}, {Title: "After"}}}
	for i := range c.Changes {
		change := &c.Changes[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{change.Name, change.Before.text(), change.After.text()}})
	}
	if c.DefaultBefore != c.DefaultAfter {
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{"the default", orNone(c.DefaultBefore), orNone(c.DefaultAfter)}})
	}
	return t
}

// reachTable lists the classes whose reach changes.
func (c *ClassImpact) reachTable() page.Table {
	t := page.Table{
		Title: "How many running pods a new pod of a class could push out",
		Note:  "By priority alone: now, after the change with the running pods as they stand, and once controllers have recreated them.",
		Columns: []page.Column{{Title: "Class"}, {Title: "Value"}, {Title: "Now", Number: true}, {Title: "Those as they stand", Number: true},
			{Title: "All recreated", Number: true}, {Title: "Who could not be pushed out before"}},
	}
	for i := range c.Classes {
		r := &c.Classes[i]
		if !r.changes() {
			continue
		}
		row := page.TableRow{Cells: []string{className(r.Class), r.values(), strconv.Itoa(r.Now), r.AsTheyStand.text(), r.Again.text(), "nobody"}}
		if r.AsTheyStand.Gained > 0 {
			row.Cells[5] = "at once: " + r.AsTheyStand.gained()
		}
		if r.Again.Gained > 0 {
			row.Notes = append(row.Notes, "once all are recreated: "+r.Again.gained())
		}
		t.Rows = append(t.Rows, row)
	}
	t.More = c.MoreClasses
	return t
}

// pendingTable lists the waiting pods for which the change makes a difference, each with its turns.
func (c *ClassImpact) pendingTable() page.Table {
	t := page.Table{
		Title: "What it means to pods that wait",
		Note:  "Each is asked about alone. As things are they keep their priority; this is what they would do if they were recreated.",
		Columns: []page.Column{{Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "When"}, {Title: "Node"},
			{Title: "Outcome"}},
	}
	shown := bounded(len(c.Pending), page.MostRows)
	for i := range c.Pending[:shown] {
		p := &c.Pending[i]
		priority := strconv.Itoa(int(p.Pod.Priority))
		if p.After != p.Pod.Priority {
			priority += " → " + strconv.Itoa(int(p.After))
		}
		for _, turn := range p.turns() {
			row := page.TableRow{Cells: []string{string(p.Pod.Key), priority, turn.when, turn.Node, turn.Text()}}
			if len(turn.Victims) > 0 {
				row.Notes = []string{"who leaves: " + turn.victimNames(notesOnPage)}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.More = len(c.Pending) - shown
	return t
}

// todo ends the page with what to do.
func (c *ClassImpact) todo(s *sketch) {
	if len(s.Leave) == 0 {
		s.do("Nothing to do: no running pod could be pushed out that could not before.")
		return
	}
	s.do("Look at the marked pods before the classes change: new pods could push them out, and could not before.")
	s.do("What happens once all pods have been recreated is tried by --recreate with the same changes.")
}
