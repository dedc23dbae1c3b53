package proof

import "math/rand/v2"

// drawer draws cases. Values are few and small, so that pods tie, budgets are used up and nodes are nearly full.
type drawer struct{ *rand.Rand }

// DrawCase draws the i-th case of a seed.
func DrawCase(seed, i uint64) Case {
	d := drawer{rand.New(rand.NewPCG(seed, 2*i))}
	c := Case{Now: 3 * d.IntN(2), Ranks: d.ranks()}
	newer := d.IntN(2) == 0
	c.Cluster.Rules = Rules{BudgetsStopAtFirst: newer, GatedNominations: newer}
	for range 1 + d.IntN(4) {
		c.Cluster.Nodes = append(c.Cluster.Nodes, d.node())
	}

	// Names are dealt like cards, so that the order of the pods in the list is not that of their names.
	names := d.Perm(12)
	for i := range 2 + d.IntN(5*len(c.Cluster.Nodes)) {
		c.Cluster.Pods = append(c.Cluster.Pods, d.pod(names[i%12]+12*(i/12), len(c.Cluster.Nodes)))
	}
	for i := range d.IntN(4) {
		c.Cluster.Budgets = append(c.Cluster.Budgets, d.budget(i))
	}

	c.Pod = d.preemptor(len(c.Cluster.Nodes))
	if d.IntN(2) == 0 {
		c.Cluster.Pods = append(c.Cluster.Pods, c.Pod) // the cluster knows it already
	}
	return c
}

// oneIn reports true in one of so many draws.
func (d drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

// ranks draws the default ranks, or some in any order.
func (d drawer) ranks() []Word {
	all := []Word{"ByViolations", "ByTopPriority", "ByPrioritySum", "ByVictims", "ByStart"}
	if !d.oneIn(3) {
		return all
	}
	d.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:1+d.IntN(len(all))]
}

func (d drawer) node() Node {
	return Node{CPU: 4 + d.IntN(4), Memory: 4 + d.IntN(4), Pods: 2 + d.IntN(5), Cordoned: d.oneIn(10)}
}

// pod draws a pod of the cluster, which mostly runs.
func (d drawer) pod(name, nodes int) Pod {
	p := Pod{
		Name: name, Node: d.IntN(nodes), Nominated: -1,
		Priority: d.IntN(5) - 1, Start: d.IntN(5), CPU: d.IntN(4), Memory: d.IntN(4), App: d.IntN(4),
		Terminating: d.oneIn(6), Gated: d.oneIn(12), Finished: d.oneIn(12),
	}
	p.Preempted = p.Terminating && d.oneIn(2)
	if d.oneIn(5) {
		p.Node, p.Nominated = -1, d.IntN(nodes)
	}
	return p
}

func (d drawer) budget(name int) Budget {
	b := Budget{Name: name, Apps: Set{1 + d.IntN(3)}, Allowed: d.IntN(2), Disrupted: Set{}}
	if d.oneIn(3) {
		b.Apps = Set{1, 2, 3}
	}
	if d.oneIn(3) {
		b.Disrupted = Set{d.IntN(12)}
	}
	return b
}

// preemptor draws the pod that asks for room. Its name comes behind all others.
func (d drawer) preemptor(nodes int) Pod {
	p := Pod{
		Name: 99, Node: -1, Nominated: -1,
		Priority: 1 + d.IntN(4), CPU: 2 + d.IntN(4), Memory: 1 + d.IntN(5), App: d.IntN(4), Never: d.oneIn(16),
	}
	if d.oneIn(3) {
		p.Nominated = d.IntN(nodes)
	}
	return p
}

// DrawAdmission draws the i-th admission of a seed.
func DrawAdmission(seed, i uint64) Admission {
	d := drawer{rand.New(rand.NewPCG(seed, 2*i+1))}
	a := Admission{Node: Machine{Tainted: d.oneIn(12)}, Pod: d.active(99)}
	a.Pod.StaticPod = a.Pod.StaticPod || !d.oneIn(6)
	if d.oneIn(2) {
		a.Pod.CPU, a.Pod.Memory = d.IntN(16), d.IntN(16)
	}

	names := d.Perm(12)
	for _, name := range names[:d.IntN(len(names)+1)] {
		p := d.active(name)
		a.Active = append(a.Active, p)

		// The node has about as much as its pods take.
		a.Node.CPU, a.Node.Memory, a.Node.Pods = a.Node.CPU+p.CPU, a.Node.Memory+p.Memory, a.Node.Pods+1
	}
	a.Node.CPU += d.IntN(8) - 2
	a.Node.Memory += d.IntN(8) - 2
	a.Node.Pods += d.IntN(5) - 1
	a.Node.CPU, a.Node.Memory, a.Node.Pods = max(a.Node.CPU, 0), max(a.Node.Memory, 0), max(a.Node.Pods, 0)
	return a
}

// active draws a pod of the kubelet. Critical ones are rare.
func (d drawer) active(name int) Active {
	p := Active{
		Name: name, HasPriority: !d.oneIn(4), StaticPod: d.oneIn(12),
		Tier: d.IntN(3), CPU: d.IntN(8), Memory: d.IntN(8),
	}
	if p.HasPriority {
		p.Priority = d.IntN(3)
		if d.oneIn(12) {
			p.Priority = 2_000_000_000 + d.IntN(2)
		}
	}
	return p
}
