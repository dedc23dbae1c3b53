package joint

import (
	"math"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// bound returns a total that no plan for the members beats in any of its amounts (group
// 25.5). Amounts of which nothing is known are the least that there are. The draft is
// without any member placed.
func (b *draft) bound() preemption.Score {
	s := preemption.Score{TopPriority: math.MinInt32}
	var stuck []*member
	fits := map[int]bool{}
	for _, m := range b.members {
		if m.loose {
			return s
		}
		known, ok := fits[m.kind]
		if !ok {
			nodes, err := b.eval.Feasible(b.ctx, b.snap, m.pod)
			b.fail(err)
			known = len(nodes) > 0
			fits[m.kind] = known
		}
		if !known {
			stuck = append(stuck, m)
		}
	}
	if b.err != nil || len(stuck) == 0 {
		return s
	}
	s.Victims, s.PrioritySum = b.fewest(stuck)
	s.TopPriority = b.lowestTop(stuck)
	return s
}

// lowestTop returns a priority that some victim has at least: the highest, over the pods
// that fit nowhere, of the lowest with which one of them fits alone (rule 25.5.2). A pod
// that shares the victims of another, which it may not evict itself, shares one of at
// least its own priority.
func (b *draft) lowestTop(stuck []*member) int32 {
	top := int32(math.MinInt32)
	config := b.eval.Config()
	if b.grouped || config.MayEvict != nil && len(b.members) > 1 {
		return top
	}
	config.Policy.Ranks = []preemption.Rank{preemption.ByTopPriority}
	config.Policy.Victims = preemption.Reprieve
	config.Sample, config.Importance, config.Cost = nil, nil, nil
	eval, err := preemption.NewEvaluator(config)
	b.fail(err)
	snap := b.snap.Clone()
	b.fail(snap.SetBudgets(nil))
	seen := map[int]bool{}
	for _, m := range stuck {
		if b.err != nil || seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		plan, err := eval.Preempt(b.ctx, snap, m.pod, b.now)
		b.fail(err)
		if err == nil && plan.Outcome == preemption.Preempt {
			top = max(top, plan.Score.TopPriority)
		}
	}
	return top
}

// fewest returns how many victims there are at least, and the least sum of their
// priorities (rule 25.5.3). Every pod that fits nowhere needs a victim on its node; and k
// of them need as many as free what k times the smallest of them asks for, if each frees
// as much as the largest pod there.
func (b *draft) fewest(stuck []*member) (victims int, sum int64) {
	need := b.smallest(stuck)
	highest := int32(math.MinInt32)
	for _, m := range b.members {
		highest = max(highest, m.pod.PriorityValue())
	}
	lowest := int32(math.MaxInt32)
	bestX, bestK := 0, 0
	for _, n := range b.nodes {
		free, largest := make([]int64, len(need)), make([]int64, len(need))
		pods := b.snap.PodsOn(n.Name)
		for k, name := range b.scales {
			free[k] = resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name))
		}
		count := 0
		for _, p := range pods {
			priority := b.totals.of(p).priority
			if priority >= highest && !b.grouped && b.eval.Config().Variant != outrank.VariantSimplified {
				continue
			}
			count, lowest = count+1, min(lowest, priority)
			for k, amount := range b.amounts(p) {
				largest[k] = max(largest[k], amount)
			}
		}
		for k := 1; k <= len(stuck); k++ {
			x, ok := fewestFor(int64(k), need, free, largest, int64(count))
			if !ok {
				break
			}
			if bestK == 0 || x*bestK < bestX*k {
				bestX, bestK = x, k
			}
		}
	}
	if bestK == 0 {
		return 0, 0
	}
	victims = (len(stuck)*bestX + bestK - 1) / bestK
	return victims, resource.MulSat(int64(victims), int64(lowest)+1<<31)
}

// fewestFor returns how many victims on one node k pods need at least, false if all are
// not enough.
func fewestFor(k int64, need, free, largest []int64, count int64) (int, bool) {
	x := int64(1)
	for r := range need {
		short := resource.SubSat(resource.MulSat(k, need[r]), free[r])
		if need[r] == 0 || short <= 0 {
			continue
		}
		if largest[r] == 0 {
			return 0, false
		}
		x = max(x, (short-1)/largest[r]+1)
	}
	return int(x), x <= count
}

// smallest returns the least that any of the pods asks for of each resource that the
// filter NodeResourcesFit looks at.
func (b *draft) smallest(stuck []*member) []int64 {
	least := make([]int64, len(b.scales))
	for r := range least {
		least[r] = math.MaxInt64
	}
	seen := map[int]bool{}
	for _, m := range stuck {
		if seen[m.kind] {
			continue
		}
		seen[m.kind] = true
		asked := b.asked(m)
		for r, name := range b.scales {
			least[r] = min(least[r], asked[name])
		}
	}
	return least
}

// asked returns what a member asks nodes for, by resource.
func (b *draft) asked(m *member) map[resource.Name]int64 {
	asked := map[resource.Name]int64{}
	if len(b.nodes) == 0 || b.err != nil {
		return asked
	}
	t, err := b.eval.Trials(b.snap, preemption.Request{Pod: m.pod, Now: b.now})
	if err != nil {
		b.fail(err)
		return asked
	}
	trial, err := t.On(b.nodes[0].Name)
	if err != nil {
		b.fail(err)
		return asked
	}
	for _, room := range trial.Room(nil) {
		asked[room.Resource] = room.Needed
	}
	return asked
}
