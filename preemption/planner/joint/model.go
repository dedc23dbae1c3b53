package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// model is the draft in amounts: which members are alike, what they ask for, which nodes turn
// them away whoever leaves, and who could leave. The relaxation and the search by amounts go
// by it.
type model struct {
	packing.Problem
	// of lists the members of each kind, in their order.
	of [][]int
	// pods are the leavers of each node, as the bins have them.
	pods [][]*outrank.Pod
	// huge is set where amounts are so large that sums of them might overflow. Nothing is
	// reckoned then.
	huge bool
}

// model tells the draft in amounts. The draft is without any member placed. After an error not all nodes
// are in it.
func (b *draft) model() *model {
	m := &model{}
	kind := map[int]int{}
	for i, member := range b.members {
		k, ok := kind[member.kind]
		if !ok {
			k = len(m.Kinds)
			kind[member.kind] = k
			asked := b.asked(member)
			needs := []int64{asked[resource.Pods]}
			for _, name := range b.scales {
				needs = append(needs, asked[name])
			}
			m.Kinds, m.of = append(m.Kinds, packing.Kind{Needs: needs}), append(m.of, nil)
		}
		m.Kinds[k].Count++
		m.of[k] = append(m.of[k], i)
	}
	for i := range b.totals.budgets.Len() {
		m.Left = append(m.Left, int64(b.totals.budgets.At(i).DisruptionsAllowed))
	}
	refuses, possible := b.askAll(m)
	for node, n := range b.nodes {
		all := b.snap.PodsOn(n.Name)
		if !b.look(2 * b.podWork(len(all))) {
			return m
		}
		bin := packing.Bin{Free: []int64{resource.SubSat(n.Allocatable.Amount(resource.Pods), b.snap.Used(n.Name, resource.Pods))}, Refuses: refuses[node]}
		for _, name := range b.scales {
			bin.Free = append(bin.Free, resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name)))
		}
		var pods []*outrank.Pod
		for _, p := range all {
			if possible != nil && !possible[p] {
				continue
			}
			l := packing.Leaver{Holds: append([]int64{1}, b.amounts(p)...)}
			for _, budget := range b.totals.charged(p) {
				l.Charges = append(l.Charges, int32(budget))
			}
			bin.Leavers, pods = append(bin.Leavers, l), append(pods, p)
		}
		m.Bins, m.pods = append(m.Bins, bin), append(m.pods, pods)
	}
	m.huge = b.tooLarge(&m.Problem)
	return m
}

// tooLarge reports whether an amount of a kind, or all that one node has of a resource, is beyond
// what sums of them can hold.
func (b *draft) tooLarge(p *packing.Problem) bool {
	const most = 1 << 60
	for k := range p.Kinds {
		for _, need := range p.Kinds[k].Needs {
			if need > most {
				return true
			}
		}
	}
	for i := range p.Bins {
		if !b.look(1 + len(p.Bins[i].Free)*len(p.Bins[i].Leavers)) {
			break
		}
		for r, free := range p.Bins[i].Free {
			all := max(free, resource.SubSat(0, free))
			for v := range p.Bins[i].Leavers {
				all = resource.AddSat(all, p.Bins[i].Leavers[v].Holds[r])
			}
			if all > most {
				return true
			}
		}
	}
	return false
}

// askAll asks every node about a member of each kind: whether it turns the kind away whoever
// leaves, which other members cannot change unless kinds are coupled, and who may leave for it.
// possible is nil where groups leave together, or a guard says who does, because more may leave then
// than are asked about.
func (b *draft) askAll(m *model) (refuses [][]bool, possible map[*outrank.Pod]bool) {
	refuses = make([][]bool, len(b.nodes))
	for node := range refuses {
		refuses[node] = make([]bool, len(m.of))
	}
	if !b.grouped && b.eval.Config().Guard == nil {
		possible = map[*outrank.Pod]bool{}
	}
	for k, members := range m.of {
		member := b.members[members[0]]
		lookAt := b.lookFor(members[0])
		if lookAt == nil {
			return refuses, possible
		}
		for node, n := range b.nodes {
			view, err := lookAt(n.Name)
			if err != nil {
				b.fail(err)
				return refuses, possible
			}
			if !b.step() {
				return refuses, possible
			}
			refuses[node][k] = !member.coupled() && view.Check().Code == preemption.UnschedulableAndUnresolvable
			if possible == nil || !member.evicts || refuses[node][k] {
				continue
			}
			leavers := view.Possible()
			for _, p := range leavers {
				possible[p] = true
			}
			if !b.look(2 * len(leavers)) {
				return refuses, possible
			}
		}
	}
	return refuses, possible
}

// upTo returns the model without the leavers of a priority above top. After an error it may have others.
func (b *draft) upTo(m *model, top int32) *model {
	out := &model{of: m.of, huge: m.huge, pods: make([][]*outrank.Pod, len(m.pods))}
	out.Kinds, out.Left, out.Bins = m.Kinds, m.Left, slices.Clone(m.Bins)
	for i := range out.Bins {
		bin := &out.Bins[i]
		if !b.look(1 + len(bin.Leavers)) {
			break
		}
		all := bin.Leavers
		bin.Leavers = nil
		for v, pod := range m.pods[i] {
			if pod.PriorityValue() <= top {
				bin.Leavers, out.pods[i] = append(bin.Leavers, all[v]), append(out.pods[i], pod)
			}
		}
	}
	return out
}

// mostWeight is about what the heaviest leaver weighs, so that sums stay exact and prices have
// digits.
const mostWeight = 1 << 33

// weigh sets what each leaver weighs by a rank that adds up: its amount times a power of two.
// It returns that, and 0 where an amount is so large that it does not count in full.
func (b *draft) weigh(m *model, by measure) (scale int64) {
	heaviest := int64(1)
	for i := range m.Bins {
		if !b.look(2 * b.podWork(len(m.pods[i]))) {
			break
		}
		for v, pod := range m.pods[i] {
			w := max(0, b.totals.alone(by, pod))
			m.Bins[i].Leavers[v].Weight = min(w, mostWeight)
			heaviest = max(heaviest, w)
		}
	}
	if heaviest > mostWeight {
		return 0
	}
	for scale = 1; heaviest*scale <= mostWeight/2; scale *= 2 {
	}
	for i := range m.Bins {
		if !b.look(1 + len(m.Bins[i].Leavers)) {
			break
		}
		for v := range m.Bins[i].Leavers {
			m.Bins[i].Leavers[v].Weight *= scale
		}
	}
	return scale
}
