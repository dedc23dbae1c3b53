package engine_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// firstFitIn returns a function that places a group as the evaluator does without one, by plain means: a
// new attempt for each pod, in a snapshot that has the pods before it in their places. It is for groups of
// the given snapshot.
func firstFitIn(e *engine.Evaluator, snap *engine.Snapshot) preemption.PlaceFunc {
	return func(ctx context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		f := &firstFit{ctx: ctx, terms: *termsOf(e), snap: snap, work: stateOf(snap).Scratch(), pods: pods}
		f.terms.Guard = nil
		for n := range draft.Nodes() {
			for _, p := range f.work.PodsOn(n.Name) {
				if !slices.Contains(draft.PodsOn(n.Name), p) {
					gone, _ := f.work.PodStates.Of(p)
					f.work.Drop(gone)
				}
			}
		}
		for _, p := range pods {
			f.work.Seat(p, "", f.nomination(p))
		}
		return f.place()
	}
}

type firstFit struct {
	ctx   context.Context
	terms dryrun.Terms
	snap  *engine.Snapshot
	work  *state.Snapshot
	pods  []*outrank.Pod
	at    []preemption.Assignment
	first *preemption.Refusal // of the first pod without a place
}

func (f *firstFit) nomination(p *outrank.Pod) string {
	if _, known := f.snap.Pod(p.Key()); known {
		return f.snap.NominationOf(p.Key())
	}
	return p.NominatedNodeName
}

func (f *firstFit) place() ([]preemption.Assignment, *preemption.Refusal, error) {
	group, known := f.snap.Group(f.pods[0].GroupKey())
	var a placing
	switch above := f.above(group); {
	case len(above) > 0:
		a = f.tree(above[len(above)-1])
	case known:
		a = f.group(group)
	default:
		a = f.each(wanted{least: len(f.pods)}, len(f.pods), func(i int) placing { return f.pod(f.pods[i]) })
	}
	switch {
	case a.err != nil:
		return nil, nil, a.err
	case a.found && len(f.at) > 0:
		return f.at, nil, nil
	case f.first == nil:
		f.first = &preemption.Refusal{}
	}
	f.first.Reason = a.why
	return nil, f.first, nil
}

// placing says whether there is a place, or why there is none where a policy says it.
type placing struct {
	found bool
	why   string
	err   error
}

// wanted is how many members have to be there, and how many are.
type wanted struct {
	least, there int
	named        bool
}

// each places members of a group, and takes back what it placed in vain.
func (f *firstFit) each(w wanted, members int, place func(i int) placing) placing {
	before := len(f.at)
	for i := 0; ; i++ {
		if left := members - i; w.there+left < w.least {
			for _, a := range slices.Backward(f.at[before:]) {
				f.work.Seat(a.Pod, "", f.nomination(a.Pod))
			}
			f.at = f.at[:before]
			if !w.named {
				return placing{}
			}
			return placing{why: fmt.Sprintf("minCount (%d) cannot be satisfied: %d scheduled, %d remaining", w.least, w.there, left)}
		}
		if i == members {
			return placing{found: true}
		}
		a := place(i)
		if a.err != nil {
			return a
		}
		if a.found {
			w.there++
		}
	}
}

// group places the pods of one group.
func (f *firstFit) group(g *outrank.PodGroup) placing {
	var pods []*outrank.Pod
	for _, p := range f.pods {
		if p.GroupKey() == g.Key() {
			pods = append(pods, p)
		}
	}
	w := wanted{named: true}
	for p := range f.snap.Pods() {
		if n := f.snap.NodeOf(p.Key()); p.Group != "" && p.GroupKey() == g.Key() && n != "" {
			if _, there := f.snap.Node(n); there {
				w.there++
			}
		}
	}
	switch g.Policy {
	case outrank.GangPolicy:
		w.least = int(g.MinCount)
	case outrank.BasicPolicy:
		w.least = 1
	default:
		w.least, w.named = w.there+len(pods), false
	}
	return f.each(w, len(pods), func(i int) placing { return f.pod(pods[i]) })
}

// tree places the groups below a composite one, by their keys, a composite one by the first key below it.
func (f *firstFit) tree(root *outrank.CompositePodGroup) placing {
	var below []func() placing
	seen := map[*outrank.CompositePodGroup]bool{}
	for g := range f.snap.Groups() {
		above := f.above(g)
		at := slices.Index(above, root)
		switch {
		case at == 0:
			below = append(below, func() placing { return f.group(g) })
		case at > 0 && !seen[above[at-1]]:
			seen[above[at-1]] = true
			below = append(below, func() placing { return f.tree(above[at-1]) })
		}
	}
	w := wanted{named: true, least: 1}
	if root.Policy == outrank.GangPolicy {
		w.least = int(root.MinGroupCount)
	}
	return f.each(w, len(below), func(i int) placing { return below[i]() })
}

// above are the composite groups above a group, the lowest first, as many as a tree has levels: other groups
// may go round in a circle.
func (f *firstFit) above(g *outrank.PodGroup) (above []*outrank.CompositePodGroup) {
	if g == nil || !f.work.Rules.CompositeUnits {
		return nil
	}
	for c, ok := f.snap.Composite(g.ParentKey()); ok && len(above) < outrank.MaxGroupLevels-1; c, ok = f.snap.Composite(c.ParentKey()) {
		above = append(above, c)
	}
	return above
}

// pod places one pod.
func (f *firstFit) pod(p *outrank.Pod) placing {
	a, err := dryrun.NewAttempt(f.ctx, &f.terms, f.work, p, time.Time{})
	if err != nil {
		return placing{err: err}
	}
	runner, counted := dryrun.NewDryRunner(a), &dryrun.Result{Attempt: a}
	var said []filters.Status
	for n := range f.work.Nodes() {
		if err := f.ctx.Err(); err != nil {
			return placing{err: err}
		}
		s := runner.Filter(f.work.NodeState(n.Name))
		if s.Code == filters.Success {
			f.at = append(f.at, preemption.Assignment{Pod: p, Node: n.Name})
			f.work.Seat(p, n.Name, "")
			return placing{found: true}
		}
		said = append(said, s)
	}
	if f.first == nil {
		f.first = &preemption.Refusal{Pod: p, Nodes: counted.CountsOf(said, nil)}
	}
	return placing{}
}
