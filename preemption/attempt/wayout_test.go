package attempt_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/attempt"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/execution"
)

// answering is a way out with this plan, which notes that it was asked.
func answering(asked *[]string, name string, plan *preemption.Plan, err error) attempt.WayOut {
	return attempt.WayOut{Name: name, Ask: func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
		*asked = append(*asked, name)
		return plan, err
	}}
}

// Ways out are asked in their order until one helps, fails, or finds that the pod
// fits; where none helps, the last counts that has something to say (rules 8.9 to
// 8.11).
func TestFirstWayOut(t *testing.T) {
	plan := func(o preemption.Outcome) *preemption.Plan { return &preemption.Plan{Outcome: o} }
	helps, fits, nothing, again, never := plan(preemption.Preempts), plan(preemption.Fits), plan(preemption.NothingHelps), plan(preemption.NothingHelps), plan(preemption.NotEligible)
	contrary, vetoed := plan(preemption.NothingHelps), plan(preemption.NothingHelps)
	contrary.Unhelpful = []preemption.Count{{Status: preemption.Contradiction.Because("odd"), Nodes: 1}}
	vetoed.Unhelpful = []preemption.Count{{Status: preemption.Unschedulable.Because("an extender dropped the node"), Nodes: 1}}
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		plans []*preemption.Plan
		fails int // the way that fails, from 1 on
		asked int
		want  *preemption.Plan
	}{
		{"none at all", nil, 0, 0, nil},
		{"the first helps", []*preemption.Plan{helps, nothing}, 0, 1, helps},
		{"the second helps", []*preemption.Plan{nothing, helps, fits}, 0, 2, helps},
		{"the first has nothing to say", []*preemption.Plan{nil, helps}, 0, 2, helps},
		{"none has anything to say", []*preemption.Plan{nil, nil}, 0, 2, nil},
		{"it fits", []*preemption.Plan{fits, helps}, 0, 1, fits},
		{"the last that finds nothing counts", []*preemption.Plan{nothing, again, never, nil}, 0, 4, again},
		{"none may", []*preemption.Plan{nil, never}, 0, 2, never},
		{"a contradiction ends all", []*preemption.Plan{nothing, contrary, helps}, 0, 2, contrary},
		{"extenders that leave nothing have nothing to say", []*preemption.Plan{nothing, vetoed}, 0, 2, nothing},
		{"nor does it matter that they come first", []*preemption.Plan{vetoed, nothing, never}, 0, 3, nothing},
		{"an error ends all", []*preemption.Plan{nothing, nil, helps}, 2, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []string
			var ways []attempt.WayOut
			for i, p := range c.plans {
				var err error
				if c.fails == i+1 {
					err = broken
				}
				ways = append(ways, answering(&asked, fmt.Sprint("way ", i+1), p, err))
			}
			got, err := attempt.FirstWayOut(context.Background(), nil, preemption.Request{}, ways...)
			assert.Len(t, asked, c.asked)
			if c.fails > 0 {
				require.ErrorIs(t, err, broken)
				assert.ErrorContains(t, err, "way out way 2: broken")
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, got.Asked, "none at all is not the same as the usual ones")
			assert.Same(t, c.want, got.Plan)
			require.Len(t, got.Asked, c.asked)
			for i, a := range got.Asked {
				assert.Equal(t, asked[i], a.Name)
				assert.Same(t, c.plans[i], a.Plan)
				assert.Equal(t, c.plans[i] == helps, a.Helps())
			}
		})
	}
	_, err := attempt.FirstWayOut(context.Background(), nil, preemption.Request{}, attempt.WayOut{Name: "empty"})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	ended, end := context.WithCancel(context.Background())
	end()
	var asked []string
	_, err = attempt.FirstWayOut(ended, nil, preemption.Request{}, answering(&asked, "late", helps, nil))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, asked)
}

// What a way does not say of the nodes is taken from one that does, and that one's
// plan is not changed.
func TestWaysOutSayWhatTheNodesSaid(t *testing.T) {
	told := &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: []preemption.Count{{Nodes: 3}}, Unhelpful: []preemption.Count{{Nodes: 2}}}
	silent := &preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n"}}
	var asked []string
	got, err := attempt.FirstWayOut(context.Background(), nil, preemption.Request{}, answering(&asked, "a", told, nil), answering(&asked, "b", silent, nil))
	require.NoError(t, err)
	assert.Equal(t, &preemption.Plan{Outcome: preemption.Preempts, Candidate: silent.Candidate, TurnedDown: told.TurnedDown}, got.Plan)
	assert.Nil(t, silent.TurnedDown)
}

// What the nodes answered comes with the error of a way, because the pod is told of both.
func TestWayOutFailsBesideAPlan(t *testing.T) {
	broken := errors.New("connection refused")
	told := &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: []preemption.Count{{Nodes: 3}}}
	var asked []string
	got, err := attempt.FirstWayOut(context.Background(), nil, preemption.Request{}, answering(&asked, "mine", told, broken), answering(&asked, "late", told, nil))
	require.ErrorIs(t, err, broken)
	assert.Equal(t, &attempt.WaysOut{Plan: told, Asked: []execution.WayOutAnswer{{Name: "mine", Plan: told}}}, got)
	assert.Equal(t, []string{"mine"}, asked)
}

// An evaluator that spares some pods comes before one that spares none.
func ExampleFirstWayOut() {
	batch := on(pod("batch", 0, "2"), "n1")
	batch.Labels = map[string]string{"spare": "me"}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "2")}, Pods: []*outrank.Pod{batch}}))
	gentle := must(engine.New(preemption.Config{
		Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (rule string, ok bool) { return "", victim.Labels["spare"] == "" }},
	}))
	rough := must(engine.New(preemption.Config{}))
	found := must(attempt.FirstWayOut(context.Background(), snap, preemption.Request{Pod: pod("web", 100, "2"), Now: now},
		attempt.WayOut{Name: "gentle", Ask: gentle.Preempt},
		attempt.WayOut{Name: "rough", Ask: rough.Preempt}))
	for _, answer := range found.Asked {
		fmt.Println(answer.Name, answer.Helps())
	}
	fmt.Println(found.Plan.Node, found.Plan.Victims)
	// Output:
	// gentle false
	// rough true
	// n1 [default/batch]
}

// One way out after the other: victims on one node, and else across nodes. One node has room, and
// on the other, which is cordoned, runs the batch that a database keeps away from.
func ExampleFirstWayOut_acrossNodes() {
	free, cordoned := node("n1", "4"), node("n2", "4")
	free.Labels, cordoned.Labels = map[string]string{"zone": "a"}, map[string]string{"zone": "a"}
	cordoned.Unschedulable = true
	first, second, web := on(pod("batch-1", 1, "1"), "n2"), on(pod("batch-2", 2, "1"), "n2"), on(pod("web", 1, "1"), "n2")
	first.Labels, second.Labels = map[string]string{"app": "batch"}, map[string]string{"app": "batch"}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{free, cordoned}, Pods: []*outrank.Pod{first, second, web}}))
	db := pod("db", 100, "1")
	db.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: first.Labels}}}

	eval, across := must(engine.New(preemption.Config{})), must(engine.New(preemption.Config{Victims: preemption.Across{}}))
	out := must(attempt.FirstWayOut(context.Background(), snap, preemption.Request{Pod: db, Now: now},
		attempt.WayOut{Name: "one node", Ask: eval.Preempt},
		attempt.WayOut{Name: "across nodes", Ask: across.Preempt},
	))
	for _, a := range out.Asked {
		fmt.Println(a.Name, a.Helps())
	}
	fmt.Println(out.Plan.Node, out.Plan.Victims)
	// Output:
	// one node false
	// across nodes true
	// n1 [default/batch-2 on n2 default/batch-1 on n2]
}
