package kubeletadmit_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/plainkubelet"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// cornered is short of 4 cores and 4Gi, with pods of which two suffice.
func cornered() (*outrank.Node, []*outrank.Pod, *outrank.Pod) {
	return newNode("cpu", "7", "memory", "7Gi"), []*outrank.Pod{
		newPod("a", req("cpu", "3", "memory", "3Gi")), newPod("b", req("cpu", "4")), newPod("c", req("memory", "4Gi")),
	}, newCritical(req("cpu", "4", "memory", "4Gi"))
}

// The nearest pod first takes three where two are enough, and the best set is of two.
func TestExactTakesTwoWhereTheKubeletTakesThree(t *testing.T) {
	node, active, pod := cornered()
	faithful, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"a", "b", "c"}, evicted(faithful))
	assert.Nil(t, faithful.Search)
	exact, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{Exact: true})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"b", "c"}, evicted(exact))
	require.NotNil(t, exact.Search)
	assert.True(t, exact.Search.Optimal)
	assert.Equal(t, []kubeletadmit.TierCount{{Class: outrank.Burstable, Chosen: 2, AtLeast: 2}}, exact.Search.Tiers)
}

// Priorities come first where that is asked for, and classes within a priority.
func TestPriorityFirst(t *testing.T) {
	limits := func(p *outrank.Pod) { p.Containers[0].Limits = p.Containers[0].Requests }
	node := newNode("cpu", "4", "memory", "4Gi")
	active := []*outrank.Pod{
		newPod("high", req("cpu", "1"), withPriority(100)), newPod("low", req("cpu", "1", "memory", "1Gi"), withPriority(1), limits),
		newPod("low-burstable", req("cpu", "1"), withPriority(1)), newPod("mid", req("cpu", "1"), withPriority(50)),
	}
	for _, c := range []struct {
		cpu             string
		faithful, first []string
	}{
		{"1", []string{"mid"}, []string{"low-burstable"}},
		{"2", []string{"mid", "low-burstable"}, []string{"low-burstable", "low"}},
		{"3", []string{"mid", "low-burstable", "high"}, []string{"low-burstable", "low", "mid"}},
		{"4", []string{"mid", "low-burstable", "high", "low"}, []string{"low-burstable", "low", "mid", "high"}},
	} {
		pod := newCritical(req("cpu", c.cpu))
		faithful, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		require.NoError(t, err)
		assert.ElementsMatch(t, c.faithful, evicted(faithful), c.cpu)
		for _, a := range []kubeletadmit.Config{{PriorityFirst: true}, {PriorityFirst: true, Exact: true}} {
			first, err := kubeletadmit.Admit(node, active, pod, a)
			require.NoError(t, err)
			assert.Equal(t, c.first, evicted(first), c.cpu)
		}
	}
}

// shortagesOf are the shortages for internal/tests/plainkubelet.
func shortagesOf(failures []kubeletadmit.CheckFailure) (list []plainkubelet.Shortage) {
	for _, f := range failures {
		list = append(list, plainkubelet.Shortage{Resource: f.Resource, Amount: f.Shortage()})
	}
	return list
}

// optioned draws an admitter with priorities first or not.
func optioned(t *rapid.T) kubeletadmit.Config {
	return kubeletadmit.Config{
		Release:       rapid.SampledFrom(outrank.Releases()).Draw(t, "release"),
		PriorityFirst: rapid.Bool().Draw(t, "priority first"),
	}
}

// The greedy choice with priorities is that of internal/tests/plainkubelet.
func TestPropertyPriorityFirstAgreesWithPlainKubelet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := newCritical(nil), somePods(t, somePod, 12), someShortages(t)
		a := optioned(t)
		a.PriorityFirst = true
		got, err := kubeletadmit.Resolve(pod, active, failures, a)
		require.NoError(t, err)
		want, missing := plainkubelet.EvictByPriority(a.Release, pod, active, shortagesOf(failures))
		require.Equal(t, podNames(want), podNames(podsOf(got.Evictions)))
		require.Equal(t, len(missing) > 0, len(got.Missing) > 0)
	})
}

func podNames(pods []*outrank.Pod) []string {
	list := make([]string, 0, len(pods))
	for _, p := range pods {
		list = append(list, p.Name)
	}
	return list
}

// The set is the best of all sets, and which of equal ones the rule says.
func TestPropertyExactIsTheBestOfAllSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom([]func(*rapid.T, string) *outrank.Pod{somePod, somePlainPod}).Draw(t, "pods like")
		pod, active, failures := newCritical(nil), somePods(t, one, 12), someShortages(t)
		a := optioned(t)
		a.Exact = true
		got, err := kubeletadmit.Resolve(pod, active, failures, a)
		require.NoError(t, err)
		want, missing := plainkubelet.EvictBest(plainkubelet.KubeletOptions{Release: a.Release, ByPriority: a.PriorityFirst}, pod, active, shortagesOf(failures))
		require.Equal(t, len(missing) > 0, len(got.Missing) > 0)
		require.ElementsMatch(t, podNames(want), podNames(podsOf(got.Evictions)))
		if len(want) > 0 {
			require.True(t, got.Search.Optimal, "%+v", got.Search)
		}
	})
}

// Shortages beyond those that the search has columns for, in number and in size, are covered by
// the best set all the same.
func TestExactWithManyAndLargeShortages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var failures []kubeletadmit.CheckFailure
		unit := rapid.SampledFrom([]int64{1, 1 << 44, 1 << 55}).Draw(t, "unit")
		for i := range rapid.IntRange(1, 8).Draw(t, "resources") {
			name := resource.Name(fmt.Sprintf("example.com/r%d", i))
			failures = append(failures, lacks(name, unit*rapid.Int64Range(1, 3).Draw(t, "short")))
		}
		var active []*outrank.Pod
		for i := range rapid.IntRange(1, 9).Draw(t, "pods") {
			p := newPod(fmt.Sprint("p", i), nil)
			p.Containers[0].Requests = resource.List{}
			for _, f := range failures {
				p.Containers[0].Requests[f.Resource] = resource.New(unit * rapid.Int64Range(0, 2).Draw(t, "amount"))
			}
			active = append(active, p)
		}
		got, err := kubeletadmit.Resolve(newCritical(nil), active, failures, kubeletadmit.Config{Exact: true})
		require.NoError(t, err)
		want, missing := plainkubelet.EvictBest(plainkubelet.KubeletOptions{}, newCritical(nil), active, shortagesOf(failures))
		require.Equal(t, len(missing) > 0, len(got.Missing) > 0)
		require.ElementsMatch(t, podNames(want), podNames(podsOf(got.Evictions)))
	})
}

// keyOf is what sets are compared by.
func keyOf(t *rapid.T, a kubeletadmit.Config, adm kubeletadmit.Admission) []int64 {
	key := make([]int64, 3*8+2)
	priorities := []int32{-1, 0, 5, 1_000_000_000, 2_000_000_000}
	for _, e := range adm.Evictions {
		class := slices.Index([]outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}, e.Tier)
		tier := class
		if a.PriorityFirst {
			at := slices.Index(priorities, e.Pod.PriorityValue())
			require.GreaterOrEqual(t, at, 0)
			tier += 3 * at
		}
		key[3*8-1-tier]++
		key[3*8] = resource.AddSat(key[3*8], request(e.Pod, resource.Memory))
		key[3*8+1] = resource.AddSat(key[3*8+1], request(e.Pod, resource.CPU))
	}
	return key
}

// A search that ends early covers the shortages, is no worse than the greedy choice, and
// what it says of the best set is so.
func TestPropertyEndedSearchesAreHonest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, active, failures := newCritical(nil), somePods(t, somePlainPod, 14), someShortages(t)
		a := optioned(t)
		greedy, err := kubeletadmit.Resolve(pod, active, failures, a)
		require.NoError(t, err)
		a.Exact = true
		best, err := kubeletadmit.Resolve(pod, active, failures, a)
		require.NoError(t, err)
		a.Limit = rapid.IntRange(1, 30).Draw(t, "steps")
		got, err := kubeletadmit.Resolve(pod, active, failures, a)
		require.NoError(t, err)
		if len(greedy.Evictions) == 0 {
			require.Nil(t, got.Search)
			return
		}
		require.True(t, cover(podsOf(got.Evictions), failures))
		require.LessOrEqual(t, got.Search.Steps, a.Limit)
		bestKey, gotKey := keyOf(t, a, best), keyOf(t, a, got)
		require.LessOrEqual(t, slices.Compare(gotKey, keyOf(t, a, greedy)), 0)
		require.LessOrEqual(t, slices.Compare(bestKey, gotKey), 0)
		if got.Search.Optimal {
			require.Equal(t, bestKey, gotKey)
		}
		// The bound: at the first tier in which the best set differs from it, it is larger.
		type tierKey struct {
			class    outrank.QOSClass
			priority int32
		}
		chosen := map[tierKey]int{}
		for _, e := range best.Evictions {
			key := tierKey{class: e.Tier}
			if a.PriorityFirst {
				key.priority = e.Pod.PriorityValue()
			}
			chosen[key]++
		}
		for _, tier := range got.Search.Tiers {
			key := tierKey{class: tier.Class}
			if tier.Priority != nil {
				key.priority = *tier.Priority
			}
			n := chosen[key]
			require.GreaterOrEqual(t, n, tier.AtLeast)
			if n > tier.AtLeast {
				break
			}
		}
	})
}

// Beside the pods that go, nothing is short when any of them comes back.
func TestPropertyExactSetsAreMinimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		active, failures := somePods(t, somePod, 20), someShortages(t)
		a := optioned(t)
		a.Exact, a.Limit = true, 2000
		got, err := kubeletadmit.Resolve(newCritical(nil), active, failures, a)
		require.NoError(t, err)
		pods := podsOf(got.Evictions)
		for i := range pods {
			rest := slices.Delete(slices.Clone(pods), i, i+1)
			require.False(t, cover(rest, failures), "%s need not go", pods[i].Name)
		}
		for _, e := range got.Evictions {
			require.NotEmpty(t, e.Contributions)
		}
	})
}
