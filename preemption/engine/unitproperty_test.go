package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// leavesInUnits reports whether victims are units by the release of a cluster.
func leavesInUnits(c *outrank.Cluster) bool { return c.Release.OrDefault().Gates()["GenericWorkload"] }

// together says what a pod counts as by a plain walk up from its group: its priority as a
// victim, and the group of the mode all that is the highest; empty for none.
func together(c *outrank.Cluster, p *outrank.Pod) (priority int32, whole string) {
	at := slices.IndexFunc(c.Groups, func(g *outrank.PodGroup) bool { return p.Group != "" && g.Key() == p.GroupKey() })
	if at < 0 {
		return p.PriorityValue(), ""
	}
	g := c.Groups[at]
	value := func(priority *int32) int32 {
		if priority == nil {
			return 0
		}
		return *priority
	}
	if priority = value(g.Priority); g.DisruptionMode == outrank.DisruptPodGroup {
		whole = "group " + string(g.Key())
	}
	parent := g.ParentKey()
	for level := 2; level <= outrank.MaxGroupLevels && c.Release.Gates()["CompositePodGroup"]; level++ {
		at := slices.IndexFunc(c.Composites, func(g *outrank.CompositePodGroup) bool { return parent != "" && g.Key() == parent })
		if at < 0 {
			break
		}
		above := c.Composites[at]
		if priority = value(above.Priority); above.DisruptionMode == outrank.DisruptPodGroup {
			whole = "composite " + string(above.Key())
		}
		parent = above.ParentKey()
	}
	return priority, whole
}

// Where a pod is a victim, all running pods of its unit are, one after the other, and at
// least one of them is on the node. None counts as much as the preemptor.
func TestPropertyVictimsAreWholeUnits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"units", "far units"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				p := gen.Preemptor(shapes[name]).Draw(t, "preemptor")
				if !leavesInUnits(c) {
					return
				}
				ex := explain(t, c, p)
				for i := range ex.Candidates {
					wholeUnits(t, c, p, &ex.Candidates[i])
				}
			})
		})
	}
}

func wholeUnits(t *rapid.T, c *outrank.Cluster, p *outrank.Pod, candidate *preemption.Candidate) {
	victims := candidate.Victims
	for i := 0; i < len(victims); {
		priority, whole := together(c, victims[i].Pod)
		to := i + 1
		for to < len(victims) && whole != "" && sameUnit(c, victims[to].Pod, whole) {
			to++
		}
		unit, here := victims[i:to], 0
		for _, v := range unit {
			other, _ := together(c, v.Pod)
			priority = max(priority, other)
			require.Equal(t, whole != "", v.Group != nil || v.Composite != nil)
			require.NotEqual(t, candidate.Node, v.Node)
			require.Equal(t, v.Pod.NodeName != candidate.Node, v.Node != "")
			if v.Node == "" {
				here++
			} else {
				require.Equal(t, v.Pod.NodeName, v.Node)
			}
		}
		require.Positive(t, here, "a unit without a pod on the node")
		require.Less(t, priority, p.PriorityValue())
		for _, q := range c.Pods {
			if whole == "" || q.NodeName == "" || q.Finished() || !slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return n.Name == q.NodeName }) {
				continue
			}
			isVictim := slices.ContainsFunc(unit, func(v preemption.Victim) bool { return v.Pod == q })
			require.Equal(t, sameUnit(c, q, whole), isVictim, "%s and %s", q.Key(), whole)
		}
		i = to
	}
}

func sameUnit(c *outrank.Cluster, p *outrank.Pod, whole string) bool {
	_, other := together(c, p)
	return other == whole
}

// A plan that takes units away is sound, can be applied and taken back, and leaves the
// preemptor room.
func TestPropertyPlansOfUnitsApply(t *testing.T) {
	t.Parallel()
	shape := gen.Shape{Groups: 3, Units: true, Budgets: 3}
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
		snap, eval := newSnapshot(t, c), newEvaluator(t, preemption.Config{})
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if plan.Outcome != preemption.Preempts {
			return
		}
		require.NoError(t, eval.Verify(context.Background(), snap, plan))
		if last := len(plan.Victims) - 1; last > 0 && leavesInUnits(c) {
			broken := *plan
			broken.Victims = slices.Clone(plan.Victims[:last])
			require.Error(t, eval.Verify(context.Background(), snap, &broken))
		}
		mark := snap.Mark()
		require.NoError(t, snap.Apply(plan))
		for _, v := range plan.Victims {
			_, there := snap.Pod(v.Pod.Key())
			require.False(t, there)
		}
		status, err := eval.Check(snap, p, plan.Node)
		require.NoError(t, err)
		require.Equal(t, preemption.Success, status.Code)
		require.NoError(t, snap.Undo(mark))
		again, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, plan, again)
	})
}

// A unit counts with its pods on other nodes (rule 12.8.5): n2 wins by the start of u2, which is on n3. A bound
// by the pods of n2 alone would have 10 minutes, and lose to the 15 of n1.
func TestUnitsElsewhereCountByOtherRanks(t *testing.T) {
	c := &outrank.Cluster{
		Release: withGates(), Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "3", "a"), node("n3", "1", "a")},
		Groups: []*outrank.PodGroup{prior(whole("u"), 5)},
		Pods: []*outrank.Pod{
			pod("x", 5, "2", on("n1"), tagged("cost", "5"), started(15)),
			pod("low", 1, "1", on("n2"), tagged("cost", "100")),
			pod("u1", 5, "2", on("n2"), in("u"), tagged("cost", "5"), started(10)),
			pod("u2", 9, "1", on("n3"), in("u"), tagged("cost", "0"), started(20)),
		},
	}
	config := preemption.Config{Ranks: []preemption.Rank{{Name: "cost", Cost: labelledCost}, preemption.ByStart}}
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 100, "2"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n2", plan.Node)
}
