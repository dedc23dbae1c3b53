package plainkubelet

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// This file is the kubelet's choice of pods by the options of group 17.8, written to be
// read: priorities by the same steps as without, and the best set by a look at all sets.

// EvictByPriority is Evict with priorities before classes.
func EvictByPriority(r outrank.Release, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	tiers := kubeletTiers(r, true, preemptor, active)
	all := without(shortages)
	if missing := without(all, tiers...); len(missing) > 0 {
		return nil, missing
	}
	chosen := make([][]*outrank.Pod, len(tiers))
	for i := len(tiers) - 1; i >= 0; i-- {
		rest := slices.Concat(tiers[:i], chosen[i+1:])
		chosen[i] = byDistance(tiers[i], without(all, rest...))
	}
	return slices.Concat(chosen...), nil
}

// KubeletOptions are those of group 17.8 that the kubelet itself does not have.
type KubeletOptions struct {
	Release outrank.Release
	// ByPriority has priorities come before classes.
	ByPriority bool
}

// EvictBest returns the best of all sets that cover the shortages (rules 17.8.4 to
// 17.8.6). Time grows as the number of sets.
func EvictBest(o KubeletOptions, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	tiers := kubeletTiers(o.Release, o.ByPriority, preemptor, active)
	all := without(shortages)
	if missing := without(all, tiers...); len(missing) > 0 {
		return nil, missing
	}
	slices.Reverse(tiers)
	var pods []*outrank.Pod // in the order of rule 17.8.6
	var tier []int
	for i, t := range tiers {
		t = slices.Clone(t)
		slices.Reverse(t)
		slices.SortStableFunc(t, func(a, b *outrank.Pod) int {
			return cmp.Or(
				share(b, all).Cmp(share(a, all)),
				cmp.Compare(request(a, resource.Memory), request(b, resource.Memory)),
				cmp.Compare(request(a, resource.CPU), request(b, resource.CPU)),
				slices.Compare(frees(b, all), frees(a, all)),
			)
		})
		for _, p := range t {
			pods, tier = append(pods, p), append(tier, i)
		}
	}
	var best []int64
	// The first pod is the highest bit, so that of equal sets the one with the first pod
	// in which they differ has the larger number.
	for set := 1<<len(pods) - 1; set >= 0; set-- {
		var chosen []*outrank.Pod
		key := make([]int64, len(tiers)+2)
		for i, p := range pods {
			if set&(1<<(len(pods)-1-i)) == 0 {
				continue
			}
			chosen = append(chosen, p)
			key[tier[i]]++
			key[len(tiers)] = saturated(key[len(tiers)], request(p, resource.Memory))
			key[len(tiers)+1] = saturated(key[len(tiers)+1], request(p, resource.CPU))
		}
		if len(without(all, chosen)) == 0 && (best == nil || slices.Compare(key, best) < 0) {
			best, evict = key, chosen
		}
	}
	return evict, nil
}

// kubeletTiers lists the pods that may be evicted by tier, the first to go first.
func kubeletTiers(r outrank.Release, byPriority bool, preemptor *outrank.Pod, active []*outrank.Pod) (tiers [][]*outrank.Pod) {
	classes := []outrank.QOSClass{outrank.BestEffort, outrank.Burstable, outrank.Guaranteed}
	priorities := []int32{0}
	if byPriority {
		for _, p := range active {
			priorities = append(priorities, p.PriorityValue())
		}
		slices.Sort(priorities)
		priorities = slices.Compact(priorities)
	}
	for _, priority := range priorities {
		for _, class := range classes {
			var tier []*outrank.Pod
			for _, p := range active {
				in := qos.Of(r, p) == class && (!byPriority || p.PriorityValue() == priority)
				if in && !p.Finished() && kubeletMayPreempt(preemptor, p) {
					tier = append(tier, p)
				}
			}
			tiers = append(tiers, tier)
		}
	}
	return tiers
}

// share adds up the parts of the shortages that a pod covers, each in units of 1/2^20 and
// rounded up.
func share(p *outrank.Pod, shortages []Shortage) *big.Int {
	sum := new(big.Int)
	for _, s := range shortages {
		part := big.NewInt(min(s.Amount, request(p, s.Resource)))
		part.Lsh(part, 20).Add(part, big.NewInt(s.Amount-1))
		sum.Add(sum, part.Quo(part, big.NewInt(s.Amount)))
	}
	return sum
}

func frees(p *outrank.Pod, shortages []Shortage) (list []int64) {
	for _, s := range shortages {
		list = append(list, request(p, s.Resource))
	}
	return list
}

func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
