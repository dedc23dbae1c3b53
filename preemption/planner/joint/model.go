package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// model describes the draft in amounts: which members are alike, what they ask for, which nodes turn
// them away whoever leaves, and who could leave. The relaxation and the search by amounts go
// by it.
type model struct {
	packing.Problem
	// membersOf lists the members of each kind, in their order.
	membersOf [][]int
	// pods are the leavers of each node, in the order of those of its bin.
	pods [][]*outrank.Pod
	// huge is set where amounts are so large that sums of them might overflow. Nothing is
	// reckoned then.
	huge bool
}

// model describes the draft in amounts, as long as no member is placed in it. After an error some nodes are
// missing. The first row of amounts is the number of pods; the scales follow.
func (b *draft) model() *model {
	m := &model{}
	b.addKinds(m)
	budgets := b.totals.budgets
	for i := range budgets.Len() {
		m.Left = append(m.Left, int64(budgets.At(i).DisruptionsAllowed))
	}

	// One bin for each node, and the resources in the order of Kind.Needs.
	refuses, possible := b.askAll(m)
	for node, n := range b.nodes {
		running := b.snap.PodsOn(n.Name)
		if !b.look(2 * b.podWork(len(running))) {
			return m
		}

		bin := packing.Bin{Refuses: refuses[node]}
		bin.Free = append(bin.Free, b.free(n, resource.Pods))
		for _, name := range b.scales {
			bin.Free = append(bin.Free, b.free(n, name))
		}

		// Whoever may leave for no member stays in any plan.
		var pods []*outrank.Pod
		for _, p := range running {
			if possible == nil || possible[p] {
				bin.Leavers = append(bin.Leavers, b.leaver(p))
				pods = append(pods, p)
			}
		}
		m.Bins = append(m.Bins, bin)
		m.pods = append(m.pods, pods)
	}
	m.huge = b.tooLarge(&m.Problem)
	return m
}

// addKinds adds the members, by kind. Kinds are numbered anew in the order in which members have them, because
// some kinds of the queue have no member.
func (b *draft) addKinds(m *model) {
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
			m.Kinds = append(m.Kinds, packing.Kind{Needs: needs})
			m.membersOf = append(m.membersOf, nil)
		}
		m.Kinds[k].Count++
		m.membersOf[k] = append(m.membersOf[k], i)
	}
}

// free returns how much of a resource a node has left in the draft, which may be below 0.
func (b *draft) free(n *outrank.Node, name resource.Name) int64 {
	return resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name))
}

// leaver describes a running pod that may leave. Its weight is set later, by the rank that counts.
func (b *draft) leaver(pod *outrank.Pod) packing.Leaver {
	l := packing.Leaver{Holds: append([]int64{1}, b.amounts(pod)...)}
	for _, budget := range b.totals.charged(pod) {
		l.Charges = append(l.Charges, int32(budget))
	}
	return l
}

// tooLarge reports whether an amount of a kind, or all that one node has of a resource, is so large that sums
// may overflow.
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
			all := max(free, resource.SubSat(0, free)) // room, or how much is missing
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

// askAll asks every node about a member of each kind. refuses says by node and kind where the node turns the
// kind away whoever leaves. Other members cannot change that unless the kind is coupled, so that coupled kinds
// are never refused. possible has the pods that may leave for some kind. It is nil where groups leave
// together, or where a guard says who does: more pods may leave then than are asked about.
func (b *draft) askAll(m *model) (refuses [][]bool, possible map[*outrank.Pod]bool) {
	refuses = make([][]bool, len(b.nodes))
	for node := range refuses {
		refuses[node] = make([]bool, len(m.membersOf))
	}
	if !b.grouped && b.eval.Config().Guard == nil {
		possible = map[*outrank.Pod]bool{}
	}

	// Pods of a kind have the same answers, so the first one asks for all.
	for k, members := range m.membersOf {
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

			// Nobody leaves for a member on a node that never takes it.
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

// withoutAbove returns the model without the leavers of a priority above top. After an error it may have some.
func (b *draft) withoutAbove(m *model, top int32) *model {
	out := &model{membersOf: m.membersOf, huge: m.huge, pods: make([][]*outrank.Pod, len(m.pods))}
	out.Kinds = m.Kinds
	out.Left = m.Left
	out.Bins = slices.Clone(m.Bins)
	for i := range out.Bins {
		bin := &out.Bins[i]
		if !b.look(1 + len(bin.Leavers)) {
			break
		}

		all := bin.Leavers
		bin.Leavers = nil // the array is that of m
		for v, pod := range m.pods[i] {
			if pod.PriorityValue() <= top {
				bin.Leavers = append(bin.Leavers, all[v])
				out.pods[i] = append(out.pods[i], pod)
			}
		}
	}
	return out
}

// mostWeight is about the weight of the heaviest leaver. It is small enough for sums to be exact, and large
// enough for prices to have digits.
const mostWeight = 1 << 33

// weigh sets the weight of each leaver by a rank that adds up: its amount times a power of two, which it
// returns. It returns 0 where an amount is so large that it does not count in full.
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

	// Small amounts are scaled up, so that prices, which are whole numbers, can differ by less than one unit.
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
