package kubeletadmit

import (
	"cmp"
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// What the search prunes. Tier by tier, the fewest pods that can still have to go are
// found: what is left, less all that the tiers behind can free, has to be freed by pods
// of the tier, and so many of them as, with the largest amounts of each column, hold that
// much. For the tiers behind, as much is taken to be covered as so many pods can free.
// The numbers are a bound on the numbers of every set from here on, in the order of
// tiers: a set has as many, or more in the first tier in which it has not as many. Where
// they are those of the best set, the least requests of so many pods of each tier bound
// the sums.
//
// The column behind the needs, the share, sees that a pod which covers much of one need
// may cover little of another.

// boundScratch is memory for bounds.
type boundScratch struct {
	objective
	left []int64 // by column
}

// prepareBounds sorts the kinds of each tier by column.
func (s *setSearch) prepareBounds() {
	columns := s.needs + 1
	s.bound.left, s.bound.counts = make([]int64, columns), make([]int, len(s.tiers))
	beyond := make([]int64, columns)
	for i := len(s.tiers) - 1; i >= 0; i-- {
		t := &s.tiers[i]
		t.beyond = slices.Clone(beyond)
		for at := t.from; at < t.to; at++ {
			for j, f := range s.kinds[at].frees {
				beyond[j] = resource.AddSat(beyond[j], times(f, len(s.kinds[at].pods)))
			}
		}
		for j := range columns {
			t.order = append(t.order, t.sorted(func(a, b int) int { return cmp.Compare(s.kinds[b].frees[j], s.kinds[a].frees[j]) }))
		}
		t.order = append(t.order,
			t.sorted(func(a, b int) int { return cmp.Compare(s.kinds[a].memory, s.kinds[b].memory) }),
			t.sorted(func(a, b int) int { return cmp.Compare(s.kinds[a].cpu, s.kinds[b].cpu) }))
	}
}

// sorted lists the kinds of the tier in an order.
func (t *searchTier) sorted(compare func(a, b int) int) []int {
	list := make([]int, t.to-t.from)
	for i := range list {
		list[i] = t.from + i
	}
	slices.SortStableFunc(list, compare)
	return list
}

// promising reports whether a set from here on could be better than the best one, or be
// met in its place. Unless it returns false early, s.bound has the bound.
func (s *setSearch) promising(at int, left []int64) bool {
	b := &s.bound
	copy(b.left, left)
	copy(b.counts, s.now.counts)
	first := s.kinds[at].tier
	order := slices.Compare(b.counts[:first], s.best.counts[:first])
	for i := first; i < len(s.tiers); i++ {
		fewest, ok := s.fewest(i, at)
		if !ok {
			return false
		}
		b.counts[i] = s.now.counts[i] + fewest
		if order == 0 {
			order = cmp.Compare(b.counts[i], s.best.counts[i])
		}
		if order > 0 {
			return false
		}
		if order < 0 && !s.ended {
			return true // nobody will read the rest
		}
		s.cover(i, at, fewest)
	}
	b.memory, b.cpu = s.leastRequests(at, left)
	if order == 0 {
		order = cmp.Or(cmp.Compare(b.memory, s.best.memory), cmp.Compare(b.cpu, s.best.cpu))
	}
	return order < 0 || order == 0 && s.seed
}

// fewest returns how many more pods of a tier have to go. It is not ok if there are not
// enough.
func (s *setSearch) fewest(tier, at int) (most int, ok bool) {
	t := &s.tiers[tier]
	for j, n := range s.bound.left {
		if n -= t.beyond[j]; n <= 0 {
			continue
		}
		pods := 0
		for _, i := range t.order[j] {
			if i < at {
				continue
			}
			k := &s.kinds[i]
			f := k.frees[j]
			if f == 0 {
				break
			}
			if all := int64(len(k.pods)); n > times(f, len(k.pods)) {
				n, pods = n-times(f, len(k.pods)), pods+int(all)
				continue
			}
			pods, n = pods+int((n-1)/f+1), 0
			break
		}
		if n > 0 {
			return 0, false
		}
		most = max(most, pods)
	}
	return most, true
}

// cover subtracts the most that so many pods of a tier can free from what is left.
func (s *setSearch) cover(tier, at, pods int) {
	for j := range s.bound.left {
		n := pods
		for _, i := range s.tiers[tier].order[j] {
			if n == 0 || s.bound.left[j] == 0 {
				break
			}
			if i < at {
				continue
			}
			take := min(n, len(s.kinds[i].pods))
			s.bound.left[j] = max(0, s.bound.left[j]-times(s.kinds[i].frees[j], take))
			n -= take
		}
	}
}

// leastRequests bounds the sums of the requests of a set with the numbers of the bound.
func (s *setSearch) leastRequests(at int, left []int64) (memory, cpu int64) {
	memory, cpu = s.now.memory, s.now.cpu
	for i := s.kinds[at].tier; i < len(s.tiers); i++ {
		t := &s.tiers[i]
		n := s.bound.counts[i] - s.now.counts[i]
		memory = resource.AddSat(memory, s.least(t.order[s.needs+1], at, n, func(k *kind) int64 { return k.memory }))
		cpu = resource.AddSat(cpu, s.least(t.order[s.needs+2], at, n, func(k *kind) int64 { return k.cpu }))
	}
	if s.memoryNeed >= 0 {
		memory = max(memory, resource.AddSat(s.now.memory, left[s.memoryNeed]))
	}
	if s.cpuNeed >= 0 {
		cpu = max(cpu, resource.AddSat(s.now.cpu, left[s.cpuNeed]))
	}
	return memory, cpu
}

// least adds up the least amounts of so many pods.
func (s *setSearch) least(order []int, at, pods int, of func(*kind) int64) (sum int64) {
	for _, i := range order {
		if pods == 0 {
			break
		}
		if i >= at {
			take := min(pods, len(s.kinds[i].pods))
			sum, pods = resource.AddSat(sum, times(of(&s.kinds[i]), take)), pods-take
		}
	}
	return sum
}

// leaveOpen notes the bound of the sets from here on, which nobody looks at any more.
func (s *setSearch) leaveOpen() {
	if len(s.open.counts) == 0 || s.bound.compare(&s.open) < 0 {
		s.open.set(&s.bound.objective)
	}
}
