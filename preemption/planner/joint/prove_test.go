package joint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// nearCache is a pod that has to be beside one with the label app=cache.
func nearCache(cpu string) *outrank.Pod {
	near := pod("near", "", 100, cpu)
	near.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "cache"}}, TopologyKey: "zone"}}
	return near
}

func cache(name, node string, priority int32, cpu string) *outrank.Pod {
	p := pod(name, node, priority, cpu)
	p.Labels = map[string]string{"app": "cache"}
	return p
}

// A pod may fit with the most important pod there though it does not with all others gone, if it needs one of them
// (rule 25.1.3).
func TestPodNearOneOfSeveralPossibleVictims(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2"}, pod("idle", "n1", 5, "1"), cache("low", "n1", 2, "1"), pod("a", "n1", 1, "2"),
		cache("high", "n2", 200, "1"), pod("b", "n2", 50, "3"))
	plan := preempt(t, snap, preemption.Config{}, nearCache("2"))
	assert.Equal(t, int32(50), plan.OneByOne.TopPriority)
	assert.Equal(t, int32(1), plan.Total.TopPriority, "%v", plan)
}

// A plan does not count that takes a pod away which an earlier one has to be near, though it
// has fewer victims (rule 25.1.4).
func TestPlanThatFallsApart(t *testing.T) {
	snap := cluster(t, []string{"n1", "n2", "n3"}, pod("s1", "n1", 10, "1"), pod("a1", "n1", 2000, "3"),
		pod("s2", "n2", 10, "1"), pod("a2", "n2", 2000, "3"), cache("c", "n3", 10, "2"), pod("a3", "n3", 2000, "1"))
	plan := preempt(t, snap, preemption.Config{}, nearCache("1"), pod("w1", "", 90, "1"), pod("w2", "", 90, "1"))
	assert.Equal(t, "n3", plan.Placements[0].Node)
	assert.Equal(t, 2, plan.Total.Victims, "%v", plan)
	after(t, must(engine.New(preemption.Config{})), snap, plan)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
