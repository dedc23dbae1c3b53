package filtertest

import (
	"slices"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// checkConcern compares the answers with and without the pods of a node that do
// not concern the filter.
func checkConcern(s *scene) *Violation {
	f, ok := s.filter.(engine.SelectiveFilter)
	if !ok {
		return nil
	}
	for i, p := range s.here.cluster.Pods {
		twin := s.untouched.cluster.Pods[i]
		first := f.Concerns(p)
		if again := f.Concerns(p); again != first || f.Concerns(twin) != first {
			s.calls = []string{"Concerns " + string(p.Key())}
			return s.violation(ruleConcern, "it said something else for the same pod, or for an equal one")
		}
	}
	for n := range s.here.nodes() {
		a := s.begin()
		if a == nil {
			return nil
		}
		want := a.checkAll()
		changed := s.here.clone()
		for _, p := range changed.PodsOn(n.Name) {
			if !f.Concerns(p) {
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

// attachedStep is a change of a snapshot.
type attachedStep struct {
	name   string
	change func(*engine.Snapshot) error
}

// attachedSteps lists changes of a node and its pods, one after another.
func (s *scene) attachedSteps(n *outrank.Node) []attachedStep {
	var steps []attachedStep
	for _, p := range s.here.snap.PodsOn(n.Name) {
		steps = append(steps,
			attachedStep{"RemovePod " + string(p.Key()), func(s *engine.Snapshot) error { return s.RemovePod(p.Key()) }},
		)
	}
	for _, p := range s.here.snap.NominatedTo(n.Name) {
		steps = append(steps, attachedStep{"Bind " + string(p.Key()), func(s *engine.Snapshot) error { return s.Bind(p.Key(), n.Name) }})
	}
	again := *n
	steps = append(steps, attachedStep{"PutNode " + n.Name, func(s *engine.Snapshot) error { return s.PutNode(&again) }})
	for _, p := range s.here.snap.PodsOn(n.Name) {
		steps = append(steps, attachedStep{"PutPod " + string(p.Key()), func(s *engine.Snapshot) error {
			_, err := s.PutPod(p)
			return err
		}})
	}
	return append(steps,
		attachedStep{"RemoveNode " + n.Name, func(s *engine.Snapshot) error { return s.RemoveNode(n.Name) }},
		attachedStep{"PutNode " + n.Name, func(s *engine.Snapshot) error { return s.PutNode(n) }},
	)
}

// attach returns a clone of the scene's snapshot that the filter is attached to.
func (s *scene) attach() (*engine.Snapshot, *Violation) {
	f := s.filter.(engine.StatefulFilter)
	snap := s.here.clone()
	s.calls = s.calls[:0]
	s.calling("Attach")
	err := snap.Attach(f)
	s.within = false
	if err != nil {
		return nil, s.violation(ruleAttached, "%v", err)
	}
	return snap, nil
}

// checkAttached changes snapshots that the filter is attached to, and compares the
// answers with those of equal snapshots without it.
func checkAttached(s *scene) *Violation {
	if _, ok := s.filter.(engine.StatefulFilter); !ok {
		return nil
	}
	for n := range s.here.nodes() {
		snap, v := s.attach()
		if v != nil {
			return v
		}
		plain, mark, left := s.here.clone(), snap.Mark(), snap.Clone()
		for _, step := range s.attachedSteps(n) {
			if step.change(plain) != nil {
				continue
			}
			s.calling("%s, as the snapshot tells the state", step.name)
			err := step.change(snap)
			s.within = false
			if err != nil {
				return s.violation(ruleAttached, "%v", err)
			}
			if v := s.compareAttached(snap, plain, step.name); v != nil {
				return v
			}
		}
		if v := s.compareAttached(left, s.here.snap, "a clone was changed"); v != nil {
			return v
		}
		s.calling("Undo, as the snapshot tells the state")
		err := snap.Undo(mark)
		s.within = false
		if err != nil {
			return s.violation(ruleAttached, "%v", err)
		}
		if v := s.compareAttached(snap, s.here.snap, "Undo"); v != nil {
			return v
		}
	}
	return nil
}

// compareAttached compares the answers about two equal snapshots, twice: the
// first time must not change the second.
func (s *scene) compareAttached(attached, plain *engine.Snapshot, after string) *Violation {
	calls := slices.Clone(s.calls)
	counted := s.start("counted", s.here.pod, plain)
	if counted == nil {
		return nil
	}
	want := s.dryRunsOn(counted, plain)
	for _, name := range []string{"attached", "again"} {
		s.calls = slices.Clone(calls)
		a := s.start(name, s.here.pod, attached)
		if a == nil {
			return s.violation(ruleAttached, "Start returned an error that it does not return where the filter is not attached")
		}
		if i, differ := firstDifference(s.dryRunsOn(a, attached), want); differ {
			return s.violation(ruleAttached, "after %s a state that was counted anew said %s in answer %d", after, textOf(want[i]), i+1)
		}
	}
	s.calls = calls
	return nil
}

// dryRunsOn makes a dry run on every node of a snapshot.
func (s *scene) dryRunsOn(a *attempt, snap *engine.Snapshot) []preemption.Status {
	var list []preemption.Status
	for n := range snap.Nodes() {
		victims := slices.DeleteFunc(snap.PodsOn(n.Name), func(p *outrank.Pod) bool {
			return p.PriorityValue() >= s.here.pod.PriorityValue() || !s.concerns(p)
		})
		list = append(list, logged{a}.run(n, victims)...)
	}
	return list
}

// checkAttachedConcurrency changes clones of a snapshot that the filter is attached to
// and asks about it, all at once.
func checkAttachedConcurrency(s *scene) *Violation {
	if _, ok := s.filter.(engine.StatefulFilter); !ok {
		return nil
	}
	want, ok := s.alone(s.here.pod)
	if !ok {
		return nil
	}
	snap, v := s.attach()
	if v != nil {
		return v
	}
	var all sync.WaitGroup
	wrong := make([]string, asking)
	for i := range asking {
		clone := snap.Clone()
		all.Go(func() {
			wrong[i] = s.compareWithin(s.startOn(snap), s.here.pod, want)
		})
		all.Go(func() {
			defer func() { _ = recover() }() // the other goroutines report it
			for n := range snap.Nodes() {
				for _, p := range snap.PodsOn(n.Name) {
					_ = clone.RemovePod(p.Key())
				}
			}
		})
	}
	all.Wait()
	s.calls = nil
	if i := slices.IndexFunc(wrong, func(text string) bool { return text != "" }); i >= 0 {
		return s.violation(ruleConcurrency, "attached, while clones of the snapshot changed: %s", wrong[i])
	}
	return nil
}

// startOn returns a function that starts an attempt on a snapshot and writes nothing
// down.
func (s *scene) startOn(snap *engine.Snapshot) func() preemption.FilterState {
	return func() preemption.FilterState {
		state, err := s.filter.Start(s.here.pod, snap)
		if err != nil {
			return nil
		}
		return state
	}
}
