package main

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// newAnswer puts a decision into the form of the text. Limited lists have at most list entries.
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

	// The text has its own limits. A document has more entries, and counts what it leaves out.
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
		// Room is accounted for only on a chosen node.
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

// dumpOf counts what the cluster in question holds.
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

// askedOf describes the pod in question.
func askedOf(q *asking) Asked {
	p := q.pod
	policy := p.PreemptionPolicy
	if policy == "" {
		// This is the default of the API server.
		policy = outrank.PreemptLowerPriority
	}

	asked := Asked{
		Key: string(p.Key()), From: q.from, Requests: p.Requests(),
		Priority: p.PriorityValue(), PriorityClass: p.PriorityClassName, PrioritySource: q.source,
		PreemptionPolicy: policy,
		NodeName:         p.NodeName, NominatedNode: p.NominatedNodeName, NodeSelector: p.NodeSelector,
	}

	// The number of pods of a DaemonSet depends on the nodes, so that it is left out.
	if t := q.template; t != nil {
		asked.Template = t.String()
		if t.Kind != "DaemonSet" {
			asked.Replicas = &t.Replicas
		}
	}
	return asked
}

// choose fills in what the answer says about the chosen node.
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

	// The candidates are in the order of the ranks, so the second one is the runner-up.
	if len(d.explained.Candidates) > 1 {
		second := candidateOf(&d.explained.Candidates[1])
		a.DecidedBy, a.RunnerUp = d.explained.DecidedBy, &second
	}
}

// victimOf describes a victim, with its requests counted by the rules of a release.
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

// mostBroken bounds the broken budgets that are named for a pod. Hardly any pod breaks more than one.
const mostBroken = 10

// candidateOf describes a candidate. It names each broken budget once.
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

// scoreOf returns the score with both sums of priorities: the plain one, and the one that ranks, in which each
// priority is raised by 2^31.
func scoreOf(s preemption.Score) Score {
	return Score{
		Violations: s.Violations, TopPriority: s.TopPriority,
		PrioritySum: s.PrioritySum - int64(s.Victims)<<31, ShiftedSum: s.PrioritySum,
		Victims: s.Victims, Start: s.Start,
	}
}

// roomOn accounts for how the preemptor's resources are used on the chosen node, in the units in which the
// scheduler counts. It has a row for the number of pods and for each resource that the preemptor asks for.
func roomOn(d *decision) []Room {
	s, on := d.scene, d.explained.Node
	node, _ := s.snap.Node(on)
	needs := needsOf(d)
	var rooms []Room
	for _, name := range needs.Names() {
		if !name.Counted() && name != resource.Pods {
			continue
		}

		freed, reserved := s.freed(d.explained.Victims, name), s.reserved(on, name)
		used, needed := s.snap.Used(on, name), needs.Amount(name)
		after := resource.AddSat(resource.SubSat(used, freed), needed)
		rooms = append(rooms, Room{
			Resource: name, Allocatable: quantity(name, node.Allocatable.Amount(name)),
			Used: quantity(name, used), Freed: quantity(name, freed), Needed: quantity(name, needed),
			Reserved: quantity(name, reserved), After: quantity(name, after),
		})
	}
	return rooms
}

// freed sums what the victims on the chosen node take of a resource. A victim that names a node of its own is
// on another node, and makes room there.
func (s *scene) freed(victims []preemption.Victim, name resource.Name) (sum int64) {
	for _, v := range victims {
		if v.Node == "" {
			sum = resource.AddSat(sum, share(v.Pod.RunningRequests(s.cluster.Release), name))
		}
	}
	return sum
}

// reserved sums how much of a resource a node keeps free for other pods that are nominated to it and at least
// as important as the pod in question.
func (s *scene) reserved(node string, name resource.Name) (sum int64) {
	pod := s.question.pod
	for _, p := range s.snap.NominatedTo(node) {
		if p.PriorityValue() >= pod.PriorityValue() && p.Key() != pod.Key() {
			sum = resource.AddSat(sum, share(p.Requests(), name))
		}
	}
	return sum
}

// feasible returns the nodes that take the pod as things are. It names at most list of them.
func feasible(d *decision, list int) Nodes {
	out := Nodes{Count: d.explained.Feasible, Names: []string{}}
	for i := range d.explained.Nodes {
		if d.explained.Nodes[i].Status.Code == preemption.Success && len(out.Names) < list {
			out.Names = append(out.Names, d.explained.Nodes[i].Node)
		}
	}
	return out
}

// turnedDown counts the nodes that do not take the pod as things are, by reason.
func turnedDown(d *decision, list int) []Reason {
	return reasons(d, list, d.explained.TurnedDown, func(n *preemption.NodeReport) (preemption.Status, bool) {
		return n.Status, n.Status.Code != preemption.Success
	})
}

// unhelpful counts the nodes on which preemption does not help, by the obstacle that remains.
func unhelpful(d *decision, list int) []Reason {
	return reasons(d, list, brief.Unhelpful(d.explained), brief.InVain)
}

// reasons adds to each count the names of its first nodes, at most list. statusOf returns the status under
// which a node was counted, and whether it was counted at all.
func reasons(d *decision, list int, counts []preemption.Count, statusOf func(*preemption.NodeReport) (preemption.Status, bool)) []Reason {
	out := make([]Reason, len(counts))
	place := make(map[string]int, len(counts))
	for i, c := range counts {
		place[statusKey(c.Status)] = i
		out[i] = Reason{Filter: c.Filter, Reasons: c.Reasons, Nodes: Nodes{Count: c.Nodes, Names: []string{}}}
	}

	for i := range d.explained.Nodes {
		status, counted := statusOf(&d.explained.Nodes[i])
		if !counted {
			continue
		}
		r := &out[place[statusKey(status)]]
		r.Tried = d.explained.Nodes[i].AfterRemoval != nil
		if len(r.Nodes.Names) < list {
			r.Nodes.Names = append(r.Nodes.Names, d.explained.Nodes[i].Node)
		}
	}
	return out
}

// statusKey returns a key that is equal for statuses that are counted together.
func statusKey(s preemption.Status) string {
	return fmt.Sprintf("%q %q %q", s.Code, s.Filter, s.Reasons)
}
