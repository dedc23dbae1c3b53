package joint

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// mostInBundle is how many pods at most are put on one node in one step of packing.
const mostInBundle = 32

// pack makes a plan of its own, which looks for victims that make room for several pods
// (rule 25.4.2): the largest pods first take the nodes that have just enough room for
// them; then, again and again, the node whose victims are the best for each pod that they
// make room for takes these pods. It returns nil where some pod finds no place.
func (b *draft) pack(floor int32) *solution {
	mark := b.snap.Mark()
	p := &packer{draft: b, floor: floor, assigned: make([]int, len(b.members)), prefer: map[*outrank.Pod]bool{}}
	for i := range p.assigned {
		p.assigned[i] = -1
	}
	p.fill()
	p.bundles()
	b.undo(mark)
	if b.spent() || slices.Contains(p.assigned, -1) {
		return nil
	}
	return b.rebuild(p.assigned, p.prefer)
}

type packer struct {
	*draft
	floor    int32
	assigned []int
	prefer   map[*outrank.Pod]bool
}

// fill binds the pods that fit as things are, the largest first, each to the node on which
// it leaves the least room.
func (p *packer) fill() {
	order := make([]int, len(p.members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(p.weight(p.members[j]), p.weight(p.members[i]))
	})
	for _, i := range order {
		if p.spent() {
			return
		}
		feasible, err := p.eval.Feasible(p.ctx, p.snap, p.members[i].pod)
		if err != nil {
			p.fail(err)
			return
		}
		p.steps++
		best, least := -1, math.Inf(1)
		for _, n := range feasible {
			at := p.index[n.Name]
			if room := p.room(at, p.members[i]); room < least {
				best, least = at, room
			}
		}
		if best >= 0 {
			p.take(i, spot{node: best})
		}
	}
}

func (p *packer) take(i int, s spot) bool {
	if _, ok := p.place(i, s); !ok {
		return false
	}
	p.assigned[i] = s.node
	for _, v := range s.victims {
		p.prefer[v] = true
	}
	return true
}

// weight is what share of an average node a pod asks for, of the resource of which that
// is most.
func (p *packer) weight(m *member) float64 {
	most := 0.0
	for k, need := range p.needs(m) {
		if p.offered[k] > 0 {
			most = max(most, float64(need)/float64(p.offered[k]))
		}
	}
	return most
}

// room is how much of a node would be free beside a pod, as a sum of shares.
func (p *packer) room(node int, m *member) float64 {
	n := p.nodes[node]
	sum := 0.0
	for k, need := range p.needs(m) {
		name := p.scales[k]
		if offers := n.Allocatable.Amount(name); offers > 0 {
			sum += float64(offers-p.snap.Used(n.Name, name)-need) / float64(offers)
		}
	}
	return sum
}

// bundle is some pods on one node and what their victims come to.
type bundle struct {
	node  int
	pods  []int
	spots []spot
	total preemption.Score
}

// bundles is a queue of the best bundle of each node. Those that name a pod with a place
// by now are made anew when it is their turn.
type bundles struct {
	list []*bundle
	less func(a, b *bundle) bool
}

func (q *bundles) Len() int           { return len(q.list) }
func (q *bundles) Less(i, j int) bool { return q.less(q.list[i], q.list[j]) }
func (q *bundles) Swap(i, j int)      { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *bundles) Push(x any)         { q.list = append(q.list, x.(*bundle)) }
func (q *bundles) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}

// bundles places the other pods.
func (p *packer) bundles() {
	q := &bundles{less: p.better}
	for _, node := range p.places() {
		if b := p.bundle(node); b != nil {
			q.list = append(q.list, b)
		}
		if p.spent() {
			return
		}
	}
	heap.Init(q)
	for q.Len() > 0 && slices.Contains(p.assigned, -1) && !p.spent() {
		b := heap.Pop(q).(*bundle)
		stale := slices.ContainsFunc(b.pods, func(i int) bool { return p.assigned[i] >= 0 })
		if !stale {
			for k, i := range b.pods {
				if !p.take(i, b.spots[k]) {
					break // what happened elsewhere matters here
				}
			}
		}
		if again := p.bundle(b.node); again != nil {
			heap.Push(q, again)
		}
	}
}

// places lists the nodes on which bundles are made: those that are likely the best for pods
// of average size among those that fit nowhere, and those for the largest.
func (p *packer) places() []int {
	average, largest := make([]int64, len(p.scales)), make([]int64, len(p.scales))
	count := 0
	for i, m := range p.members {
		if p.assigned[i] >= 0 {
			continue
		}
		count++
		for r, need := range p.needs(m) {
			average[r] = resource.AddSat(average[r], need)
			largest[r] = max(largest[r], need)
		}
	}
	if count == 0 {
		return nil
	}
	for r := range average {
		average[r] /= int64(count)
	}
	all := make([]int, len(p.nodes))
	for node := range all {
		all[node] = node
	}
	most := max(64, count)
	out := p.likely(all, average, min(count, mostInBundle), most, p.floor)
	out = append(slices.Clone(out), p.likely(all, largest, 1, most/2, p.floor)...)
	slices.Sort(out)
	return slices.Compact(out)
}

// better orders bundles by what they cost for each pod.
func (p *packer) better(a, b *bundle) bool {
	for _, rank := range p.totals.ranks {
		x, y := p.each(rank, a), p.each(rank, b)
		if x != y {
			return x < y
		}
	}
	return cmp.Or(cmp.Compare(len(b.pods), len(a.pods)), cmp.Compare(a.node, b.node)) < 0
}

// each is what a bundle comes to for each of its pods in a rank; of the top priority it is
// what all of them share. The start is not compared.
func (p *packer) each(rank preemption.Rank, b *bundle) float64 {
	switch rank {
	case preemption.ByTopPriority:
		return float64(max(b.total.TopPriority, p.floor))
	case preemption.ByStart:
		return 0
	}
	return float64(rank.Gap(preemption.Score{}, b.total)) / float64(len(b.pods))
}

// bundle returns the best bundle for a node: of pods without a place, in the order of the
// queue, as many as are best. It is nil where the node takes none.
func (p *packer) bundle(node int) *bundle {
	var best *bundle
	for _, by := range []manner{least, smallest} {
		if b := p.bundleBy(node, by); b != nil && (best == nil || p.better(b, best)) {
			best = b
		}
	}
	return best
}

func (p *packer) bundleBy(node int, by manner) *bundle {
	mark := p.snap.Mark()
	defer p.undo(mark)
	var best *bundle
	b := &bundle{node: node}
	var victims []*outrank.Pod
	turned := map[int]bool{}
	for i, m := range p.members {
		if p.assigned[i] >= 0 || turned[m.kind] {
			continue
		}
		if len(b.pods) == mostInBundle || p.spent() {
			break
		}
		s, ok := p.try(i, node, by)
		if !ok {
			turned[m.kind] = true
			continue
		}
		b.pods, b.spots = append(b.pods, i), append(b.spots, s)
		victims = append(victims, s.victims...)
		b.total = p.totals.total(victims)
		if best == nil || p.better(b, best) {
			c := *b
			best = &c
		} else if len(b.pods) > len(best.pods)+2 {
			break
		}
	}
	return best
}

// try places a member on a node with victims by a manner.
func (p *packer) try(i, node int, by manner) (spot, bool) {
	t := p.trials(i)
	if t == nil {
		return spot{}, false
	}
	s := spot{node: node}
	a, says := p.ask(t, i, node)
	switch says {
	case never:
		return s, false
	case short:
		if s.victims = a.choose(by, p.floor); s.victims == nil {
			return s, false
		}
	}
	_, ok := p.place(i, s)
	return s, ok
}
