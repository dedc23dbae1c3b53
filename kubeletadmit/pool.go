package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// tiers are the classes in the order in which their pods are evicted.
var tiers = [...]outrank.QOSClass{bestEffort: outrank.BestEffort, burstable: outrank.Burstable, guaranteed: outrank.Guaranteed}

// Places in tiers.
const (
	bestEffort = iota
	burstable
	guaranteed
)

// pool holds the pods that may be evicted, by tier, and the chosen ones. No
// amount in it is negative.
type pool struct {
	// needs is what has to be freed, each above 0. There is at least one.
	needs []ResourceNeed
	// counted has the figures of the movable pods of the tally.
	counted figures
	tiers   [len(tiers)]candidates
	// left is what is still needed, by need, 0 if nothing is.
	left []int64
	// picks are the chosen pods, tier by tier from the last to the first. lefts
	// has, for each of them, what was left before it.
	picks []pick
	lefts []int64
	// contributions counts the amounts in lefts that are above 0.
	contributions int
	scan          scan
	index         index
}

// pick is a chosen pod.
type pick struct {
	// pod is the index among the movable pods.
	pod, tier int
	distance  float64
}

// reset keeps the memory and drops everything that belongs to the caller.
func (p *pool) reset() {
	p.needs, p.contributions = wiped(p.needs), 0
	p.picks, p.lefts = p.picks[:0], p.lefts[:0]
}

// fill sorts the movable pods of the tally by tier. It returns a problem for
// each pod that counts with a negative amount of something that choosing
// depends on.
func (p *pool) fill(t *tally, active []*outrank.Pod) (problems []outrank.Problem) {
	p.counted.set(t, p.needs)
	for i := range p.tiers {
		p.tiers[i].reset(len(p.needs))
	}
	for pod, m := range t.movable {
		if p.counted.negative(pod) {
			problems = append(problems, problemsIn(active[m.at].Validate())...)
		}
		p.tiers[m.tier].add(pod, &p.counted)
	}
	return problems
}

// choose chooses the pods to evict (steps 4 to 6 of Resolve; getPodsToPreempt),
// and reports whether all together hold enough; left is what they do not hold.
// The choice in a tier depends on the choices in the tiers after it, so it
// begins with the last.
func (p *pool) choose() bool {
	low, middle, top := &p.tiers[bestEffort], &p.tiers[burstable], &p.tiers[guaranteed]
	p.spare(low.held, middle.held, top.held)
	if !covered(p.left) {
		return false
	}
	p.spare(low.held, middle.held)
	p.take(guaranteed)
	p.spare(low.held, top.freed)
	p.take(burstable)
	p.spare(middle.freed, top.freed)
	p.take(bestEffort)
	return true
}

// spare sets left to what is needed beyond some sums of amounts.
func (p *pool) spare(sums ...[]int64) {
	p.left = p.left[:0]
	for _, n := range p.needs {
		p.left = append(p.left, n.Amount)
	}
	for _, sum := range sums {
		for i, amount := range sum {
			p.left[i] = max(p.left[i]-amount, 0)
		}
	}
}

// covered reports whether nothing is needed any more.
func covered(left []int64) bool {
	for _, n := range left {
		if n > 0 {
			return false
		}
	}
	return true
}

// scanLimit is how many pods of a tier are chosen by looking at all candidates.
// For more pods it is worth building an index.
const scanLimit = 64

// take chooses pods of the tier by distance, until nothing is needed or no pod
// is left (step 5 of Resolve; getPodsToPreemptByDistance).
func (p *pool) take(tier int) {
	c := &p.tiers[tier]
	for range scanLimit {
		if covered(p.left) || len(c.pods) == 0 {
			return
		}
		at, distance := p.scan.nearest(c, &p.counted, p.left)
		p.pick(pick{c.pods[at], tier, distance})
		c.remove(at)
	}
	p.takeIndexed(tier)
}

// takeIndexed continues with an index.
func (p *pool) takeIndexed(tier int) {
	if covered(p.left) || len(p.tiers[tier].pods) == 0 {
		return
	}
	x := &p.index
	x.build(&p.tiers[tier], &p.counted, p.left)
	for !covered(p.left) && len(x.list) > 0 {
		slot, distance := x.nearest(p.left)
		p.pick(pick{x.pods[slot], tier, distance})
		x.remove(slot, len(p.left))
	}
}

// pick adds a pod to the choice.
func (p *pool) pick(chosen pick) {
	p.picks, p.lefts = append(p.picks, chosen), append(p.lefts, p.left...)
	freed := p.tiers[chosen.tier].freed
	for i, n := range p.left {
		if n > 0 {
			p.contributions++
		}
		frees := p.counted.frees(chosen.pod, i)
		freed[i], p.left[i] = resource.AddSat(freed[i], frees), max(n-frees, 0)
	}
}

// evictions returns the chosen pods with the reasons, in the order in which they
// are evicted. All contributions lie in one array.
func (p *pool) evictions(t *tally, active []*outrank.Pod) []EvictedPod {
	list, contributions := make([]EvictedPod, 0, len(p.picks)), make([]Contribution, 0, p.contributions)
	for tier, class := range tiers {
		for i, k := range p.picks {
			if k.tier != tier {
				continue
			}
			first := len(contributions)
			contributions = p.appendContributions(contributions, i)
			list = append(list, EvictedPod{
				Pod: active[t.movable[k.pod].at], Tier: class, Distance: k.distance,
				Contributions: contributions[first:len(contributions):len(contributions)],
			})
		}
	}
	return list
}

// appendContributions appends what the i-th pick contributes to each shortage that
// was left before it.
func (p *pool) appendContributions(contributions []Contribution, i int) []Contribution {
	left := p.lefts[i*len(p.needs):]
	for j, n := range p.needs {
		if left[j] > 0 {
			contributions = append(contributions, Contribution{n.Resource, left[j], p.counted.frees(p.picks[i].pod, j)})
		}
	}
	return contributions
}

// missing returns the needs that are left. There is at least one.
func (p *pool) missing() []ResourceNeed {
	list := make([]ResourceNeed, 0, len(p.needs))
	for i, n := range p.needs {
		if p.left[i] > 0 {
			list = append(list, ResourceNeed{n.Resource, p.left[i]})
		}
	}
	return slices.Clip(list)
}
