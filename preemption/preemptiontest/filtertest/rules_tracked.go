package filtertest

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// checkConcern compares the answers with and without the pods of a node that do not concern the filter.
func checkConcern(s *scene) *Violation {
	concerns := s.filter.concerns
	if concerns == nil {
		return nil
	}

	// Whether a pod concerns the filter must depend neither on when it is asked, nor on which of two equal
	// objects it is asked about.
	here, untouched := s.here.cluster, s.untouched.cluster
	for i, p := range here.Pods {
		twin := untouched.Pods[i]
		first := concerns(p)
		if again := concerns(p); again != first || concerns(twin) != first {
			s.calls = []string{"Concerns " + string(p.Key())}
			return s.violation(ruleConcern, "it said something else for the same pod, or for an equal one")
		}
	}

	// Without the pods of a node that do not concern the filter, all answers must stay the same.
	for n := range s.here.nodes() {
		a := s.begin()
		if a == nil {
			return nil
		}
		want := a.checkAll()

		changed := s.here.clone()
		for _, p := range changed.PodsOn(n.Name) {
			if !concerns(p) {
				if err := changed.RemovePod(p.Key()); err != nil {
					return nil
				}
			}
		}

		fresh := s.start("fresh", s.here.pod, changed)
		if fresh == nil {
			return nil
		}
		if i, differ := firstDifference(fresh.checkAll(), want); differ {
			return s.violation(ruleConcern, "with the pods on %s that do not concern it, answer %d was %s", n.Name, i+1, textOf(want[i]))
		}
	}
	return nil
}

// change is a change of a snapshot, with its name in the list of calls.
type change struct {
	name   string
	change func(*engine.Snapshot) error
}

// changesOf returns changes of a node and its pods, to be made one after another: its pods leave, nominated
// pods come, the node is replaced, its pods come back, and the node is removed and comes back.
func (s *scene) changesOf(n *outrank.Node) []change {
	var steps []change
	here := s.here.snap
	for _, p := range here.PodsOn(n.Name) {
		steps = append(steps,
			change{"RemovePod " + string(p.Key()), func(s *engine.Snapshot) error { return s.RemovePod(p.Key()) }},
		)
	}
	for _, p := range here.NominatedTo(n.Name) {
		steps = append(steps, change{"Bind " + string(p.Key()), func(s *engine.Snapshot) error { return s.Bind(p.Key(), n.Name) }})
	}

	again := *n
	steps = append(steps, change{"PutNode " + n.Name, func(s *engine.Snapshot) error { return s.PutNode(&again) }})
	for _, p := range here.PodsOn(n.Name) {
		steps = append(steps, change{"PutPod " + string(p.Key()), func(s *engine.Snapshot) error {
			_, err := s.PutPod(p)
			return err
		}})
	}
	return append(steps,
		change{"RemoveNode " + n.Name, func(s *engine.Snapshot) error { return s.RemoveNode(n.Name) }},
		change{"PutNode " + n.Name, func(s *engine.Snapshot) error { return s.PutNode(n) }},
	)
}

// track returns a clone of the scene's snapshot on which the filter was asked, so that the clone
// keeps the filter's trackers. It is nil if the filter uses no tracker.
func (s *scene) track() *engine.Snapshot {
	s.calls = s.calls[:0]
	snap := s.here.clone()
	view := &watchedView{View: snap}
	if a := s.startBy("first", s.here.pod, snap, view); a != nil {
		s.dryRunsOn(a, snap)
	}
	if !view.tracked.Load() {
		return nil
	}
	return snap
}

// watchedView is a view that notes whether a tracker was asked for.
type watchedView struct {
	preemption.View
	tracked atomic.Bool
}

// Tracked implements [preemption.View].
func (w *watchedView) Tracked(t *preemption.Tracker) preemption.ClusterState {
	w.tracked.Store(true)
	return w.View.Tracked(t)
}

// countedView is a snapshot that keeps no trackers: it counts their state anew each time it is asked.
type countedView struct{ *engine.Snapshot }

// Tracked implements [preemption.View].
func (v countedView) Tracked(t *preemption.Tracker) preemption.ClusterState {
	if t == nil || t.New == nil {
		return nil
	}
	state := t.New()
	if state == nil {
		return nil
	}
	for n := range v.Nodes() {
		for _, p := range v.PodsOn(n.Name) {
			if t.Concerns == nil || t.Concerns(p) {
				state.Add(p, n)
			}
		}
	}
	return state
}

// checkTracked changes a snapshot on which the filter was asked, and compares the answers on it with
// answers on an equal snapshot whose trackers are counted anew.
func checkTracked(s *scene) *Violation {
	for n := range s.here.nodes() {
		snap := s.track()
		if snap == nil {
			return nil
		}

		// plain gets the same changes as snap. left is a clone that gets none.
		plain := s.here.clone()
		mark, left := snap.Mark(), snap.Clone()
		for _, step := range s.changesOf(n) {
			if step.change(plain) != nil {
				continue // the change cannot be made here
			}
			s.calling("%s, as the snapshot tells the state", step.name)
			err := step.change(snap)
			s.within = false
			if err != nil {
				return s.violation(ruleTracked, "%v", err)
			}
			if v := s.compareTracked(snap, plain, step.name); v != nil {
				return v
			}
		}

		if v := s.compareTracked(left, s.here.snap, "a clone was changed"); v != nil {
			return v
		}
		s.calling("Undo, as the snapshot tells the state")
		err := snap.Undo(mark)
		s.within = false
		if err != nil {
			return s.violation(ruleTracked, "%v", err)
		}
		if v := s.compareTracked(snap, s.here.snap, "Undo"); v != nil {
			return v
		}
	}
	return nil
}

// compareTracked compares the answers on two equal snapshots. It asks the tracked one twice, because the
// first attempt must not change the answers of the second.
func (s *scene) compareTracked(tracked, plain *engine.Snapshot, after string) *Violation {
	calls := slices.Clone(s.calls)
	anew := s.start("counted", s.here.pod, plain)
	if anew == nil {
		return nil
	}
	want := s.dryRunsOn(anew, plain)

	for _, name := range []string{"tracked", "again"} {
		s.calls = slices.Clone(calls)
		a := s.startBy(name, s.here.pod, tracked, tracked)
		if a == nil {
			return s.violation(ruleTracked, "Start returned an error that it does not return about an equal snapshot")
		}
		if i, differ := firstDifference(s.dryRunsOn(a, tracked), want); differ {
			return s.violation(ruleTracked, "after %s a state that was counted anew said %s in answer %d", after, textOf(want[i]), i+1)
		}
	}
	s.calls = calls
	return nil
}

// dryRunsOn makes a dry run on every node of a snapshot.
func (s *scene) dryRunsOn(a *attempt, snap *engine.Snapshot) []preemption.Status {
	var list []preemption.Status
	pod := s.here.pod
	for n := range snap.Nodes() {
		victims := slices.DeleteFunc(snap.PodsOn(n.Name), func(p *outrank.Pod) bool {
			return p.PriorityValue() >= pod.PriorityValue() || !s.concerns(p)
		})
		list = append(list, logged{a}.run(n, victims)...)
	}
	return list
}

// checkTrackedConcurrency changes clones of a snapshot on which the filter was asked, and at the same time
// asks the filter on the snapshot itself.
func checkTrackedConcurrency(s *scene) *Violation {
	want, ok := s.alone(s.here.pod)
	if !ok {
		return nil
	}
	snap := s.track()
	if snap == nil {
		return nil
	}

	var all sync.WaitGroup
	wrong := make([]string, asking)
	for i := range asking {
		clone := snap.Clone()
		all.Go(func() {
			wrong[i] = s.compareWithin(s.startOn(snap), s.here.pod, want)
		})
		all.Go(func() {
			defer func() { _ = recover() }() // a panic shows in the other goroutines, too, which report it
			for n := range snap.Nodes() {
				for _, p := range snap.PodsOn(n.Name) {
					_ = clone.RemovePod(p.Key())
				}
			}
		})
	}
	all.Wait()

	// The calls of several goroutines have no order that could be listed.
	s.calls = nil
	if i := slices.IndexFunc(wrong, func(text string) bool { return text != "" }); i >= 0 {
		return s.violation(ruleConcurrency, "tracked, while clones of the snapshot changed: %s", wrong[i])
	}
	return nil
}

// startOn returns a function that starts an attempt on a snapshot without recording the call.
func (s *scene) startOn(snap *engine.Snapshot) func() preemption.FilterState {
	return func() preemption.FilterState {
		state, err := s.filter.start(s.here.pod, snap)
		if err != nil {
			return nil
		}
		return state
	}
}
