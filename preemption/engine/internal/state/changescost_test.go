package state_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// What budgets allow touches no pod, and other selectors touch only the pods that
// they concern.
func TestBudgetsTouchWhatTheyConcern(t *testing.T) {
	c, _ := gen.Benchmark(60, 10, 12)
	snap := snapshotOf(t, c)
	allowing := func(b *outrank.PodDisruptionBudget) *outrank.PodDisruptionBudget {
		other := *b
		other.DisruptionsAllowed += 3
		return &other
	}
	victim := c.Pods[0]
	other := &outrank.PodDisruptionBudget{Name: "other", Namespace: victim.Namespace, Selector: &outrank.LabelSelector{MatchLabels: victim.Labels}}
	concerned := map[string]bool{}
	for _, p := range c.Pods {
		if p.Namespace == victim.Namespace && other.Selector.Matches(p.Labels) {
			concerned[p.NodeName] = true
		}
	}
	require.Less(t, len(concerned), 20)
	nodes := func() []string {
		var names []string
		for _, n := range snap.NodeStates {
			if n.Owner == snap.Owner {
				names = append(names, n.Name)
			}
		}
		return names
	}
	for name, change := range map[string]struct {
		set     func() error
		touches int
	}{
		"status of one": {func() error { return snap.PutBudget(allowing(slices.Collect(snap.Budgets())[5])) }, 0},
		"status of all": {func() error {
			for b := range snap.Budgets() {
				if err := snap.PutBudget(allowing(b)); err != nil {
					return err
				}
			}
			return nil
		}, 0},
		"one more": {func() error { return snap.PutBudget(other) }, len(concerned)},
		"one less": {func() error {
			if err := snap.PutBudget(other); err != nil {
				return err
			}
			snap.Owner = &state.Owner{}
			return snap.RemoveBudget(other.Key())
		}, len(concerned)},
	} {
		t.Run(name, func(t *testing.T) {
			mark := snap.Mark()
			snap.Owner = &state.Owner{} // from now on a node that is written is copied
			require.NoError(t, change.set())
			assert.Len(t, nodes(), change.touches)
			require.NoError(t, snap.Undo(mark))
		})
	}
}

// A node with other labels moves between domains, and nothing else is looked at.
// Domains that are empty are used again.
func TestNodesMoveBetweenDomains(t *testing.T) {
	c, _ := gen.Benchmark(30, 1, 0)
	for i, n := range c.Nodes {
		n.Labels = map[string]string{"zone": fmt.Sprint(i % 3)}
	}
	snap := snapshotOf(t, c)
	zones := snap.Partition("zone")
	for i := range 200 {
		n := *c.Nodes[i%2]
		n.Labels = map[string]string{"zone": fmt.Sprint("other-", i)}
		require.NoError(t, snap.PutNode(&n))
	}
	require.NoError(t, snap.RemoveNode(c.Nodes[2].Name))
	require.NoError(t, snap.PutNode(c.Nodes[2]))
	require.Same(t, zones, snap.Partition("zone"))
	assert.Equal(t, 5, zones.Domains)
	assert.Equal(t, zones.Of(2), zones.Of(5))
	assert.NotEqual(t, zones.Of(0), zones.Of(1))
	clone := snap.Clone()
	require.NoError(t, clone.PutNode(c.Nodes[0]))
	assert.NotSame(t, zones, clone.Partition("zone"))
	assert.Equal(t, clone.Partition("zone").Of(3), clone.Partition("zone").Of(0))
	assert.NotEqual(t, zones.Of(3), zones.Of(0), "the origin is as it was")
	for i := range 3 * state.MostPartitions {
		snap.Partition(fmt.Sprint("key-", i))
	}
	assert.LessOrEqual(t, len(snap.Topology.ByKey), state.MostPartitions)
}
