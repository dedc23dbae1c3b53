package kubeletadmit

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// tiers are the classes in the order in which their pods go.
var tiers = [...]outrank.QOSClass{bestEffort: outrank.BestEffort, burstable: outrank.Burstable, guaranteed: outrank.Guaranteed}

// Places in tiers.
const (
	bestEffort = iota
	burstable
	guaranteed
)

// pool holds the pods that may be pushed out by tiers, and those chosen. No
// amount in it is negative.
type pool struct {
	// needs is what has to be freed, each above 0. There is one at least.
	needs []Need
	// places are where the tally has the resources of needs, -1 for pods, which
	// count 1 each.
	places []int
	tiers  [len(tiers)]candidates
	// left is what is still needed, in the order of needs and 0 where nothing
	// is.
	left []int64
	// picks are the chosen pods, tier by tier from the last to the first, and
	// figures has for each what was left of each need before it and then what
	// it frees of each.
	picks   []pick
	figures []int64
	// shares counts the figures of what was left that are above 0.
	shares int
	gauge  gauge
}

// pick is a chosen pod.
type pick struct {
	// at is its place among the active pods.
	at, tier int
	distance float64
}

// reset keeps the memory alone, without what leads to the caller.
func (p *pool) reset() {
	p.needs, p.left = wiped(p.needs), p.left[:0]
	p.picks, p.figures, p.shares = p.picks[:0], p.figures[:0], 0
	for i := range p.tiers {
		p.tiers[i].reset()
	}
}

// fill sorts the movable pods of the tally by tiers. It gives the problems of
// those that count with less than nothing of what choosing depends on.
func (p *pool) fill(t *tally, active []*outrank.Pod) (problems []outrank.Problem) {
	for i := range p.tiers {
		p.tiers[i].shape(len(p.needs))
	}
	p.places = p.places[:0]
	for _, n := range p.needs {
		p.places = append(p.places, slices.Index(t.names, n.Resource))
	}
	for i, m := range t.movable {
		c := &p.tiers[m.tier]
		counted := t.amounts[i*len(t.names) : (i+1)*len(t.names)]
		for _, at := range p.places {
			amount := int64(1)
			if at >= 0 {
				amount = counted[at]
			}
			c.rows = append(c.rows, amount)
		}
		c.rows = append(c.rows, counted[t.memory], counted[t.cpu])
		if !c.add(m.at) {
			problems = append(problems, problemsIn(active[m.at].Validate())...)
		}
	}
	return problems
}

// choose picks the pods to go (steps 4 to 6 of Resolve; getPodsToPreempt), and
// reports whether all together hold enough; left is what they do not. The
// choices of the tiers depend on one another from the last to the first.
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

// spare sets left to what is needed beside some sums of amounts.
func (p *pool) spare(sums ...[]int64) {
	p.left = p.left[:0]
	for _, n := range p.needs {
		p.left = append(p.left, n.Amount)
	}
	for _, sum := range sums {
		subtract(p.left, sum)
	}
}

// subtract takes what is freed off what is needed, down to 0.
func subtract(left, freed []int64) {
	for i, n := range left {
		left[i] = max(n-freed[i], 0)
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

// take picks pods of the tier, by distance, until nothing is left or no pod
// (step 5; getPodsToPreemptByDistance).
func (p *pool) take(tier int) {
	c := &p.tiers[tier]
	for scans := 0; !covered(p.left) && len(c.pods) > 0; scans++ {
		at, distance := c.closest(p.left, &p.gauge)
		p.pick(tier, c.pods[at], c.row(at), distance)
		c.remove(at)
	}
}

// pick takes the pod with the row into the choice.
func (p *pool) pick(tier, at int, row []int64, distance float64) {
	freed := p.tiers[tier].freed
	for i, n := range p.left {
		freed[i] = resource.AddSat(freed[i], row[i])
		if n > 0 {
			p.shares++
		}
	}
	p.picks = append(p.picks, pick{at, tier, distance})
	p.figures = append(append(p.figures, p.left...), row[:len(p.left)]...)
	subtract(p.left, row)
}

// evictions gives the choice with its reasons, in the order in which the pods
// go. All shares lie in one array.
func (p *pool) evictions(active []*outrank.Pod) []Eviction {
	list, shares := make([]Eviction, 0, len(p.picks)), make([]Share, 0, p.shares)
	for tier, class := range tiers {
		for i, k := range p.picks {
			if k.tier != tier {
				continue
			}
			first := len(shares)
			shares = p.appendShares(shares, i)
			list = append(list, Eviction{
				Pod: active[k.at], Tier: class, Distance: k.distance,
				Shares: shares[first:len(shares):len(shares)],
			})
		}
	}
	return list
}

// appendShares appends what the i-th pick does about what was left before it.
func (p *pool) appendShares(shares []Share, i int) []Share {
	width := len(p.needs)
	figures := p.figures[2*i*width : 2*(i+1)*width]
	for j, n := range p.needs {
		if figures[j] > 0 {
			shares = append(shares, Share{n.Resource, figures[j], figures[width+j]})
		}
	}
	return shares
}

// missing names what is left, leaving out what is not. There is something.
func (p *pool) missing() []Need {
	list := make([]Need, 0, len(p.needs))
	for i, n := range p.needs {
		if p.left[i] > 0 {
			list = append(list, Need{n.Resource, p.left[i]})
		}
	}
	return list
}
