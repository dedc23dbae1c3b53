package joint

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/packing"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// model describes the draft as a packing problem in amounts: the kinds of members and what they ask for, and per
// node what is free, which kinds it never takes, and who could leave. The relaxation and the search by amounts
// work on it.
type model struct {
	packing.Problem
	// membersOf lists the indexes of the members of each kind, in their order.
	membersOf [][]int
	// pods lists for each node the pods that could leave, in the order of Bin.Leavers.
	pods [][]*outrank.Pod
	// huge is set if amounts are so large that sums of them might overflow. Neither the relaxation nor the
	// search by amounts is used then.
	huge bool
}

// model describes the draft in amounts; no member may be placed in it. In slices of amounts the number of pods
// comes first, and the scales follow. After an error some nodes are missing.
func (b *draft) model() *model {
	m := &model{}
	b.addKinds(m)
	budgets := b.totals.budgets
	for i := range budgets.Len() {
		m.Left = append(m.Left, int64(budgets.At(i).DisruptionsAllowed))
	}

	// Each node is a bin, with its resources in the order of Kind.Needs.
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

		// A pod that may leave for no member stays in every plan, and is no leaver.
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

// addKinds adds the members to the model, grouped by kind. Kinds are renumbered in the order of their first
// members, because a kind of the queue may have no member.
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

// free returns the allocatable amount of a resource that is unused on a node of the draft. It may be below 0.
func (b *draft) free(n *outrank.Node, name resource.Name) int64 {
	return resource.SubSat(n.Allocatable.Amount(name), b.snap.Used(n.Name, name))
}

// leaver describes a running pod that may leave. weigh sets its weight later, by the rank that is bounded.
func (b *draft) leaver(pod *outrank.Pod) packing.Leaver {
	l := packing.Leaver{Holds: append([]int64{1}, b.amounts(pod)...)}
	for _, budget := range b.totals.charged(pod) {
		l.Charges = append(l.Charges, int32(budget))
	}
	return l
}

// tooLarge reports whether an amount of a kind, or the sum of a resource on one node, is so large that further sums
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
			all := max(free, resource.SubSat(0, free)) // the absolute value: an overcommitted node has less than 0 free
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

// askAll asks every node about a member of each kind. refuses says by node and kind whether the node rejects the
// kind whoever leaves. Placing other members cannot change that unless the kind is coupled, so a coupled kind
// counts as refused nowhere. possible has the pods that may leave for some kind. It is nil if groups leave
// together or there is a guard, because then pods may leave that are not possible victims of the node asked.
func (b *draft) askAll(m *model) (refuses [][]bool, possible map[*outrank.Pod]bool) {
	refuses = make([][]bool, len(b.nodes))
	for node := range refuses {
		refuses[node] = make([]bool, len(m.membersOf))
	}
	if !b.grouped && b.eval.Config().Guard == nil {
		possible = map[*outrank.Pod]bool{}
	}

	// Nodes answer alike for all members of a kind, so only the first one is asked about.
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

			// Only this code says that no eviction helps. Any other answer may change as pods leave.
			refuses[node][k] = !member.coupled() && view.Check().Code == preemption.UnschedulableAndUnresolvable

			// On a node that never takes the kind, nobody leaves for it.
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

// withoutAbove returns the model without the leavers of a priority above top. After an error some may remain.
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
		bin.Leavers = nil // appending to all would overwrite the leavers of m
		for v, pod := range m.pods[i] {
			if pod.PriorityValue() <= top {
				bin.Leavers = append(bin.Leavers, all[v])
				out.pods[i] = append(out.pods[i], pod)
			}
		}
	}
	return out
}

// mostWeight bounds the weight of a leaver; weigh scales the heaviest one close to it. It is small enough that sums
// do not overflow, and large enough that prices, which are whole numbers, are precise.
const mostWeight = 1 << 33

// weigh sets the weight of each leaver by a rank that adds up: the leaver's amount times a power of two. It returns
// that power, or 0 if an amount exceeds mostWeight, so that the weights are cut off and prove nothing.
func (b *draft) weigh(m *model, by measure) (scale int64) {
	// First the plain amounts, cut off at mostWeight.
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
