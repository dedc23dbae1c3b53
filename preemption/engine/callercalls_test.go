package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// tallied is a filter that counts how it is called. It turns the pod away from
// nodes with more than so many pods. One goroutine at a time uses it.
type tallied struct {
	limit  int
	starts int
	clones int // of states that are no clone for nominated pods
	first  int // calls of the state that Start returned, but for Clone
	calls  map[string]*nodeCalls
}

type nodeCalls struct{ checks, removes, adds, besides int }

func (f *tallied) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Tallied", Start: f.start}
}

func (f *tallied) start(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	f.starts++
	s := &talliedState{tallied: f, pods: map[string]int{}}
	for n := range view.Nodes() {
		s.pods[n.Name] = len(view.PodsOn(n.Name))
	}
	return s, nil
}

type talliedState struct {
	*tallied
	// depth is 0 for what Start returned, 1 for a worker's clone, and 2 for one to
	// which nominated pods are added.
	depth int
	pods  map[string]int
}

func (s *talliedState) at(n *outrank.Node, count func(*nodeCalls)) {
	c := s.calls[n.Name]
	if c == nil {
		c = &nodeCalls{}
		s.calls[n.Name] = c
	}
	switch s.depth {
	case 0:
		s.first++
	case 1:
		count(c)
	default:
		c.besides++
	}
}

func (s *talliedState) Check(n *outrank.Node) preemption.Status {
	s.at(n, func(c *nodeCalls) { c.checks++ })
	if s.pods[n.Name] > s.limit {
		return preemption.Unschedulable.Because("crowded")
	}
	return preemption.Status{}
}

func (s *talliedState) Remove(_ *outrank.Pod, n *outrank.Node) {
	s.at(n, func(c *nodeCalls) { c.removes++ })
	s.pods[n.Name]--
}

func (s *talliedState) Add(_ *outrank.Pod, n *outrank.Node) {
	s.at(n, func(c *nodeCalls) { c.adds++ })
	s.pods[n.Name]++
}

func (s *talliedState) Clone() preemption.FilterState {
	if s.depth == 0 {
		s.clones++
	}
	c := &talliedState{s.tallied, s.depth + 1, map[string]int{}}
	for name, count := range s.pods {
		c.pods[name] = count
	}
	return c
}

// A filter of the caller is called as often as the documentation of FilterState
// says, and everything that was removed is added again.
func TestCallsOfOwnFilters(t *testing.T) {
	removals, chosen := 0, 0
	seeds := seeded.Sample(60, 200)
	for _, shape := range []clustergen.Shape{{}, {Nominated: 4}, {Nodes: 12, PodsPerNode: 12}, clustergen.Full()} {
		for seed := range uint64(seeds) {
			c, err := clustergen.Cluster(shape, seed)
			require.NoError(t, err)
			pod, err := clustergen.Preemptor(shape, seed)
			require.NoError(t, err)
			snap := newSnapshot(t, c)
			for _, workers := range []int{1, 3} {
				f := &tallied{limit: int(seed % 6), calls: map[string]*nodeCalls{}}
				e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{f.filter()}}).Parallel(workers)
				plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: clustergen.Now()})
				require.NoError(t, err)
				assert.Equal(t, 1, f.starts)
				assert.Equal(t, workers, f.clones, "clones of the state that Start returned")
				assert.Zero(t, f.first, "other calls of it")
				for node := range f.calls {
					removals += f.checkCalls(t, node, snap, plan)
					if plan.Node == node {
						chosen++
					}
				}
			}
		}
	}
	assert.Greater(t, removals, 5*seeds)
	assert.Greater(t, chosen, seeds/2)
}

// checkCalls compares what was called for one node with what may be, and returns
// the number of removals.
func (f *tallied) checkCalls(t *testing.T, node string, snap *engine.Snapshot, plan *preemption.Plan) int {
	calls, victims := f.calls[node], 0
	for _, p := range snap.PodsOn(node) {
		if p.PriorityValue() < plan.Pod.PriorityValue() {
			victims++
		}
	}
	removes, checks, left := 3*victims, victims+3, 0
	if plan.Node == node { // worked out once more, and left like that
		removes, checks, left = removes+2*victims, checks+victims+1, len(plan.Victims)
	}
	assert.LessOrEqual(t, calls.removes, removes, "Remove on %s", node)
	assert.LessOrEqual(t, calls.checks, checks, "Check on %s", node)
	if calls.removes != calls.adds+left {
		assert.Equal(t, calls.removes, calls.adds, "Remove and Add on %s", node)
	}
	if len(snap.NominatedTo(node)) == 0 {
		assert.Zero(t, calls.besides, "calls on clones on %s", node)
	}
	return calls.removes
}
