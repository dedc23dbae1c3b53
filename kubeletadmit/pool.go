package kubeletadmit

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// compare is below 0 if pods of tier a are evicted before pods of tier b (rules 17.5.1 and 17.8.2).
func (a tierKey) compare(b tierKey) int {
	return cmp.Or(cmp.Compare(a.priority, b.priority), cmp.Compare(a.class, b.class))
}

// pool holds the pods that may be evicted, by tier, and the chosen ones. No
// amount in it is negative.
//
// Amounts by need lie in one row per owner: the row of the i-th owner begins at
// i × len(needs), and its j-th entry is about the j-th need.
type pool struct {
	// needs are the amounts to be freed, each above 0. There is at least one.
	needs []ResourceNeed
	// counted has the figures of the movable pods of the tally.
	counted figures
	// keys are the tiers in the order in which their pods go, and tiers has the
	// pods of each.
	keys  []tierKey
	tiers []candidates
	// byPriority is set if pods are in tiers by priority, too. searching is set if an
	// exact search follows the choice: tiers then remember their chosen pods.
	byPriority, searching bool
	// left is the rest of each need, 0 if it is covered.
	left []int64
	// picks are the chosen pods, tier by tier from the last to the first. lefts
	// has a row for each of them: what was left before it.
	picks []pick
	lefts []int64
	// contributions counts the amounts in lefts that are above 0.
	contributions int
	// scan finds the nearest of few pods, and index the nearest of many.
	scan  scan
	index index
	// below has a row for each tier, with what all tiers before it hold together, and
	// one more row with what all tiers hold. freed is what the picks free together.
	below []int64
	freed []int64
	// sets searches for a set that is better than the picks.
	sets setSearch
}

// pick is a chosen pod.
type pick struct {
	// pod is an index into the movable pods, and tier an index into the tiers.
	pod, tier int
	// distance is the pod's distance from covering what was left before it.
	distance float64
}

// reset empties the pool for the next call. It keeps the memory, and no text of the caller.
func (p *pool) reset() {
	p.needs, p.contributions = wiped(p.needs), 0
	p.picks, p.lefts = p.picks[:0], p.lefts[:0]
}

// fill sorts the movable pods of the tally by tier. It returns a problem for
// each pod that counts with a negative amount of something that choosing
// depends on.
func (p *pool) fill(t *tally, active []*outrank.Pod) (problems []outrank.Problem) {
	p.counted.set(t, p.needs)
	p.byPriority, p.searching = t.config.PriorityFirst, t.config.Exact
	p.findTiers(t)
	for i := range p.tiers {
		p.tiers[i].reset(len(p.needs), p.searching)
	}

	for pod, m := range t.movable {
		if p.counted.negative(pod) {
			problems = append(problems, problemsIn(active[m.at].Validate())...)
		}
		tier, _ := slices.BinarySearchFunc(p.keys, m.tierKey, tierKey.compare)
		p.tiers[tier].add(pod, &p.counted)
	}
	return problems
}

// findTiers makes the keys, and room for a tier of each: one per class, even without pods, or
// one per priority and class that has pods.
func (p *pool) findTiers(t *tally) {
	p.keys = p.keys[:0]
	if p.byPriority {
		for _, m := range t.movable {
			p.keys = append(p.keys, m.tierKey)
		}
		slices.SortFunc(p.keys, tierKey.compare)
		p.keys = slices.Compact(p.keys)
	} else {
		for class := range classes {
			p.keys = append(p.keys, tierKey{class: class})
		}
	}

	// Tiers beyond the length are left from earlier calls, and their memory is used again.
	p.tiers = p.tiers[:cap(p.tiers)]
	p.tiers = slices.Grow(p.tiers, max(0, len(p.keys)-len(p.tiers)))[:len(p.keys)]
}

// choose chooses the pods to evict (steps 4 to 6 of Resolve; getPodsToPreempt).
// It reports whether all movable pods together hold enough. If not, it chooses
// none, and left is what they do not cover.
//
// internal/proof/kubelet.dfy proves that what is chosen covers the needs (ChosenCoversNeeds), and that nobody of a tier
// leaves where all tiers before it together would do (NoTierTooEarly).
func (p *pool) choose() bool {
	needs := len(p.needs)
	p.freed = zeros(p.freed, needs)
	p.below = zeros(p.below, (len(p.tiers)+1)*needs)
	for i := range p.tiers {
		for j, held := range p.tiers[i].held {
			p.below[(i+1)*needs+j] = resource.AddSat(p.below[i*needs+j], held)
		}
	}

	// The last row is what all tiers hold (rule 17.5.2).
	p.needBeyond(p.below[len(p.tiers)*needs:])
	if !covered(p.left) {
		return false
	}

	// A tier has to cover what is needed beyond all pods of the tiers before it
	// and the chosen ones of the tiers after it, so the last tier chooses first
	// (rules 17.5.3 to 17.5.5). The tier always holds that much: whatever is needed
	// beyond it and the tiers before it was covered by the tiers after it.
	for tier := len(p.tiers) - 1; tier >= 0; tier-- {
		p.needBeyond(p.below[tier*needs:(tier+1)*needs], p.freed)
		p.take(tier)
	}
	return true
}

// needBeyond sets left to what is still needed once each of the sums is freed. A sum has an
// amount per need.
func (p *pool) needBeyond(sums ...[]int64) {
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

// scanLimit is how many pods of a tier are chosen by looking at all candidates. If more
// have to be chosen, building an index pays off.
const scanLimit = 64

// take chooses pods of the tier by distance, until nothing is needed or no pod
// is left (step 5 of Resolve; getPodsToPreemptByDistance).
//
// internal/proof/kubelet.dfy proves that it covers what the tier can cover, and stops then (Taken).
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

// takeIndexed continues take with an index, which makes the same choice faster.
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

// pick adds a pod to the choice, and subtracts what it frees from what is left.
func (p *pool) pick(chosen pick) {
	p.picks, p.lefts = append(p.picks, chosen), append(p.lefts, p.left...)
	for i, n := range p.left {
		if n > 0 {
			p.contributions++
		}
		frees := p.counted.frees(chosen.pod, i)
		p.freed[i] = resource.AddSat(p.freed[i], frees)
		p.left[i] = max(n-frees, 0)
	}
}

// evictions returns the chosen pods with the reasons, in the order in which they
// are evicted: tier by tier from the first, and within a tier in the order of the
// choice (rule 17.5.6). All contributions share one array, which never grows, so
// that the answer takes two allocations.
func (p *pool) evictions(t *tally, active []*outrank.Pod) []EvictedPod {
	list := make([]EvictedPod, 0, len(p.picks))
	contributions := make([]Contribution, 0, p.contributions)
	for end := len(p.picks); end > 0; {
		// Picks of a tier stand together: find where the tier of the last one begins.
		from := end - 1
		for from > 0 && p.picks[from-1].tier == p.picks[from].tier {
			from--
		}

		for i := from; i < end; i++ {
			k, first := p.picks[i], len(contributions)
			contributions = p.appendContributions(contributions, i)
			list = append(list, EvictedPod{
				Pod: active[t.movable[k.pod].at], Tier: classes[p.keys[k.tier].class], Distance: k.distance,
				// The capacity is cut, so that appending to one list does not write into the next.
				Contributions: contributions[first:len(contributions):len(contributions)],
			})
		}
		end = from
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

// missing returns the needs that are left after a choice that failed. There is at least one.
func (p *pool) missing() []ResourceNeed {
	list := make([]ResourceNeed, 0, len(p.needs))
	for i, n := range p.needs {
		if p.left[i] > 0 {
			list = append(list, ResourceNeed{n.Resource, p.left[i]})
		}
	}
	return slices.Clip(list)
}
