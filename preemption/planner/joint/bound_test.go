package joint_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// unproven plans with too few questions to prove anything.
func unproven(t *testing.T, snap *engine.Snapshot, config preemption.Config, pods ...*outrank.Pod) preemption.Certificate {
	eval, err := engine.New(config)
	require.NoError(t, err)
	plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: clustergen.Now(), Limit: 1})
	require.NoError(t, err)
	return plan.Certificate
}

// A pod of the preemptors' own priority is nobody's victim, and its size says nothing about
// what victims free (rule 25.5.3).
func TestBoundCountsPossibleVictims(t *testing.T) {
	snap := cluster(t, []string{"n1"}, pod("equal", "n1", 100, "2"), pod("a", "n1", 1, "1"), pod("b", "n1", 1, "1"))
	assert.Equal(t, 2, unproven(t, snap, preemption.Config{}, pod("w", "", 100, "2")).Bound.Victims)
}

// Pods that are alike but for who may preempt are asked about each for itself: the one that
// may not says nothing about the victims of the other (rule 25.5.2).
func TestBoundOfPodsOfWhichOneMayNotPreempt(t *testing.T) {
	config := preemption.Config{
		Eligibility: preemption.Eligibility{Refuse: func(p *outrank.Pod, by preemption.Ineligibility, _ preemption.Status) preemption.Ineligibility {
			if p.Name == "waits" {
				return "not now"
			}
			return by
		}},
	}
	// It is bound first, in the room that the other one's victim leaves.
	snap := cluster(t, []string{"n1"}, pod("a", "n1", 7, "4"))
	assert.Equal(t, int32(7), unproven(t, snap, config, pod("w", "", 100, "2"), pod("waits", "", 100, "2")).Bound.TopPriority)
}

// Where groups leave by another priority than their pods count with, nothing is known of the
// top priority: the group, which goes first, has the more important pod (rule 25.5.2).
func TestBoundWithGroups(t *testing.T) {
	member := pod("member", "n1", 50, "2")
	member.Group = "low"
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Release: release,
		Nodes:   []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}},
		Pods:    []*outrank.Pod{member, pod("alone", "n1", 10, "2")},
		Groups:  []*outrank.PodGroup{{Name: "low", Priority: outrank.Priority(1), DisruptionMode: outrank.DisruptPodGroup}},
	})
	require.NoError(t, err)
	w := pod("w", "", 100, "2")
	assert.LessOrEqual(t, unproven(t, snap, preemption.Config{}, w).Bound.TopPriority, int32(10))
	assert.Equal(t, int32(10), preempt(t, snap, preemption.Config{}, w).Total.TopPriority)
}

// A total that could be better by its start alone is not proven, because nothing is known of the start.
func TestNothingIsKnownOfTheStart(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 2, "4"))
	c := unproven(t, snap, preemption.Config{}, pod("w", "", 100, "4"))
	assert.False(t, c.Optimal)
	assert.Equal(t, preemption.ByStart.Name, c.Rank)
	assert.Zero(t, c.Gap)
}

// A pod that no node takes for want of a neighbour is not stuck where the neighbour is another pod of the request
// (rule 25.5.4).
func TestBoundOfAPodNearAnotherOne(t *testing.T) {
	cacheThere := cache("cache", "n1", 2000, "1")
	snap := cluster(t, []string{"n1", "n2"}, cacheThere, pod("a", "n1", 1, "1"), pod("b", "n1", 1, "1"), pod("c", "n1", 1, "1"), pod("d", "n2", 1, "1"))
	second := inZone(cache("second", "", 110, "1"), "n2")
	pods := []*outrank.Pod{second, nearCache("3")}
	plan := preempt(t, snap, preemption.Config{}, pods...)
	require.Equal(t, "n2", plan.Placements[1].Node, "%v", plan)
	assert.Equal(t, 1, plan.Total.Victims)
	bound, err := joint.BoundOf(must(engine.New(preemption.Config{})), snap, joint.Request{Pods: pods, Now: clustergen.Now()},
		func(preemption.Score) preemption.Score { return plan.Total })
	require.NoError(t, err)
	assert.LessOrEqual(t, bound.Victims, 1)
}

// Where the caller says who takes from whom, a victim of higher priority counts like any other
// (rule 25.5.3).
func TestBoundWithAnyPriority(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("high", "n1", 500, "4"), pod("a", "n2", 1, "2"), pod("b", "n2", 1, "2"))
	config := preemption.Config{Ranks: []preemption.Rank{preemption.ByVictims}, Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(_, _ *outrank.Pod) (rule string, ok bool) { return "any", true }}}
	pods := []*outrank.Pod{pod("w", "", 100, "4")}
	plan := preempt(t, snap, config, pods...)
	require.Equal(t, 1, plan.Total.Victims)
	bound, err := joint.BoundOf(must(engine.New(config)), snap, joint.Request{Pods: pods, Now: clustergen.Now()},
		func(preemption.Score) preemption.Score { return plan.Total })
	require.NoError(t, err)
	assert.Equal(t, 1, bound.Victims)
}

// Amounts that sums cannot hold give no bound but the one by size, and no panic.
func TestBoundOfHugeAmounts(t *testing.T) {
	huge := pod("huge", "n1", 1, "1")
	huge.Containers[0].Requests = resource.MustList("cpu", "1", "memory", "9223372036854775807")
	asks := pod("w", "", 100, "4")
	asks.Containers[0].Requests = resource.MustList("cpu", "4", "memory", "9223372036854775807")
	snap, err := engine.NewSnapshot(&outrank.Cluster{Pods: []*outrank.Pod{huge, pod("a", "n1", 1, "1")},
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "memory", "9223372036854775807", "pods", "9")}}})
	require.NoError(t, err)
	plan := preempt(t, snap, preemption.Config{}, asks)
	assert.Equal(t, 2, plan.Total.Victims, "%v", plan)
	assert.LessOrEqual(t, plan.Certificate.Bound.Victims, 2)
}

// One victim helps on every node of its zone where its anti-affinity kept others away (rule 25.5.2).
func TestBoundWithAntiAffinityOfARunningPod(t *testing.T) {
	alone := pod("alone", "n1", 1, "1")
	alone.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, TopologyKey: "rack"}}
	c := &outrank.Cluster{Pods: []*outrank.Pod{alone}}
	for _, name := range []string{"n1", "n2"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "4", "pods", "2"), Labels: map[string]string{"rack": "1"}})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	var pods []*outrank.Pod
	for _, name := range []string{"w1", "w2", "w3"} {
		p := pod(name, "", 100, "2")
		p.Labels = map[string]string{"app": "web"}
		pods = append(pods, p)
	}
	plan := preempt(t, snap, preemption.Config{}, pods...)
	require.Equal(t, 1, plan.Total.Victims, "%v", plan)
	bound, err := joint.BoundOf(must(engine.New(preemption.Config{})), snap, joint.Request{Pods: pods, Now: clustergen.Now()},
		func(preemption.Score) preemption.Score { return plan.Total })
	require.NoError(t, err)
	assert.LessOrEqual(t, bound.Victims, 1)
}

// Costs whose sum is the largest that there is are compared, and nothing is reckoned with them.
func TestCostsWithoutBound(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 1, "4"))
	config := preemption.Config{
		Ranks: []preemption.Rank{{Name: "cost", Cost: func(p *outrank.Pod) int64 {
			if p.Name == "a" {
				return math.MaxInt64
			}
			return 1
		}}},
	}
	plan := preempt(t, snap, config, pod("w1", "", 100, "4"), pod("w2", "", 100, "4"))
	assert.Equal(t, int64(math.MaxInt64), plan.Total.Own["cost"], "%v", plan)
	plan = preempt(t, snap, config, pod("w1", "", 100, "2"), pod("w2", "", 100, "2"))
	assert.Equal(t, int64(1), plan.Total.Own["cost"], "%v", plan)
}
