package kubeletadmit

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/resource"
)

// setSearch finds the best set of pods that covers the needs (rules 17.8.4 to 17.8.7): it asks
// package exact, whose items are the pods and whose tops are the tiers of the pool. Its memory
// serves for the next search.
type setSearch struct {
	search exact.Search
	q      *exact.Question
	pool   *pool
	// pods are by item, and gone says which of them are gone. kept are the picks by distance
	// that are needed beside each other.
	pods []candidate
	gone []bool
	kept []pick
	// columns has the column of each need, -1 for none.
	columns []int
}

// candidate is a pod that may be in the set, with what orders it (rule 17.8.6).
type candidate struct {
	pod, tier   int
	share       int64
	memory, cpu int64
}

// improve puts the best set in the place of the picks, and says how good it is. The search ends
// early after so many steps, or where the context has ended.
func (p *pool) improve(ctx context.Context, limit int) *Certificate {
	x := &p.sets
	x.pool = p
	x.ask(cmp.Or(limit, defaultLimit))
	x.q.Ended = func() bool { return ctx.Err() != nil }
	defer x.search.Release()
	x.search.Solve()
	p.repick(x.chosen())
	return x.certificate()
}

// ask fills in the question.
func (x *setSearch) ask(limit int) {
	p := x.pool
	x.pods, x.kept, x.gone = x.pods[:0], p.without(), x.gone[:0]
	x.sort()
	x.q = x.search.Ask(x)
	q := x.q
	q.Measures = append(q.Measures, exact.ByTiers, exact.BySum, exact.BySecondSum)
	q.Gains, q.Helps, q.Limit, q.SlowLimit = true, true, limit, limit
	x.columns = x.columns[:0]
	for j, n := range p.needs {
		x.columns = append(x.columns, -1)
		if column, ok := q.AddShort(n.Amount); ok {
			x.columns[j] = column
			switch n.Resource {
			case resource.Memory:
				q.SumColumns[0] = 1 + column
			case resource.CPU:
				q.SumColumns[1] = 1 + column
			}
		}
	}
	for i, c := range x.pods {
		it := exact.Item{From: int32(i), To: int32(i) + 1, Top: int32(c.tier), Sums: [2]int64{c.memory, c.cpu}}
		for j, column := range x.columns {
			if column >= 0 {
				q.Hold(&it, column, p.counted.frees(c.pod, j))
			}
		}
		q.Items, q.Charges = append(q.Items, it), append(q.Charges, -1)
	}
	for range x.pods {
		x.gone = append(x.gone, true)
	}
}

// sort lists the pods in the order of rule 17.8.6.
func (x *setSearch) sort() {
	p := x.pool
	for tier := len(p.tiers) - 1; tier >= 0; tier-- {
		for _, pod := range p.tiers[tier].all {
			c := candidate{pod: pod, tier: tier}
			c.memory, c.cpu = p.counted.requests(pod)
			for j, n := range p.needs {
				c.share += shareUp(p.counted.frees(pod, j), n.Amount)
			}
			x.pods = append(x.pods, c)
		}
	}
	slices.SortFunc(x.pods, func(a, b candidate) int {
		if c := cmp.Or(
			cmp.Compare(b.tier, a.tier), cmp.Compare(b.share, a.share), cmp.Compare(a.memory, b.memory), cmp.Compare(a.cpu, b.cpu),
		); c != 0 {
			return c
		}
		for j := range p.needs {
			if c := cmp.Compare(p.counted.frees(b.pod, j), p.counted.frees(a.pod, j)); c != 0 {
				return c
			}
		}
		return cmp.Compare(b.pod, a.pod)
	})
}

// shareUnit is the share of a pod that covers a need by itself.
const shareUnit = 1 << 20

// shareUp returns the part of a need that a pod covers, rounded up.
func shareUp(frees, need int64) int64 {
	hi, lo := bits.Mul64(uint64(min(frees, need)), shareUnit)
	lo, carry := bits.Add64(lo, uint64(need-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(need)) // at most shareUnit
	return int64(q)
}

// without returns the picks that are needed beside each other: each is left out, the last
// tier first, if those that are kept cover the needs with those behind it.
func (p *pool) without() []pick {
	needs := len(p.needs)
	behind := zeros([]int64(nil), (len(p.picks)+1)*needs)
	for i := len(p.picks) - 1; i >= 0; i-- {
		for j := range needs {
			behind[i*needs+j] = resource.AddSat(behind[(i+1)*needs+j], p.counted.frees(p.picks[i].pod, j))
		}
	}
	p.spare()
	var kept []pick
	for i, k := range p.picks {
		spare := true
		for j, left := range p.left {
			spare = spare && left <= behind[(i+1)*needs+j]
		}
		if spare {
			continue
		}
		kept = append(kept, k)
		for j, left := range p.left {
			p.left[j] = max(left-p.counted.frees(k.pod, j), 0)
		}
	}
	return kept
}

// repick makes these the picks.
func (p *pool) repick(chosen []pick) {
	p.picks, p.lefts, p.contributions = p.picks[:0], p.lefts[:0], 0
	p.freed = zeros(p.freed, len(p.needs))
	p.spare()
	for _, k := range chosen {
		k.distance = p.counted.distance(p.left, k.pod)
		p.pick(k)
	}
}

// Leave and Return follow which pods are gone.
func (x *setSearch) Leave(item int32)  { x.gone[item] = true }
func (x *setSearch) Return(item int32) { x.gone[item] = false }

// Fits reports whether the pods that are gone cover the needs.
func (x *setSearch) Fits() bool {
	p := x.pool
	for j, n := range p.needs {
		left := n.Amount
		for i, gone := range x.gone {
			if gone && left > 0 {
				left -= min(left, p.counted.frees(x.pods[i].pod, j))
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// Allows reports that nothing but amounts counts.
func (x *setSearch) Allows() bool { return true }

// Score adds up a set.
func (x *setSearch) Score(set []bool) (sc exact.Score) {
	for i, in := range set {
		if in {
			c := &x.pods[i]
			sc.Parts++
			sc.Sums[0], sc.Sums[1] = resource.AddSat(sc.Sums[0], c.memory), resource.AddSat(sc.Sums[1], c.cpu)
		}
	}
	return sc
}

// Violating marks nothing: there are no budgets.
func (x *setSearch) Violating([]bool) {}

// Spared leaves the picks that are needed beside each other.
func (x *setSearch) Spared(set []bool) {
	for i := range set {
		set[i] = slices.ContainsFunc(x.kept, func(k pick) bool { return k.pod == x.pods[i].pod })
	}
}

// chosen lists the pods of the best set as picks, in the order of the search.
func (x *setSearch) chosen() (picks []pick) {
	set, _, _ := x.search.Best()
	for i, in := range set {
		if in {
			picks = append(picks, pick{pod: x.pods[i].pod, tier: x.pods[i].tier})
		}
	}
	return picks
}

// certificate says how good the best set is.
func (x *setSearch) certificate() *Certificate {
	tiers, best, bound, proven := x.search.Tiers()
	p, c := x.pool, &Certificate{Steps: x.search.Steps(), Optimal: proven}
	for i, tier := range tiers {
		key := p.keys[tier]
		n := TierCount{Class: classes[key.class], Chosen: int(best[i]), AtLeast: int(bound[i])}
		if n.Chosen+n.AtLeast == 0 {
			continue
		}
		if p.byPriority {
			n.Priority = &key.priority
		}
		c.Tiers = append(c.Tiers, n)
	}
	return c
}
