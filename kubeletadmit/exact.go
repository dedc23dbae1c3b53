package kubeletadmit

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank/resource"
)

// setSearch finds the best set of pods that covers the needs (rules 17.8.4 to 17.8.7), by
// branch and bound. It goes through the kinds of pods, those of the last tier first, and
// decides how many of each go, the most first. exactbound.go says what it prunes.
type setSearch struct {
	kinds []kind
	// tiers are in the order of the search: the last of the pool first.
	tiers []searchTier
	// needs is their number. A column is a need, or behind them the share of all of them.
	needs int
	// wanted is what is needed of each column.
	wanted []int64
	// left has, by depth, what the kinds before leave of each column.
	left []int64
	// memoryNeed and cpuNeed are needs of these resources, -1 for none.
	memoryNeed, cpuNeed int

	now objective // of what is taken
	// best is the best set met: seed, or, if that was met again or beaten, takes.
	best  objective
	takes []int
	seed  bool
	taken []int // of each kind, now
	// open is a bound on the sets that were not looked at.
	open         objective
	steps, limit int
	ended        bool
	bound        boundScratch
}

// kind is pods of a tier that are alike in all that counts.
type kind struct {
	tier int
	// pods are movable pods, in the order in which they go.
	pods []int
	// frees is what one of them frees, by column.
	frees       []int64
	memory, cpu int64
}

// searchTier is a tier with what bounds need.
type searchTier struct {
	// tier is its index in the pool, and pods the number of its pods.
	tier, pods int
	from, to   int // its kinds
	// beyond is what all pods of the tiers after it free together, by column.
	beyond []int64
	// order has the kinds for each column, those that free the most first; the two behind
	// them those that request the least memory and cpu first.
	order [][]int
}

// objective is what sets are compared by (rule 17.8.4). The least is the best.
type objective struct {
	counts      []int // by tier, in the order of the search
	memory, cpu int64
}

func (o *objective) compare(b *objective) int {
	return cmp.Or(slices.Compare(o.counts, b.counts), cmp.Compare(o.memory, b.memory), cmp.Compare(o.cpu, b.cpu))
}

func (o *objective) set(b *objective) {
	o.counts, o.memory, o.cpu = append(o.counts[:0], b.counts...), b.memory, b.cpu
}

// improve puts the best set in the place of the picks, and says how good it is.
func (p *pool) improve(limit int) *Certificate {
	if limit == 0 {
		limit = DefaultSteps
	}
	s := newSetSearch(p, limit)
	chosen := p.without()
	s.begin(p, chosen)
	s.visit(0, 0)
	if !s.seed {
		chosen = s.chosen()
	}
	p.repick(chosen)
	return s.certificate(p)
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

// newSetSearch sorts the pods of the pool into kinds. Time is n log n.
func newSetSearch(p *pool, limit int) *setSearch {
	s := &setSearch{needs: len(p.needs), limit: limit, memoryNeed: -1, cpuNeed: -1}
	for j, n := range p.needs {
		s.wanted = append(s.wanted, n.Amount)
		switch n.Resource {
		case resource.Memory:
			s.memoryNeed = j
		case resource.CPU:
			s.cpuNeed = j
		}
	}
	s.wanted = append(s.wanted, 0)
	for tier := len(p.tiers) - 1; tier >= 0; tier-- {
		s.addTier(p, tier)
	}
	columns := s.needs + 1
	s.left = make([]int64, (len(s.kinds)+1)*columns)
	copy(s.left, s.wanted)
	s.left[s.needs] = s.shareOf(s.wanted)
	s.taken, s.takes = make([]int, len(s.kinds)), make([]int, len(s.kinds))
	s.now.counts = make([]int, len(s.tiers))
	s.prepareBounds()
	return s
}

// addTier adds the kinds of a tier.
func (s *setSearch) addTier(p *pool, tier int) {
	n := p.tiers[tier].all
	if len(n) == 0 {
		return
	}
	t := searchTier{tier: tier, pods: len(n), from: len(s.kinds)}
	kinds := make([]kind, len(n))
	for i, pod := range n {
		k := &kinds[i]
		*k = kind{tier: len(s.tiers), pods: []int{pod}, frees: make([]int64, s.needs+1)}
		for j := range s.needs {
			k.frees[j] = p.counted.frees(pod, j)
		}
		k.frees[s.needs] = s.shareUp(k.frees)
		k.memory, k.cpu = p.counted.requests(pod)
	}
	slices.SortFunc(kinds, func(a, b kind) int { return cmp.Or(a.compare(&b), cmp.Compare(b.pods[0], a.pods[0])) })
	for _, k := range kinds {
		if last := len(s.kinds) - 1; last >= t.from && s.kinds[last].compare(&k) == 0 {
			s.kinds[last].pods = append(s.kinds[last].pods, k.pods...)
			continue
		}
		s.kinds = append(s.kinds, k)
	}
	t.to = len(s.kinds)
	s.tiers = append(s.tiers, t)
}

// compare is the order of the search within a tier (rule 17.8.6), and 0 for pods of a kind.
func (k *kind) compare(b *kind) int {
	share := len(k.frees) - 1
	return cmp.Or(
		cmp.Compare(b.frees[share], k.frees[share]),
		cmp.Compare(k.memory, b.memory), cmp.Compare(k.cpu, b.cpu),
		slices.Compare(b.frees, k.frees),
	)
}

// shareUnit is the share of a pod that covers a need by itself. Shares are sums over the
// needs. Those of pods are rounded up and those of what is left down, so that pods that
// cover what is left have at least its share.
const shareUnit = 1 << 20

// shareUp returns the share of a pod, with what it frees of each need.
func (s *setSearch) shareUp(frees []int64) (sum int64) {
	for j := range s.needs {
		n := s.wanted[j]
		hi, lo := bits.Mul64(uint64(min(frees[j], n)), shareUnit)
		lo, carry := bits.Add64(lo, uint64(n-1), 0)
		q, _ := bits.Div64(hi+carry, lo, uint64(n)) // at most shareUnit
		sum += int64(q)
	}
	return sum
}

// shareOf returns the share of what is left.
func (s *setSearch) shareOf(left []int64) (sum int64) {
	for j := range s.needs {
		hi, lo := bits.Mul64(uint64(left[j]), shareUnit)
		q, _ := bits.Div64(hi, lo, uint64(s.wanted[j]))
		sum += int64(q)
	}
	return sum
}

// begin takes the pods that are chosen already as the best set met.
func (s *setSearch) begin(p *pool, chosen []pick) {
	s.seed, s.best.counts = true, make([]int, len(s.tiers))
	for _, k := range chosen {
		at := slices.IndexFunc(s.tiers, func(t searchTier) bool { return t.tier == k.tier })
		memory, cpu := p.counted.requests(k.pod)
		s.best.counts[at]++
		s.best.memory, s.best.cpu = resource.AddSat(s.best.memory, memory), resource.AddSat(s.best.cpu, cpu)
	}
}

// visit decides about the kinds from one on. depth is the number of decisions before.
func (s *setSearch) visit(at, depth int) {
	columns := s.needs + 1
	left := s.left[depth*columns : (depth+1)*columns]
	if covered(left[:s.needs]) {
		s.meet()
		return
	}
	if at == len(s.kinds) || !s.promising(at, left) {
		return
	}
	if s.ended {
		s.leaveOpen()
		return
	}
	k := &s.kinds[at]
	memory, cpu := s.now.memory, s.now.cpu
	for n := k.useful(left[:s.needs]); n >= 0; n-- {
		if s.ended = s.ended || s.steps >= s.limit; !s.ended {
			s.steps++
		}
		s.take(at, n, left, s.left[(depth+1)*columns:(depth+2)*columns])
		s.visit(at+1, depth+1)
		s.now.counts[k.tier] -= n
		s.now.memory, s.now.cpu, s.taken[at] = memory, cpu, 0
	}
}

// take counts n pods of a kind as gone.
func (s *setSearch) take(at, n int, left, next []int64) {
	k := &s.kinds[at]
	s.taken[at] = n
	s.now.counts[k.tier] += n
	s.now.memory = resource.AddSat(s.now.memory, times(k.memory, n))
	s.now.cpu = resource.AddSat(s.now.cpu, times(k.cpu, n))
	for j := range s.needs {
		next[j] = max(left[j]-times(k.frees[j], n), 0)
	}
	next[s.needs] = s.shareOf(next)
}

// useful returns how many pods of the kind there can be use for.
func (k *kind) useful(left []int64) int {
	most := 0
	for j, n := range left {
		if f := k.frees[j]; n > 0 && f > 0 {
			most = max(most, int(min((n-1)/f+1, int64(len(k.pods)))))
		}
	}
	return most
}

// times multiplies, up to the largest number.
func times(amount int64, n int) int64 {
	hi, lo := bits.Mul64(uint64(amount), uint64(n))
	if hi > 0 || lo > 1<<63-1 {
		return 1<<63 - 1
	}
	return int64(lo)
}

// meet compares a set that covers the needs with the best one.
func (s *setSearch) meet() {
	if c := s.now.compare(&s.best); c > 0 || c == 0 && !s.seed {
		return
	}
	s.seed = false
	s.best.set(&s.now)
	copy(s.takes, s.taken)
}

// chosen lists the pods of the best set as picks, in the order of the search.
func (s *setSearch) chosen() (picks []pick) {
	for at, n := range s.takes {
		for _, pod := range s.kinds[at].pods[:n] {
			picks = append(picks, pick{pod: pod, tier: s.tiers[s.kinds[at].tier].tier})
		}
	}
	return picks
}

// certificate says how good the best set is.
func (s *setSearch) certificate(p *pool) *Certificate {
	c := &Certificate{Steps: s.steps, Optimal: !s.ended || len(s.open.counts) == 0 || s.best.compare(&s.open) <= 0}
	for i, t := range s.tiers {
		n := TierCount{Class: classes[p.keys[t.tier].class], Chosen: s.best.counts[i]}
		if n.AtLeast = n.Chosen; !c.Optimal {
			n.AtLeast = s.open.counts[i]
		}
		if n.Chosen+n.AtLeast == 0 {
			continue
		}
		if p.byPriority {
			priority := p.keys[t.tier].priority
			n.Priority = &priority
		}
		c.Tiers = append(c.Tiers, n)
	}
	return c
}
