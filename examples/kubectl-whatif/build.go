package main

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// newAnswer puts a decision into the form of the text.
func newAnswer(d *decision, list int) *Answer {
	a := &Answer{
		Cluster: dumpOf(d.scene), Now: d.scene.now, Pod: askedOf(d.scene.question), Resize: resizeOf(d),
		Caveats: d.scene.caveats, Why: d.why, Then: d.scene.happened(),
		Outcome: d.explained.Outcome, Ineligible: d.explained.Ineligible,
		Refused:        d.explained.Refused.Code != preemption.Success,
		FeasibleNodes:  feasible(d, list),
		CandidateCount: len(d.explained.Candidates),
		TurnedDown:     turnedDown(d, list), Unhelpful: unhelpful(d, list),
	}
	for i := range d.explained.Candidates[:min(len(d.explained.Candidates), list)] {
		a.Candidates = append(a.Candidates, candidateOf(&d.explained.Candidates[i]))
	}
	if d.explained.Outcome == preemption.Preempts {
		a.choose(d)
	}
	if d.explained.Outcome == preemption.NothingHelps {
		a.Hints = hints(a)
	}
	if d.goes != nil {
		a.Goes = d.goes.Text()
	}
	return a
}

// newDocument puts a decision into the form for programs.
func newDocument(d *decision) *Document {
	list := brief.Usual
	if o := d.scene.opts; o.set["list"] {
		list = o.limit()
	}
	decision, left := brief.Of(d.explained, list)
	doc := &Document{
		APIVersion: "whatif/v1", Version: stamp.Here().Known(), Cluster: dumpOf(d.scene), Now: d.scene.now, Pod: askedOf(d.scene.question), Resize: resizeOf(d),
		Decision: decision, LeftOut: left, Why: d.why, Victims: []VictimFacts{}, Room: []Room{}, Hints: []string{}, Warnings: []Warning{},
		Caveats: append([]Warning{}, d.scene.caveats...), Replacements: d.then, Exact: exactOf(d.best), Trace: d.steps, NoEffect: d.noEffect, Goes: d.goes,
	}
	if h := d.scene.happened(); h != nil {
		doc.Changes, doc.Before, doc.Forbidden, doc.Resizes = h.changes, h.before, h.forbidden, h.resizes
	}
	if d.explained.Outcome == preemption.Preempts {
		doc.Room = roomOn(d)
	}
	for i := range d.explained.Victims {
		p := d.explained.Victims[i].Pod
		doc.Victims = append(doc.Victims, VictimFacts{string(p.Key()), p.RunningRequests(d.scene.cluster.Release), p.Owner.String()})
	}
	if d.explained.Outcome == preemption.NothingHelps {
		doc.Hints = hints(newAnswer(d, 0))
	}
	for _, w := range d.scene.warnings {
		doc.Warnings = append(doc.Warnings, Warning{w.Object, w.Field, w.Text})
	}
	return doc
}

func dumpOf(s *scene) Dump {
	c := s.cluster
	out := Dump{
		Source: s.opts.source(), Nodes: len(c.Nodes), Pods: len(c.Pods),
		Budgets: len(c.Budgets), Classes: len(c.Classes),
		Release: c.Release.OrDefault(), ReleaseFrom: s.releaseFrom,
		Skipped: map[string]int{}, Finished: c.Finished,
	}
	for kind, n := range c.Skipped {
		out.Skipped[kind] = n
	}
	for _, p := range c.Pods {
		if p.NodeName == "" {
			out.Pending++
		}
	}
	return out
}

func askedOf(q *asking) Asked {
	p := q.pod
	policy := p.PreemptionPolicy
	if policy == "" {
		policy = outrank.PreemptLowerPriority
	}
	asked := Asked{
		Key: string(p.Key()), From: q.from, Requests: p.Requests(),
		Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, PrioritySource: q.source,
		PreemptionPolicy: policy,
		NodeName:         p.NodeName, NominatedNode: p.NominatedNodeName, NodeSelector: p.NodeSelector,
	}
	if t := q.template; t != nil {
		asked.Template = t.String()
		if t.Kind != "DaemonSet" {
			asked.Replicas = &t.Replicas
		}
	}
	return asked
}

// choose fills in the facts about the chosen node.
func (a *Answer) choose(d *decision) {
	score := scoreOf(d.explained.Score)
	a.Node, a.Score = d.explained.Node, &score
	for i := range d.explained.Victims {
		a.Victims = append(a.Victims, victimOf(&d.explained.Victims[i], d.scene.cluster.Release))
	}
	a.Room = roomOn(d)
	if d.noEffect != nil {
		a.NoEffect = d.noEffect.Text()
	}
	for _, p := range d.explained.ClearedNominations {
		a.ClearedNominations = append(a.ClearedNominations, Nomination{string(p.Key()), p.PriorityValue()})
	}
	if len(d.explained.Candidates) > 1 {
		second := candidateOf(&d.explained.Candidates[1])
		a.DecidedBy, a.RunnerUp = d.explained.DecidedBy, &second
	}
}

func victimOf(v *preemption.Victim, r outrank.Release) Victim {
	out := Victim{
		Key: string(v.Pod.Key()), Priority: v.Pod.PriorityValue(), PriorityClass: v.Pod.PriorityClassName,
		Start: v.Pod.StartTime, Requests: v.Pod.RunningRequests(r), Owner: v.Pod.Owner.String(),
		Violated: []Budget{}, Terminating: v.Pod.Terminating(),
		Node: v.Node,
	}
	switch {
	case v.Group != nil:
		out.With = "podgroup " + string(v.Group.Key())
	case v.Composite != nil:
		out.With = "compositepodgroup " + string(v.Composite.Key())
	}
	for _, b := range v.Violated[:min(len(v.Violated), mostBroken)] {
		out.Violated = append(out.Violated, Budget{string(b.Key()), b.DisruptionsAllowed})
	}
	out.MoreViolated = len(v.Violated) - len(out.Violated)
	return out
}

// mostBroken is the most broken budgets that are named for a pod. Hardly any
// pod has more than one.
const mostBroken = 10

func candidateOf(c *preemption.Candidate) Candidate {
	out := Candidate{Node: c.Node, Score: scoreOf(c.Score), Violated: []string{}}
	known := map[*outrank.PodDisruptionBudget]bool{}
	for _, v := range c.Victims {
		out.Victims = append(out.Victims, string(v.Pod.Key()))
		for _, b := range v.Violated {
			if !known[b] {
				known[b] = true
				out.Violated = append(out.Violated, string(b.Key()))
			}
		}
	}
	return out
}

func scoreOf(s preemption.Score) Score {
	return Score{
		Violations: s.Violations, TopPriority: s.TopPriority,
		PrioritySum: s.PrioritySum - int64(s.Victims)<<31, ShiftedSum: s.PrioritySum,
		Victims: s.Victims, Start: s.Start,
	}
}

// roomOn accounts for the preemptor's demands on the chosen node, in the units
// that the scheduler counts in.
func roomOn(d *decision) []Room {
	node, _ := d.scene.snap.Node(d.explained.Node)
	needs := needsOf(d)
	var rooms []Room
	for _, name := range needs.Names() {
		if !name.Counted() && name != resource.Pods {
			continue
		}
		var freed, reserved int64
		for _, v := range d.explained.Victims {
			if v.Node != "" {
				continue // it makes room elsewhere
			}
			freed = resource.AddSat(freed, share(v.Pod.RunningRequests(d.scene.cluster.Release), name))
		}
		for _, p := range d.scene.snap.NominatedTo(d.explained.Node) {
			if p.PriorityValue() >= d.scene.question.pod.PriorityValue() && p.Key() != d.scene.question.pod.Key() {
				reserved = resource.AddSat(reserved, share(p.Requests(), name))
			}
		}
		used, needed := d.scene.snap.Used(d.explained.Node, name), needs.Amount(name)
		after := resource.AddSat(resource.SubSat(used, freed), needed)
		rooms = append(rooms, Room{
			Resource: name, Allocatable: quantity(name, node.Allocatable.Amount(name)),
			Used: quantity(name, used), Freed: quantity(name, freed), Needed: quantity(name, needed),
			Reserved: quantity(name, reserved), After: quantity(name, after),
		})
	}
	return rooms
}

func feasible(d *decision, list int) Nodes {
	out := Nodes{Count: d.explained.Feasible, Names: []string{}}
	for i := range d.explained.Nodes {
		if d.explained.Nodes[i].Status.Code == preemption.Success && len(out.Names) < list {
			out.Names = append(out.Names, d.explained.Nodes[i].Node)
		}
	}
	return out
}

func turnedDown(d *decision, list int) []Reason {
	return reasons(d, list, d.explained.TurnedDown, func(n *preemption.NodeReport) (preemption.Status, bool) {
		return n.Status, n.Status.Code != preemption.Success
	})
}

func unhelpful(d *decision, list int) []Reason {
	return reasons(d, list, brief.Unhelpful(d.explained), brief.InVain)
}

// reasons adds to each count the names of its nodes.
func reasons(d *decision, list int, counts []preemption.Count, of func(*preemption.NodeReport) (preemption.Status, bool)) []Reason {
	out := make([]Reason, len(counts))
	place := make(map[string]int, len(counts))
	for i, c := range counts {
		place[same(c.Status)] = i
		out[i] = Reason{Filter: c.Filter, Reasons: c.Reasons, Nodes: Nodes{Count: c.Nodes, Names: []string{}}}
	}
	for i := range d.explained.Nodes {
		status, counted := of(&d.explained.Nodes[i])
		if !counted {
			continue
		}
		r := &out[place[same(status)]]
		r.Tried = d.explained.Nodes[i].AfterRemoval != nil
		if len(r.Nodes.Names) < list {
			r.Nodes.Names = append(r.Nodes.Names, d.explained.Nodes[i].Node)
		}
	}
	return out
}

// same is equal for statuses that are counted together.
func same(s preemption.Status) string {
	return fmt.Sprintf("%q %q %q", s.Code, s.Filter, s.Reasons)
}
