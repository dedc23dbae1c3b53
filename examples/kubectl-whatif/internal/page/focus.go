package page

import (
	"fmt"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// scene shows a node before and after, by each resource that matters.
type scene struct {
	// Before, Node and After form the heading: the node's name between two texts.
	Before, Node, After string
	// Note says what the picture does not show.
	Note   string
	Meters []meter
	// when has the captions of the two bars.
	when [2]string
}

// meter shows one resource of a node.
type meter struct {
	Resource string
	Offered  string
	Bars     []*bar
	Ticks    []tick
}

// tick is a mark on the axis below the bars. X is its position in percent.
type tick struct{ X, Text, Class string }

// mostScenes is the most scenes of nodes other than the chosen one.
const mostScenes = 4

// scenes returns the scenes of the nodes that the answer is about.
func (d *maker) scenes() []scene {
	e := d.plan
	switch e.Outcome {
	case preemption.Preempts:
		out := []scene{d.scene(e.Node, &e.Candidate, d.in.NoEffect == "", false)}
		return append(out, d.elsewhere()...)
	case preemption.Fits:
		return d.fitting()
	case preemption.NotEligible:
		if len(e.Candidates) > 0 {
			s := d.scene(e.Candidates[0].Node, &e.Candidates[0], true, true)
			s.After = ", if the pod might push others out"
			s.Note = "Nobody leaves, as it may not. If it might, this is the node where it would."
			return []scene{s}
		}
	}
	return d.nearest()
}

// elsewhere returns the scenes of the other nodes on which victims run.
func (d *maker) elsewhere() []scene {
	var out []scene
	known := map[string]bool{d.plan.Node: true, "": true}
	more := 0
	for i := range d.plan.Victims {
		node := d.plan.Victims[i].Node
		if known[node] {
			continue
		}

		known[node] = true
		// Further nodes are only counted, and the last scene tells their number.
		if len(out) == mostScenes {
			more++
			continue
		}
		s := d.scene(node, &d.plan.Candidate, false, false)
		s.Note = "Its pods leave because they are in a group with victims on the chosen node: all pods of the group leave together."
		out = append(out, s)
	}

	if more > 0 {
		out[len(out)-1].Note += fmt.Sprintf(" Victims run on %s besides.", console.Plural(more, "more node"))
	}
	return out
}

// fitting returns the scene of the first node that takes the pod as things are.
func (d *maker) fitting() []scene {
	for i := range d.plan.Nodes {
		n := &d.plan.Nodes[i]
		if n.Status.Code != preemption.Success {
			continue
		}

		s := d.scene(n.Node, nil, true, false)
		if more := d.plan.Feasible - 1; more > 0 {
			s.Note = fmt.Sprintf("One of %d nodes that take the pod, the first in the cluster's order. Which one a scheduler takes is decided by its scores.", more+1)
		}
		return []scene{s}
	}
	return nil
}

// nearest returns the scene of the node that lacks the least room.
func (d *maker) nearest() []scene {
	nothing := d.report.Nothing
	if nothing == nil || nothing.Nearest == nil {
		return nil
	}

	// The report counts the pods that were removed, and does not name them. They are the pods below the
	// preemptor, unless a rule spares some or groups leave together. In that case the numbers differ, and no
	// pods are shown as leaving.
	var c preemption.Candidate
	for _, p := range d.snap.PodsOn(nothing.Nearest.Node) {
		if p.PriorityValue() < d.pod.PriorityValue() {
			c.Victims = append(c.Victims, preemption.Victim{Pod: p})
		}
	}

	c.Node = nothing.Nearest.Node
	if len(c.Victims) != nothing.Nearest.Gone {
		c.Victims = nil
	}

	s := d.scene(c.Node, &c, true, true)
	s.After = " is the nearest, and too full all the same"
	s.Note = "Of the nodes that lack room this is the one where the least is missing."
	if len(c.Victims) > 0 {
		s.Note = "Of the nodes that lack room this is the one where the least is missing once all pods are thought away that could leave."
	}
	return []scene{s}
}

// scene draws a node before and after a candidate is carried out. takes says that the preemptor is placed on the
// node, and would that the changes are hypothetical: nobody really leaves.
func (d *maker) scene(node string, c *preemption.Candidate, takes, would bool) scene {
	s := scene{Before: "Node ", Node: node, After: ", before and after", when: [2]string{"before", "after"}}
	if would {
		s.when = [2]string{"as it is", "with it"}
	}
	r := d.nodePodsOf(node, c, takes)
	if r == nil {
		return s
	}

	for _, name := range d.metered(r) {
		before, after := d.parts(r, name)
		p := &painter{scale: d.scale, name: name, offered: r.node.Allocatable.Amount(name), texts: true, would: would}
		// Both bars have the same scale, so that they can be compared.
		p.fit(before, after)
		if p.whole == 0 {
			continue
		}

		// In the bar before, an excess is not the preemptor's lack.
		m := meter{Resource: string(name), Offered: p.amount(p.offered), Ticks: p.ticks(), Bars: []*bar{p.draw(s.when[0], node, before)}}
		p.lacks = takes
		m.Bars = append(m.Bars, p.draw(s.when[1], node, after))
		s.Meters = append(s.Meters, m)
	}
	return s
}

// metered returns the resources by which a node is drawn: those that the pod asks for, and the number of pods
// if the node has no place for another one or if a pod would be invisible otherwise.
func (d *maker) metered(r *nodePods) []resource.Name {
	var out []resource.Name
	for _, v := range d.views {
		if v.Name != resource.Pods && (v.Asked || d.pod.Requests() == nil) {
			out = append(out, v.Name)
		}
	}

	full := r.node.Allocatable.Amount(resource.Pods) <= d.snap.Used(r.node.Name, resource.Pods)
	if full || len(out) == 0 || d.unseen(r, out) {
		out = append(out, resource.Pods)
	}
	return out
}

// unseen reports whether the preemptor or a victim takes none of the resources, so that no bar would show it.
func (d *maker) unseen(r *nodePods, names []resource.Name) bool {
	for _, p := range append(r.leaves[:len(r.leaves):len(r.leaves)], d.pod) {
		seen := false
		for _, name := range names {
			seen = seen || taken(p.Requests(), name) > 0 && d.running(p, name) > 0
		}
		if !seen {
			return true
		}
	}
	return false
}

// ticks marks the quarters and the end of what the node offers. It leaves out marks that would overlap.
func (p *painter) ticks() []tick {
	out := []tick{{X: "0%", Text: "0", Class: "first"}}
	if p.offered <= 0 {
		return out
	}

	full := float64(p.offered) / p.whole
	// If the node takes only a small part of the picture, the quarters would overlap.
	for i := 1; i < 4 && full > 0.4; i++ {
		out = append(out, tick{X: percent(full * float64(i) / 4), Text: fmt.Sprint(25*i) + " %", Class: [...]string{"odd", "even"}[(i+1)%2]})
	}

	class := "whole"
	switch {
	case full > 0.85:
		class = "last"
	case full < 0.1:
		class, out = "first", nil
	}
	return append(out, tick{X: percent(full), Text: "100 % = " + p.amount(p.offered), Class: class})
}
