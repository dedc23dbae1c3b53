package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/phrase"
	"github.com/outrank-go/outrank/resource"
)

// Trials asks nodes what they say to one pod while some of the pods on them are gone.
// Package explain finds out with it what stands behind a plan. It answers by the filters
// and the possible victims of a decision about the same request, and decides nothing.
//
// One goroutine uses it at a time, and the snapshot must not change meanwhile. The zero
// Trials knows of no snapshot: no node is there, and a pod counts as itself.
type Trials struct {
	of  *dryrun.Attempt
	dry *dryrun.DryRunner
}

var errNoTrials = fmt.Errorf("%w: no trials", outrank.ErrInvalid)

// Trials begins trials of the request. Errors are those of [Evaluator.Preempt]. Time is
// that of a decision before its first node: nothing much where no filter looks at other
// pods, else a look at every class of pods and its nodes.
func (e *Evaluator) Trials(cluster *Snapshot, req preemption.Request) (*Trials, error) {
	if e == nil {
		return nil, errNoEvaluator
	}
	snap, err := opened(context.Background(), cluster)
	if err != nil {
		return nil, err
	}
	if err := dryrun.CheckAlone(snap, req.Pod); err != nil {
		return nil, err
	}
	a, err := dryrun.NewAttempt(context.Background(), &e.config, snap, req.Pod, req.Now)
	if err != nil {
		return nil, err
	}
	if err := dryrun.CheckStatuses(&req, snap); err != nil {
		return nil, err
	}
	a.Elsewhere = dryrun.HasStatuses(&req)
	return &Trials{of: a, dry: dryrun.NewDryRunner(a)}, nil
}

// CountsAs returns the priority that a pod of the snapshot counts with as a victim: its
// own or, where victims are units, that of its groups (rules 12.6.2 and 12.6.4). Of a pod
// that does not run it is the pod's own, and of nil it is 0.
func (t *Trials) CountsAs(pod *outrank.Pod) int32 {
	if pod == nil {
		return 0
	}
	if t.of != nil && pod.Group != "" && t.of.Asked.Rules.VictimUnits {
		if p, ok := t.of.Asked.Snap.Known(pod); ok && p.Running {
			return t.of.Asked.Snap.Units.Of(p).Priority
		}
	}
	return pod.PriorityValue()
}

// LeaveTogether reports whether two pods of the snapshot leave together, as the running
// pods of a group do whose disruption is that of the group (rule 12.6.3).
func (t *Trials) LeaveTogether(a, b *outrank.Pod) bool {
	if t.of == nil || a == nil || b == nil {
		return false
	}
	p, known := t.of.Asked.Snap.Known(a)
	q, also := t.of.Asked.Snap.Known(b)
	if !known || !also || !p.Running || !q.Running || !t.of.Asked.Rules.VictimUnits {
		return known && also && p == q
	}
	whole := t.of.Asked.Snap.Units.Of(p).Whole
	return p == q || whole != nil && whole == t.of.Asked.Snap.Units.Of(q).Whole
}

// On turns to a node. The trial is good until On is called again. Error: [preemption.ErrNotFound]
// for a node that the snapshot does not have. Time is that of its pods.
func (t *Trials) On(node string) (*Trial, error) {
	if t == nil {
		return nil, errNoTrials
	}
	var n *state.NodeState
	if t.of != nil {
		n = t.of.Asked.Snap.NodeState(node)
	}
	if n == nil || n.Node == nil {
		return nil, fmt.Errorf("%s: %w", phrase.Object("node", node), preemption.ErrNotFound)
	}
	w := t.dry
	w.Enter(n)
	possible := w.Chargeable()
	w.Victim = state.Fill(w.Victim, len(possible), false)
	return &Trial{dryrun.NodeOfRule{W: w, Possible: possible}}, nil
}

// Trial is one node of [Trials]. The zero Trial is no node: it has no pods and no room, and
// turns nobody away.
type Trial struct{ of dryrun.NodeOfRule }

// Possible lists the pods that may be victims, the most important first; where they are
// units, unit by unit, with the pods of a unit that run on other nodes. The slice is the
// caller's.
func (t *Trial) Possible() []*outrank.Pod { return state.PodsOf(t.of.Possible) }

// Violated returns for each of the possible victims, in the order of [Trial.Possible], the
// budgets that its loss would violate if all of them were lost, charged as a decision
// does. Nil where the policy charges the victims alone. The slices are the caller's.
func (t *Trial) Violated() [][]*outrank.PodDisruptionBudget {
	w := t.of.W
	if w == nil || w.A.Config.Ascending() || w.A.Config.ChargesVictims() {
		return nil
	}
	out := make([][]*outrank.PodDisruptionBudget, len(t.of.Possible))
	for i, p := range t.of.Possible {
		for _, b := range w.Budgets.Charge(p) {
			out[i] = append(out[i], w.A.Asked.Snap.BudgetSet.List[b])
		}
	}
	w.Budgets.Reset()
	return out
}

// Check returns what the node says to the preemptor with those of the possible victims
// gone for which gone is true; nil means that all stay. What is true of one pod has to be
// true of all that leave with it, for the answer to mean something. Time is that of gone
// for each possible victim, and that of the filters.
func (t *Trial) Check(gone func(*outrank.Pod) bool) preemption.Status {
	if t.of.W == nil {
		return preemption.Status{}
	}
	a := t.of.W.A
	s := filters.Status{}
	if a.Elsewhere {
		s = a.Plan.AskNode(&a.Asked, t.of.W.N)
	} else if s = a.Plan.Refused; s.Code == filters.Success {
		s = a.Plan.CheckNode(&a.Asked, t.of.W.N)
	}
	if s.Code == filters.Success {
		t.without(gone, func() { s = t.of.W.Check() })
	}
	return a.Public(s)
}

// Room returns what the preemptor asks of the node and what there is of it, with pods
// gone as for [Trial.Check]: its place among the node's pods first, then its resources in
// the order of the reference. What is nominated to the node and counts is held. It is nil
// where the filter NodeResourcesFit is off.
func (t *Trial) Room(gone func(*outrank.Pod) bool) (rooms []Room) {
	w := t.of.W
	if w == nil || w.A.Asked.Silent.Has(filters.ResourcesFilter.Index) {
		return nil
	}
	t.without(gone, func() {
		held := int64(len(w.Nominated))
		rooms = append(rooms, Room{resource.Pods, 1, w.N.MaxPods, int64(w.Resources.Count) + held, held})
		for i := range w.A.Asked.Needs {
			d := &w.A.Asked.Needs[i]
			if w.A.Asked.Deferral.Settled(d, w.N) {
				continue
			}
			r := Room{Resource: d.Name, Needed: w.A.Asked.Deferral.Lacks(d, w.N), Offered: d.In(&w.N.Offers)}
			taken, reserved := w.Resources.Taken[i], state.Total{}
			for _, p := range w.Nominated {
				taken.Add(d.In(&p.Takes))
				reserved.Add(d.In(&p.Takes))
			}
			r.Taken, r.Reserved = taken.Saturated(), reserved.Saturated()
			rooms = append(rooms, r)
		}
	})
	return rooms
}

// Takes returns how much of a resource a pod on the node takes, as the node counts it: 1
// of "pods". It is 0 for a pod that runs elsewhere.
func (t *Trial) Takes(pod *outrank.Pod, name resource.Name) int64 {
	if t.of.W == nil || pod == nil {
		return 0
	}
	i := dryrun.IndexOfPod(t.of.W.N.Pods, pod)
	switch {
	case i < 0:
		return 0
	case name == resource.Pods:
		return 1
	}
	d := filters.Need{Name: name, Column: t.of.W.A.Asked.Snap.Columns.Of(name)}
	return d.In(&t.of.W.N.Pods[i].Takes)
}

// Nominated lists the pods nominated to the node that the preemptor has to leave room
// for. The slice is the caller's.
func (t *Trial) Nominated() []*outrank.Pod {
	if t.of.W == nil {
		return nil
	}
	return state.PodsOf(slices.Clone(t.of.W.Nominated))
}

// without calls f while possible victims are gone.
func (t *Trial) without(gone func(*outrank.Pod) bool, f func()) {
	w := t.of.W
	if gone == nil {
		f()
		return
	}
	for i, p := range t.of.Possible {
		w.Victim[i] = gone(p.Pod)
	}
	w.ChangeMarked(t.of.Possible, w.Victim, -1)
	f()
	w.ChangeMarked(t.of.Possible, w.Victim, 1)
	clear(w.Victim)
}

// Room is what a pod asks of a node and what the node has of it.
type Room struct {
	Resource resource.Name
	// Needed is what the pod needs, Offered what the node offers to pods, Taken what is
	// taken of that, and Reserved the part of Taken that pods nominated to the node hold:
	// millicores of cpu, units of any other resource, places under "pods". None is below
	// 0, and Taken may be above Offered.
	Needed, Offered, Taken, Reserved int64
}

// Free returns what is not taken; below 0 where more is taken than offered.
func (r Room) Free() int64 { return r.Offered - r.Taken }

// Short returns how much more would have to be free, 0 where there is enough.
func (r Room) Short() int64 {
	return max(0, resource.SubSat(r.Needed, r.Free()))
}
