package execution_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

// answering is a way out with this plan, which notes that it was asked.
func answering(asked *[]string, name string, plan *preemption.Plan, err error) execution.WayOut {
	return execution.WayOut{Name: name, Ask: func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
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
			var ways []execution.WayOut
			for i, p := range c.plans {
				var err error
				if c.fails == i+1 {
					err = broken
				}
				ways = append(ways, answering(&asked, fmt.Sprint("way ", i+1), p, err))
			}
			got, done, err := execution.FirstWayOut(context.Background(), nil, preemption.Request{}, ways...)
			assert.Len(t, asked, c.asked)
			if c.fails > 0 {
				require.ErrorIs(t, err, broken)
				assert.ErrorContains(t, err, "way out way 2: broken")
				return
			}
			require.NoError(t, err)
			assert.NotNil(t, done, "none at all is not the same as the usual ones")
			assert.Same(t, c.want, got)
			require.Len(t, done, c.asked)
			for i, a := range done {
				assert.Equal(t, asked[i], a.Name)
				assert.Same(t, c.plans[i], a.Plan)
			}
		})
	}
	_, _, err := execution.FirstWayOut(context.Background(), nil, preemption.Request{}, execution.WayOut{Name: "empty"})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	ended, end := context.WithCancel(context.Background())
	end()
	var asked []string
	_, _, err = execution.FirstWayOut(ended, nil, preemption.Request{}, answering(&asked, "late", helps, nil))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, asked)
}

// What a way does not say of the nodes is taken from one that does, and that one's
// plan is not changed.
func TestWaysOutSayWhatTheNodesSaid(t *testing.T) {
	told := &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: []preemption.Count{{Nodes: 3}}, Unhelpful: []preemption.Count{{Nodes: 2}}}
	silent := &preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n"}}
	var asked []string
	plan, _, err := execution.FirstWayOut(context.Background(), nil, preemption.Request{}, answering(&asked, "a", told, nil), answering(&asked, "b", silent, nil))
	require.NoError(t, err)
	assert.Equal(t, &preemption.Plan{Outcome: preemption.Preempts, Candidate: silent.Candidate, TurnedDown: told.TurnedDown}, plan)
	assert.Nil(t, silent.TurnedDown)
}

// What the nodes answered comes with the error of a way, because the pod is told of both.
func TestWayOutFailsBesideAPlan(t *testing.T) {
	broken := errors.New("connection refused")
	told := &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: []preemption.Count{{Nodes: 3}}}
	var asked []string
	plan, ways, err := execution.FirstWayOut(context.Background(), nil, preemption.Request{}, answering(&asked, "mine", told, broken), answering(&asked, "late", told, nil))
	require.ErrorIs(t, err, broken)
	assert.Same(t, told, plan)
	require.Len(t, ways, 1)
	assert.Same(t, told, ways[0].Plan)
	assert.Equal(t, []string{"mine"}, asked)
}

// An evaluator that spares some pods comes before one that spares none.
func ExampleFirstWayOut() {
	cluster := sample()
	cluster.Pods[1].Labels["spare"], cluster.Pods[3].Labels["spare"] = "me", "me"
	snap := must(engine.NewSnapshot(cluster))
	gentle := must(engine.New(preemption.Config{
		Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (rule string, ok bool) { return "", victim.Labels["spare"] == "" }},
	}))
	rough := must(engine.New(preemption.Config{}))
	web := urgent()
	web.Priority = outrank.Priority(60)
	plan, asked, err := execution.FirstWayOut(context.Background(), snap, preemption.Request{Pod: web, Now: now},
		execution.WayOut{Name: "gentle", Ask: gentle.Preempt},
		execution.WayOut{Name: "rough", Ask: rough.Preempt})
	for _, way := range asked {
		fmt.Println(way.Name, way.Plan.Outcome)
	}
	fmt.Println(plan.Node, plan.Victims, err)
	// Output:
	// gentle nothing-helps
	// rough preempt
	// n1 [default/batch] <nil>
}

// One way out after the other: victims on one node, and else across nodes. One node has room, and
// on the other, which is cordoned, runs the batch that a database keeps away from.
func ExampleFirstWayOut_acrossNodes() {
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Labels: map[string]string{"zone": "a"}, Allocatable: resource.MustList("cpu", "4", "pods", "110")}
	}
	batch := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: "n2", Labels: map[string]string{"app": "batch"}, Priority: outrank.Priority(priority)}
	}
	free, cordoned := node("n1"), node("n2")
	cordoned.Unschedulable = true
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{free, cordoned},
		Pods:  []*outrank.Pod{batch("batch-1", 1), batch("batch-2", 2), {Name: "web", NodeName: "n2"}},
	}))
	db := urgent()
	db.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}}

	eval, across := must(engine.New(preemption.Config{})), must(engine.New(preemption.Config{Victims: preemption.Across{}}))
	plan, asked, err := execution.FirstWayOut(context.Background(), snap, preemption.Request{Pod: db, Now: now},
		execution.WayOut{Name: "one node", Ask: eval.Preempt},
		execution.WayOut{Name: "across nodes", Ask: across.Preempt},
	)
	for _, way := range asked {
		fmt.Println(way.Name, way.Plan.Outcome)
	}
	fmt.Println(plan.Node, plan.Victims, err)
	// Output:
	// one node nothing-helps
	// across nodes preempt
	// n1 [default/batch-2 on n2 default/batch-1 on n2] <nil>
}
