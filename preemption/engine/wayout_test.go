package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// answering is a way out with this plan, which notes that it was asked.
func answering(asked *[]string, name string, plan *preemption.Plan, err error) engine.WayOut {
	return engine.WayOut{Name: name, Ask: func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error) {
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
			var ways []engine.WayOut
			for i, p := range c.plans {
				var err error
				if c.fails == i+1 {
					err = broken
				}
				ways = append(ways, answering(&asked, fmt.Sprint("way ", i+1), p, err))
			}
			got, err := engine.FirstWayOut(context.Background(), nil, preemption.Request{}, ways...)
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
	_, err := engine.FirstWayOut(context.Background(), nil, preemption.Request{}, engine.WayOut{Name: "empty"})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	ended, end := context.WithCancel(context.Background())
	end()
	var asked []string
	_, err = engine.FirstWayOut(ended, nil, preemption.Request{}, answering(&asked, "late", helps, nil))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, asked)
}

// What a way does not say of the nodes is taken from one that does, and that one's
// plan is not changed.
func TestWaysOutSayWhatTheNodesSaid(t *testing.T) {
	told := &preemption.Plan{Outcome: preemption.NothingHelps, TurnedDown: []preemption.Count{{Nodes: 3}}, Unhelpful: []preemption.Count{{Nodes: 2}}}
	silent := &preemption.Plan{Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: "n"}}
	var asked []string
	got, err := engine.FirstWayOut(context.Background(), nil, preemption.Request{}, answering(&asked, "a", told, nil), answering(&asked, "b", silent, nil))
	require.NoError(t, err)
	assert.Equal(t, &preemption.Plan{Outcome: preemption.Preempts, Candidate: silent.Candidate, TurnedDown: told.TurnedDown}, got.Plan)
	assert.Nil(t, silent.TurnedDown)
}

// An evaluator that spares some pods comes before one that spares none.
func ExampleFirstWayOut() {
	asks := []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", "2")}}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "10")}},
		Pods:  []*outrank.Pod{{Name: "batch", NodeName: "n1", Labels: map[string]string{"spare": "me"}, Containers: asks}},
	})
	if err != nil {
		panic(err)
	}
	gentle, err := engine.NewEvaluator(engine.Config{
		MayEvict: func(_, victim *outrank.Pod) bool { return victim.Labels["spare"] == "" },
	})
	if err != nil {
		panic(err)
	}
	rough, err := engine.NewEvaluator(engine.Config{})
	if err != nil {
		panic(err)
	}
	pod := &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asks}
	found, err := engine.FirstWayOut(context.Background(), snap, preemption.Request{Pod: pod, Now: gen.Now},
		engine.WayOut{Name: "gentle", Ask: gentle.PreemptRequest},
		engine.WayOut{Name: "rough", Ask: rough.PreemptRequest})
	if err != nil {
		panic(err)
	}
	for _, answer := range found.Asked {
		fmt.Println(answer.Name, answer.Helps())
	}
	fmt.Println(found.Plan.Node, found.Plan.Victims)
	// Output:
	// gentle false
	// rough true
	// n1 [default/batch]
}
