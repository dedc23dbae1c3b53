package kubeletadmit

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/resource"
)

// setSearch finds the best set of pods that covers the needs (rules 17.8.4 to 17.8.7). It is the
// host of a search of package exact: an item is a pod, and the top of an item is its tier in the
// pool. Later searches reuse its memory.
type setSearch struct {
	search exact.Search
	q      *exact.Question
	pool   *pool
	// pods has the pod of each item, and gone says whether the pod is evicted at present.
	pods []candidate
	gone []bool
	// kept lists those of the picks by distance that are needed: without any one of them, the rest
	// would not cover the needs. The search starts from them.
	kept []pick
	// columns has the column of each need in the question, -1 for none.
	columns []int
}

// candidate is a pod that may be in the set, with the figures by which the candidates are sorted
// (rule 17.8.6).
type candidate struct {
	pod, tier   int
	share       int64
	memory, cpu int64
}

// improve replaces the picks by the best set, and says how good it is. The search ends early
// after limit steps (zero means defaultLimit) or once the context has ended.
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

// ask fills in the question and lists the pods. The pods must have been picked by distance before.
func (x *setSearch) ask(limit int) {
	x.kept = x.pool.neededPicks()
	x.listPods()

	// A search begins with all its items gone.
	x.gone = x.gone[:0]
	for range x.pods {
		x.gone = append(x.gone, true)
	}

	x.q = x.search.Ask(x)
	q := x.q
	q.Measures = append(q.Measures, exact.ByTiers, exact.BySum, exact.BySecondSum)
	q.Limit, q.SlowLimit = limit, limit

	// Evicting one more pod never frees less, so that a larger set covers no less. All pods
	// together cover the needs, or there would be no picks to improve.
	q.Gains, q.Helps = true, true

	x.askForNeeds()
	x.offerPods()
}

// askForNeeds gives each need its column in the question, as far as there are columns.
func (x *setSearch) askForNeeds() {
	q := x.q
	x.columns = x.columns[:0]
	for j, n := range x.pool.needs {
		x.columns = append(x.columns, -1)
		column, ok := q.AddShort(n.Amount)
		if !ok {
			continue
		}
		x.columns[j] = column

		// Sets are compared by the sums of their pods' memory and cpu requests, and a pod frees
		// exactly its requests. So what is still short bounds these sums from below.
		switch n.Resource {
		case resource.Memory:
			q.SumColumns[0] = 1 + column
		case resource.CPU:
			q.SumColumns[1] = 1 + column
		}
	}
}

// offerPods makes an item for each pod. The kubelet charges no budgets, so every charge is -1.
func (x *setSearch) offerPods() {
	q := x.q
	for i, c := range x.pods {
		it := exact.Item{From: int32(i), To: int32(i) + 1, Top: int32(c.tier), Sums: [2]int64{c.memory, c.cpu}}
		for j, column := range x.columns {
			if column >= 0 {
				q.Hold(&it, column, x.pool.counted.frees(c.pod, j))
			}
		}
		q.Items, q.Charges = append(q.Items, it), append(q.Charges, -1)
	}
}

// listPods lists the pods of all tiers in the order of rule 17.8.6, by which the search tells
// equal sets apart.
func (x *setSearch) listPods() {
	p := x.pool
	x.pods = x.pods[:0]
	for tier := range p.tiers {
		for _, pod := range p.tiers[tier].all {
			c := candidate{pod: pod, tier: tier}
			c.memory, c.cpu = p.counted.requests(pod)
			for j, n := range p.needs {
				c.share += shareUp(p.counted.frees(pod, j), n.Amount)
			}
			x.pods = append(x.pods, c)
		}
	}
	slices.SortFunc(x.pods, x.compare)
}

// compare returns a negative number if a stands before b by rule 17.8.6. Different pods are never
// equal.
func (x *setSearch) compare(a, b candidate) int {
	if c := cmp.Or(
		cmp.Compare(b.tier, a.tier),
		cmp.Compare(b.share, a.share),
		cmp.Compare(a.memory, b.memory),
		cmp.Compare(a.cpu, b.cpu),
	); c != 0 {
		return c
	}

	p := x.pool
	for j := range p.needs {
		if c := cmp.Compare(p.counted.frees(b.pod, j), p.counted.frees(a.pod, j)); c != 0 {
			return c
		}
	}
	return cmp.Compare(b.pod, a.pod)
}

// shareUnit is the share of a pod that covers a need by itself.
const shareUnit = 1 << 20

// shareUp returns the part of a need that a pod covers as a multiple of 1/shareUnit, rounded up.
func shareUp(frees, need int64) int64 {
	// The product takes up to 83 bits. Its quotient is at most shareUnit, so that Div64 does not
	// overflow.
	hi, lo := bits.Mul64(uint64(min(frees, need)), shareUnit)
	lo, carry := bits.Add64(lo, uint64(need-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(need))
	return int64(q)
}

// neededPicks goes through the picks, the last tier first, and leaves out a pick if the needs are
// covered without it. No pick of the result can be left out: when it was kept, the picks kept before
// it and all picks behind it did not cover the needs.
func (p *pool) neededPicks() []pick {
	// behind has, for the i-th pick and each need, what this pick and all behind it free.
	needs := len(p.needs)
	behind := zeros([]int64(nil), (len(p.picks)+1)*needs)
	for i := len(p.picks) - 1; i >= 0; i-- {
		for j := range needs {
			behind[i*needs+j] = resource.AddSat(behind[(i+1)*needs+j], p.counted.frees(p.picks[i].pod, j))
		}
	}

	// left is what the picks kept so far leave of the needs.
	p.needBeyond()
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

// repick replaces the picks by others. The distance of each is measured against what the picks
// before it leave (rule 17.8.8).
func (p *pool) repick(chosen []pick) {
	p.picks, p.lefts = p.picks[:0], p.lefts[:0]
	p.contributions = 0
	p.freed = zeros(p.freed, len(p.needs))

	p.needBeyond()
	for _, k := range chosen {
		k.distance = p.counted.distance(p.left, k.pod)
		p.pick(k)
	}
}

// Leave evicts a pod.
func (x *setSearch) Leave(item int32) { x.gone[item] = true }

// Return puts a pod back.
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

// Allows returns true: nothing but amounts decides whether the pod is admitted.
func (x *setSearch) Allows() bool { return true }

// Score counts the pods of a set and adds up their requests of memory and cpu.
func (x *setSearch) Score(set []bool) (sc exact.Score) {
	for i, in := range set {
		if in {
			c := &x.pods[i]
			sc.Parts++
			sc.Sums[0] = resource.AddSat(sc.Sums[0], c.memory)
			sc.Sums[1] = resource.AddSat(sc.Sums[1], c.cpu)
		}
	}
	return sc
}

// Violating marks no pod, because the kubelet looks at no budgets.
func (x *setSearch) Violating([]bool) {}

// Spared reduces the set to the picks by distance that are needed, so that the answer is never
// worse than theirs (rule 17.8.7).
func (x *setSearch) Spared(set []bool) {
	for i := range set {
		set[i] = slices.ContainsFunc(x.kept, func(k pick) bool { return k.pod == x.pods[i].pod })
	}
}

// chosen lists the pods of the best set as picks, in the order of rule 17.8.8.
func (x *setSearch) chosen() (picks []pick) {
	set, _, _ := x.search.Best()
	for i, in := range set {
		if in {
			picks = append(picks, pick{pod: x.pods[i].pod, tier: x.pods[i].tier})
		}
	}
	return picks
}

// certificate says how good the best set is. It leaves out tiers of which no pod goes and none
// has to go.
func (x *setSearch) certificate() *Certificate {
	p := x.pool
	tiers, best, bound, proven := x.search.Tiers()
	c := &Certificate{Steps: x.search.Steps(), Optimal: proven}
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
