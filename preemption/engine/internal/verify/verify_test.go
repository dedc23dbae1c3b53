package verify_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/engine/internal/verify"
	"github.com/outrank-go/outrank/resource"
)

func TestMain(m *testing.M) { seeded.Run(m, 400) }

// cpu is a number of whole processors.
func cpu(n int) resource.List { return resource.List{resource.CPU: resource.MustParse(fmt.Sprint(n))} }

// On a cluster that has nothing but processors, a plan can be carried out where plain sums say so: the node is
// there and full, the victims run on it, each once, all of lower priority, with them gone there is room, with any
// one of them back there is not, and the score is theirs.
func TestPropertyPlan(t *testing.T) {
	t.Parallel()
	met := map[error]int{}
	terms := dryrun.TermsOf(preemption.Config{})
	rapid.Check(t, func(t *rapid.T) {
		size := map[string]int{"n1": rapid.IntRange(3, 6).Draw(t, "n1"), "n2": rapid.IntRange(1, 6).Draw(t, "n2")}
		c := &outrank.Cluster{}
		for _, name := range []string{"n1", "n2"} {
			allocatable := cpu(size[name])
			allocatable[resource.Pods] = resource.MustParse("100")
			c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: allocatable})
		}
		asks := map[*outrank.Pod]int{}
		draw := func(name, node string, priority int32) *outrank.Pod {
			n := rapid.IntRange(1, 3).Draw(t, "processors")
			p := &outrank.Pod{
				Name: name, NodeName: node, Priority: outrank.Priority(rapid.Int32Range(0, 3).Draw(t, "priority") + priority),
				Containers: []outrank.Container{{Requests: cpu(n)}},
			}
			asks[p] = n
			return p
		}
		for i := range rapid.IntRange(2, 8).Draw(t, "pods") {
			c.Pods = append(c.Pods, draw(fmt.Sprint("p", i), rapid.SampledFrom([]string{"n1", "n1", "n2"}).Draw(t, "on"), 0))
		}
		pod := draw("preemptor", "", 2)
		snap, err := state.New(c, state.UsualTraits)
		require.NoError(t, err)

		plan := &preemption.Plan{Pod: pod, Outcome: preemption.Preempts}
		plan.Node = rapid.SampledFrom([]string{"n1", "n1", "n1", "n1", "n1", "n1", "n1", "n2", "gone"}).Draw(t, "node")
		for _, p := range c.Pods {
			chance := rapid.IntRange(0, 9).Draw(t, "leaves")
			if p.NodeName == plan.Node && chance < 5 || chance == 9 {
				plan.Victims = append(plan.Victims, preemption.Victim{Pod: p})
			}
			if chance == 8 && len(plan.Victims) > 0 {
				plan.Victims = append(plan.Victims, plan.Victims[0])
			}
		}
		plan.Score.Victims = len(plan.Victims)
		for i, v := range plan.Victims {
			if priority := v.Pod.PriorityValue(); i == 0 || priority > plan.Score.TopPriority {
				plan.Score.TopPriority = priority
			}
			plan.Score.PrioritySum += int64(v.Pod.PriorityValue()) + 1<<31
		}
		miscounted := rapid.IntRange(0, 9).Draw(t, "miscounted") == 0
		if miscounted {
			plan.Score.PrioritySum++
		}

		want := sums{size, asks, c.Pods}.verdict(plan)
		if want == nil && miscounted {
			want = state.ErrStale
		}
		got := verify.Plan(context.Background(), &terms, snap, plan)
		require.True(t, errors.Is(got, want), "%v, by plain sums %v", got, want)
		met[want]++
	})
	for _, verdict := range []error{nil, state.ErrStale, state.ErrUnsound} {
		require.Positive(t, met[verdict], "%v", verdict)
	}
}

// sums judge a plan by processors.
type sums struct {
	size map[string]int
	asks map[*outrank.Pod]int
	pods []*outrank.Pod
}

func (s sums) verdict(plan *preemption.Plan) error {
	free, there := s.size[plan.Node]
	if !there {
		return state.ErrStale
	}
	for _, p := range s.pods {
		if p.NodeName == plan.Node {
			free -= s.asks[p]
		}
	}
	needed := s.asks[plan.Pod]
	switch {
	case free >= needed:
		return state.ErrStale // nobody has to leave
	case needed > s.size[plan.Node]:
		return state.ErrUnsound // whoever leaves
	case len(plan.Victims) == 0:
		return state.ErrUnsound
	}
	seen := map[*outrank.Pod]bool{}
	for _, v := range plan.Victims {
		switch {
		case v.Pod.NodeName != plan.Node:
			return state.ErrStale
		case seen[v.Pod], v.Pod.PriorityValue() >= plan.Pod.PriorityValue():
			return state.ErrUnsound
		}
		seen[v.Pod] = true
		free += s.asks[v.Pod]
	}
	if free < needed {
		return state.ErrUnsound
	}
	for p := range seen {
		if free-s.asks[p] >= needed {
			return state.ErrUnsound
		}
	}
	return nil
}
