package engine_test

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// The zero Snapshot and the zero Evaluator do what those do that are made with nothing,
// whatever is asked of them and in whichever order, before and after changes.
func TestPropertyZeroValuesAreEmpty(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		c.Release = 0
		zero, made := &engine.Snapshot{}, newSnapshot(t, nil)
		evaluators := []*engine.Evaluator{{}, newEvaluator(t, preemption.Config{})}
		changes := changesOf(c)
		marked := rapid.Bool().Draw(t, "marked")
		var marks []engine.Mark
		if marked {
			marks = []engine.Mark{zero.Mark(), made.Mark()}
		}
		for range rapid.IntRange(0, 12).Draw(t, "calls") {
			if rapid.Bool().Draw(t, "asked") {
				name := rapid.SampledFrom([]string{"Preempt", "Explain", "Feasible", "Candidates", "group", "across"}).Draw(t, "call")
				e := rapid.SampledFrom(evaluators).Draw(t, "evaluator")
				got, gotErr := asks[name](t.Context(), e, zero, p)
				want, wantErr := asks[name](t.Context(), evaluators[1], made, p)
				require.Equal(t, asJSON(want), asJSON(got))
				require.Equal(t, wantErr, gotErr)
				continue
			}
			change := rapid.SampledFrom(changes).Draw(t, "change")
			require.Equal(t, change(made), change(zero))
			require.Equal(t, made.Cluster(), zero.Cluster())
		}
		if marked {
			require.NoError(t, zero.Undo(marks[0]))
			require.NoError(t, made.Undo(marks[1]))
		}
		require.Equal(t, made.Cluster(), zero.Cluster())
		require.Equal(t, made.Cluster(), zero.Clone().Cluster())
	})
}

// changesOf are changes of a snapshot that may know the objects of a cluster, or not.
func changesOf(c *outrank.Cluster) []func(*engine.Snapshot) error {
	type snapshot = *engine.Snapshot
	changes := []func(snapshot) error{
		func(s snapshot) error { return setBudgets(s, c.Budgets) },
		func(s snapshot) error { return s.Apply(&preemption.GroupPlan{Outcome: preemption.Preempts}) },
	}
	for _, n := range c.Nodes[:min(len(c.Nodes), 4)] {
		changes = append(changes,
			func(s snapshot) error { return s.PutNode(n) }, func(s snapshot) error { return s.RemoveNode(n.Name) })
	}
	for _, p := range c.Pods[:min(len(c.Pods), 4)] {
		changes = append(changes,
			func(s snapshot) error { return errOf(s.PutPod(p)) }, func(s snapshot) error { return s.RemovePod(p.Key()) },
			func(s snapshot) error { return s.Bind(p.Key(), p.NodeName) }, func(s snapshot) error { return s.Bind(p.Key(), "") },
			func(s snapshot) error { return s.Nominate(p.Key(), p.NodeName) })
	}
	for _, b := range c.Budgets {
		changes = append(changes,
			func(s snapshot) error { return s.PutBudget(b) }, func(s snapshot) error { return s.RemoveBudget(b.Key()) })
	}
	for _, ns := range c.Namespaces {
		changes = append(changes,
			func(s snapshot) error { return s.PutNamespace(ns) }, func(s snapshot) error { return s.RemoveNamespace(ns.Name) })
	}
	return changes
}

// A plan that was made by hand is carried out whole, or refused with what is missing in it.
func TestApplyOfPlansMadeByHand(t *testing.T) {
	cluster := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{pod("v", 1, "1", on("n1"))}}
	whole, victim := pod("p", 5, "2"), cluster.Pods[0]
	for _, test := range []struct {
		name  string
		apply func(*engine.Snapshot) error
		want  error
		says  string
	}{
		{"no decision", func(s *engine.Snapshot) error { return s.Apply(nil) }, outrank.ErrInvalid, "no plan"},
		{"no plan", func(s *engine.Snapshot) error { return s.Apply((*preemption.Plan)(nil)) }, outrank.ErrInvalid, "no plan"},
		{"the zero plan", func(s *engine.Snapshot) error { return s.Apply(&preemption.Plan{}) }, preemption.ErrState, "nothing to carry out"},
		{"a plan that fits nowhere", fitting(whole, ""), preemption.ErrNotFound, "node without a name: not found"},
		{"a plan that fits on a node that is gone", fitting(whole, "gone"), preemption.ErrNotFound, "node gone: not found"},
		{"a plan by which nothing helps", func(s *engine.Snapshot) error {
			return s.Apply(&preemption.Plan{Pod: whole, Outcome: preemption.NothingHelps})
		}, preemption.ErrState, "nothing to carry out"},
		{"a group that may not preempt", func(s *engine.Snapshot) error {
			return s.Apply(&preemption.GroupPlan{Outcome: preemption.NotEligible})
		}, preemption.ErrState, "nothing to carry out"},
		{"no pod", planned(nil, []*outrank.Pod{victim}, nil), outrank.ErrInvalid, "plan for pod no pod: invalid input: no preemptor"},
		{"a nil victim", planned(whole, []*outrank.Pod{victim, nil}, nil), outrank.ErrInvalid, "plan for pod default/p: invalid input: victim 1 is missing"},
		{"a nil nomination", planned(whole, []*outrank.Pod{victim}, []*outrank.Pod{nil}), outrank.ErrInvalid, "cleared nomination 0 is missing"},
		{"no plan for a group", func(s *engine.Snapshot) error { return s.Apply((*preemption.GroupPlan)(nil)) }, outrank.ErrInvalid, "no plan"},
		{"a group with no pod", groupPlanned(nil, nil), outrank.ErrInvalid, "plan for a group: invalid input: no preemptor"},
		{"a group's nil victim", groupPlanned(whole, []*outrank.Pod{nil}), outrank.ErrInvalid, "victim 0 is missing"},
		{"no joint plan", func(s *engine.Snapshot) error { return (*joint.Plan)(nil).Apply(s) }, outrank.ErrInvalid, "no plan or no snapshot"},
		{"a joint plan with no pod", jointly(joint.Placement{Choice: joint.Choice{Node: "n1"}}), outrank.ErrInvalid, "no preemptor"},
		{"a joint plan's nil victim", jointly(joint.Placement{Pod: whole, Choice: joint.Choice{Node: "n1", Victims: []*outrank.Pod{nil}}}), outrank.ErrInvalid, "victim 0 is missing"},
		{"a joint plan's nil nomination", jointly(joint.Placement{Pod: whole, Choice: joint.Choice{Node: "n1"}, ClearedNominations: []*outrank.Pod{nil}}), outrank.ErrInvalid, "cleared nomination 0 is missing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := newSnapshot(t, cluster)
			before := standings(snap)
			err := test.apply(snap)
			require.ErrorIs(t, err, test.want)
			assert.ErrorContains(t, err, test.says)
			assert.Equal(t, before, standings(snap))
			assert.Error(t, test.apply(&engine.Snapshot{}))
		})
	}
	snap := newSnapshot(t, cluster)
	require.NoError(t, planned(whole, []*outrank.Pod{victim}, nil)(snap))
	assert.Equal(t, "n1", snap.NominationOf(whole.Key()))
}

func fitting(p *outrank.Pod, node string) func(*engine.Snapshot) error {
	return func(s *engine.Snapshot) error {
		return s.Apply(&preemption.Plan{Pod: p, Outcome: preemption.Fits, FirstFit: node})
	}
}

func planned(p *outrank.Pod, victims, cleared []*outrank.Pod) func(*engine.Snapshot) error {
	plan := &preemption.Plan{Pod: p, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n1", ClearedNominations: cleared}}
	for _, v := range victims {
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: v})
	}
	return func(s *engine.Snapshot) error { return s.Apply(plan) }
}

func groupPlanned(p *outrank.Pod, victims []*outrank.Pod) func(*engine.Snapshot) error {
	plan := &preemption.GroupPlan{
		Outcome: preemption.Preempts, Placement: []preemption.Assignment{{Pod: p, Node: "n1"}},
	}
	for _, v := range victims {
		plan.Victims = append(plan.Victims, preemption.Victim{Pod: v})
	}
	return func(s *engine.Snapshot) error { return s.Apply(plan) }
}

func jointly(at joint.Placement) func(*engine.Snapshot) error {
	plan := &joint.Plan{Placements: []joint.Placement{at}, Order: []int{0}}
	return plan.Apply
}

// The loops over what a snapshot holds go on while they change it: what they have removed
// does not come, what they leave alone comes once.
func TestPropertyLoopsMayChangeTheSnapshot(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, _ *outrank.Pod) {
		snap := newSnapshot(t, c)
		if rapid.Bool().Draw(t, "of a clone") {
			snap = snap.Clone()
		}
		mark := snap.Mark()
		before := snap.Cluster()
		var came, gone []string
		for n := range snap.Nodes() {
			require.NotContains(t, gone, n.Name)
			came = append(came, n.Name)
			other := rapid.SampledFrom(c.Nodes).Draw(t, "node")
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				if snap.RemoveNode(other.Name) == nil {
					gone = append(gone, other.Name)
				}
			case 1:
				require.NoError(t, snap.PutNode(&outrank.Node{Name: fmt.Sprint("new-", len(came))}))
			}
		}
		for _, n := range c.Nodes {
			seen := slices.Contains(came, n.Name)
			require.True(t, seen || slices.Contains(gone, n.Name), n.Name)
		}
		for p := range snap.Pods() {
			require.NotNil(t, p)
			if rapid.Bool().Draw(t, "remove") {
				require.NoError(t, snap.RemovePod(p.Key()))
			}
		}
		for g := range snap.Groups() {
			for h := range snap.Groups() {
				require.NotNil(t, h)
				_ = snap.RemoveGroup(g.Key())
			}
		}
		for ns := range snap.Namespaces() {
			for other := range snap.Namespaces() {
				require.NotNil(t, other)
				_ = snap.RemoveNamespace(ns.Name)
			}
		}
		require.NoError(t, snap.Undo(mark))
		require.Equal(t, before, snap.Cluster())
	})
}

// A snapshot holds a lock by value, which is what go vet tells a copy by. Step vet of .ci/run asks go vet itself.
func TestSnapshotHasALock(t *testing.T) {
	var locked func(reflect.Type) bool
	locked = func(typ reflect.Type) bool {
		if reflect.PointerTo(typ).Implements(reflect.TypeFor[sync.Locker]()) {
			return true
		}
		if typ.Kind() != reflect.Struct {
			return false
		}
		return slices.ContainsFunc(reflect.VisibleFields(typ), func(f reflect.StructField) bool { return len(f.Index) == 1 && locked(f.Type) })
	}
	assert.True(t, locked(reflect.TypeFor[engine.Snapshot]()))
}
