package state_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Whatever becomes of budgets and pods, each pod is charged to the budgets whose selectors pick its labels in its
// namespace, in the order in which the budgets came.
func TestPropertyCoveringBudgets(t *testing.T) {
	covered := 0
	rapid.Check(t, func(t *rapid.T) {
		s := snapshotOf(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}})
		var budgets []*outrank.PodDisruptionBudget
		serial := 0
		namespace := func() string { return rapid.SampledFrom([]string{"default", "shop"}).Draw(t, "namespace") }
		app := func() string { return rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app") }
		t.Repeat(map[string]func(*rapid.T){
			"PutPod": func(t *rapid.T) {
				serial++
				_, err := s.PutPod(&outrank.Pod{Namespace: namespace(), Name: fmt.Sprint("p", serial%4), NodeName: "n", Labels: map[string]string{"app": app()}})
				require.NoError(t, err)
			},
			"PutBudget": func(t *rapid.T) {
				b := &outrank.PodDisruptionBudget{
					Namespace: namespace(), Name: rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "budget"),
					Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": app()}}, DisruptionsAllowed: rapid.Int32Range(0, 1).Draw(t, "allowed"),
				}
				require.NoError(t, s.PutBudget(b))
				budgets = slices.Clone(budgets)
				if at := slices.IndexFunc(budgets, func(c *outrank.PodDisruptionBudget) bool { return c.Key() == b.Key() }); at >= 0 {
					budgets[at] = b
				} else {
					budgets = append(budgets, b)
				}
			},
			"RemoveBudget": func(t *rapid.T) {
				if len(budgets) == 0 {
					return
				}
				at := rapid.IntRange(0, len(budgets)-1).Draw(t, "budget")
				require.NoError(t, s.RemoveBudget(budgets[at].Key()))
				budgets = slices.Delete(slices.Clone(budgets), at, at+1)
			},
			"UndoAll": func(t *rapid.T) { // a budget that comes and goes leaves everything as it was
				mark := s.Mark()
				require.NoError(t, s.PutBudget(&outrank.PodDisruptionBudget{Name: "undone", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}))
				require.NoError(t, s.Undo(mark))
			},
			"": func(t *rapid.T) {
				require.True(t, slices.Equal(budgets, slices.Collect(s.Budgets())), "the budgets in their order")
				for p := range s.Pods() {
					known, _ := s.PodStates.Of(p)
					var want, got []outrank.Key
					for _, b := range budgets {
						if b.Namespace == p.Namespace && b.Selector.MatchLabels["app"] == p.Labels["app"] {
							want = append(want, b.Key())
						}
					}
					for _, i := range known.Class.Covering {
						got = append(got, s.BudgetSet.List[i].Key())
					}
					require.Equal(t, want, got, "%s", p.Key())
					covered += len(want)
				}
			},
		})
	})
	require.Positive(t, covered)
}

// Nodes are in one domain where they have the same label, and in none without it, whatever comes, goes or is
// labelled anew.
func TestPropertyDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := snapshotOf(t, &outrank.Cluster{})
		s.Partition("zone")
		name := func(t *rapid.T) string { return fmt.Sprint("n", rapid.IntRange(0, 5).Draw(t, "node")) }
		t.Repeat(map[string]func(*rapid.T){
			"PutNode": func(t *rapid.T) {
				n := &outrank.Node{Name: name(t)}
				if zone := rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "zone"); zone != "" {
					n.Labels = map[string]string{"zone": zone}
				}
				require.NoError(t, s.PutNode(n))
			},
			"RemoveNode": func(t *rapid.T) { _ = s.RemoveNode(name(t)) },
			"": func(t *rapid.T) {
				p := s.Partition("zone")
				zones := map[string][]int32{} // the slots in each
				for _, slot := range s.Order {
					zone, ok := s.NodeStates[slot].Node.Labels["zone"]
					require.Equal(t, ok, p.Of(slot) != state.NoDomain)
					if ok {
						zones[zone] = append(zones[zone], slot)
					}
				}
				ids := map[int32]bool{}
				for zone, slots := range zones {
					id := p.Of(slots[0])
					require.False(t, ids[id], "zone %s has a domain of its own", zone)
					ids[id] = true
					require.EqualValues(t, len(slots), p.Nodes[id], "nodes in zone %s", zone)
					for _, slot := range slots {
						require.Equal(t, id, p.Of(slot))
					}
				}
			},
		})
	})
}
