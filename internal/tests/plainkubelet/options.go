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

// This file chooses pods by the options of group 17.8, written to be read: priorities take the same steps as
// plain tiers, and the best set is found by looking at all sets.

// EvictByPriority is Evict with priorities first: pods form a tier for each priority and class (rules 17.8.2
// and 17.8.3).
func EvictByPriority(r outrank.Release, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	tiers := kubeletTiers(r, true, preemptor, active)
	all := without(shortages)
	if missing := without(all, tiers...); len(missing) > 0 {
		return nil, missing
	}

	// The last tier is settled first. What it must cover is left once all tiers before it are gone.
	chosen := make([][]*outrank.Pod, len(tiers))
	for i := len(tiers) - 1; i >= 0; i-- {
		rest := slices.Concat(tiers[:i], chosen[i+1:])
		chosen[i] = byDistance(tiers[i], without(all, rest...))
	}
	return slices.Concat(chosen...), nil
}

// KubeletOptions are the options of group 17.8, which the kubelet itself does not have.
type KubeletOptions struct {
	// Release decides which class a pod has.
	Release outrank.Release
	// ByPriority forms a tier for each priority and class, instead of one for each class.
	ByPriority bool
}

// EvictBest returns the best of all sets of pods that cover the shortages (rules 17.8.4 to 17.8.6). If all
// pods together do not cover them, it returns those that would remain. Time is exponential in the number of
// pods.
func EvictBest(o KubeletOptions, preemptor *outrank.Pod, active []*outrank.Pod, shortages []Shortage) (evict []*outrank.Pod, missing []Shortage) {
	tiers := kubeletTiers(o.Release, o.ByPriority, preemptor, active)
	all := without(shortages)
	if missing := without(all, tiers...); len(missing) > 0 {
		return nil, missing
	}

	// The last tier counts first.
	slices.Reverse(tiers)
	pods, tier := inOrderOfChoice(tiers, all)

	// Each number stands for a set. The first pod is the highest bit, so that of two equal sets the larger number has
	// the first pod in which they differ: it is met first, and stays.
	var best []int64
	for set := 1<<len(pods) - 1; set >= 0; set-- {
		// The key has what rule 17.8.4 compares, in its order: how many pods leave each tier, then the sums
		// of their requests for memory and cpu.
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

// inOrderOfChoice lists the pods of all tiers in the order of rule 17.8.6, and for each the index of its
// tier.
func inOrderOfChoice(tiers [][]*outrank.Pod, shortages []Shortage) (pods []*outrank.Pod, tier []int) {
	for i, t := range tiers {
		// The sort is stable, so that of pods that tie the later one comes first.
		t = slices.Clone(t)
		slices.Reverse(t)
		slices.SortStableFunc(t, func(a, b *outrank.Pod) int {
			return cmp.Or(
				share(b, shortages).Cmp(share(a, shortages)),
				cmp.Compare(request(a, resource.Memory), request(b, resource.Memory)),
				cmp.Compare(request(a, resource.CPU), request(b, resource.CPU)),
				slices.Compare(frees(b, shortages), frees(a, shortages)),
			)
		})
		for _, p := range t {
			pods, tier = append(pods, p), append(tier, i)
		}
	}
	return pods, tier
}

// kubeletTiers lists the pods that may be evicted by tier. Tiers whose pods leave first come first, and a tier may
// be empty.
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

// share adds up the parts of the shortages that a pod covers, each at most 1, in units of 2^-20 and rounded
// up. Big integers keep the sum exact.
func share(p *outrank.Pod, shortages []Shortage) *big.Int {
	sum := new(big.Int)
	for _, s := range shortages {
		part := big.NewInt(min(s.Amount, request(p, s.Resource)))
		part.Lsh(part, 20).Add(part, big.NewInt(s.Amount-1))
		sum.Add(sum, part.Quo(part, big.NewInt(s.Amount)))
	}
	return sum
}

// frees lists the amounts that a pod frees, one for each shortage.
func frees(p *outrank.Pod, shortages []Shortage) (list []int64) {
	for _, s := range shortages {
		list = append(list, request(p, s.Resource))
	}
	return list
}

// saturated adds two amounts and stops at the largest number.
func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
