package main

import (
	"fmt"
	"math/rand/v2"
)

// size says how large a cluster is.
type size struct {
	nodes, pods, waiting int
}

// validate refuses a size that no cluster has.
func (s size) validate() error {
	if s.nodes < 1 || s.nodes > 100_000 {
		return fmt.Errorf("-nodes %d is not between 1 and 100000", s.nodes)
	}
	if s.pods < len(daemons)+1 || s.pods > 100 {
		return fmt.Errorf("-pods %d is not between %d and 100", s.pods, len(daemons)+1)
	}
	if s.waiting < 0 || s.waiting > 100_000 {
		return fmt.Errorf("-waiting %d is not between 0 and 100000", s.waiting)
	}
	return nil
}

// class is a priority class.
type class struct {
	name  string
	value int
	never bool
}

// classes has the priority classes, and usual the index of the one that most pods have.
var classes = []class{
	{"system-node-critical", 2_000_001_000, false},
	{"system-cluster-critical", 2_000_000_000, false},
	{"critical", 1_000_000, false},
	{"online", 100_000, false},
	{"standard", 10_000, false},
	{"batch", 1_000, false},
	{"spare", 0, true},
}

const usual = 4

// pool is a kind of node. Its nodes take the pods of the workloads that select it.
type pool struct {
	name string
	// milli and mebi are what a node offers of cpu and memory.
	milli, mebi int
	// share is how many of ten nodes the pool has.
	share int
}

// The first pool is tainted, so that its nodes take no pod that does not ask for them.
var pools = []pool{
	{"dedicated", 32_000, 131_072, 1},
	{"general", 16_000, 65_536, 7},
	{"memory", 16_000, 131_072, 2},
}

const zones = 3

// workload makes pods that are alike.
type workload struct {
	kind, name, namespace string
	pool                  int
	class                 int
	milli, mebi           int
	// budget is what its disruption budget allows, and -1 if it has none.
	budget int
	// made counts the pods that exist.
	made int
}

// daemons are the names of the DaemonSets, which have a pod on every node.
var daemons = []string{"node-agent", "network", "log-shipper"}

// fleet makes the objects of a cluster in an order that never changes.
type fleet struct {
	size size
	draw *rand.Rand
	// workloads has those of each pool, and daemons the DaemonSets.
	workloads [][]*workload
	daemons   []*workload
	// used counts the milli-cpus that the pods of each namespace request.
	used map[string]int
	// made counts the objects, to number them.
	made int
}

// newFleet draws the workloads, one for each node. So a workload has as many pods whatever the size of the cluster.
func newFleet(size size, seed uint64) *fleet {
	f := &fleet{size: size, draw: rand.New(rand.NewPCG(seed, 1)), workloads: make([][]*workload, len(pools)), used: map[string]int{}}
	for _, name := range daemons {
		f.daemons = append(f.daemons, &workload{kind: "DaemonSet", name: name, namespace: "kube-system", milli: 100, mebi: 128, budget: -1})
	}

	for i := range max(size.nodes, 2*len(pools)) {
		in := f.poolOf(i)
		f.workloads[in] = append(f.workloads[in], f.workload(i, in))
	}
	return f
}

// poolOf returns the pool of the i-th node, or of the i-th workload.
func (f *fleet) poolOf(i int) int {
	at := i % 10
	for in, p := range pools {
		if at -= p.share; at < 0 {
			return in
		}
	}
	return len(pools) - 1
}

// namespaces returns the number of namespaces for pods.
func (f *fleet) namespaces() int { return min(200, 1+f.size.nodes/25) }

// workload draws a workload of a pool.
func (f *fleet) workload(i, in int) *workload {
	kinds := []string{"ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "StatefulSet", "Job"}
	w := &workload{
		kind: kinds[f.draw.IntN(len(kinds))], name: fmt.Sprintf("app-%d", i), namespace: fmt.Sprintf("team-%d", f.draw.IntN(f.namespaces())),
		pool: in, budget: -1,
	}

	// A node holds about the pods that it should if each takes an equal part of it. Sizes differ by a factor of
	// seven, and workloads of one size differ a little all the same.
	part := f.size.pods - len(daemons)
	quarters := 1 + f.draw.IntN(7)
	w.milli = max(10, pools[in].milli/part*quarters/4-10*f.draw.IntN(3))
	w.mebi = max(16, pools[in].mebi/part*(1+f.draw.IntN(7))/5-8*f.draw.IntN(3))

	switch w.class = usual; f.draw.IntN(8) {
	case 0:
		w.class = 2
	case 1, 2:
		w.class = 3
	case 3, 4:
		w.class = 5
	case 5:
		w.class = 6
	}
	if w.kind != "Job" && f.draw.IntN(3) == 0 {
		w.budget = f.draw.IntN(3)
	}
	return w
}

// each calls add with every object. Pods come after the nodes that they are on.
func (f *fleet) each(add func(object) error) error {
	var err error
	put := func(o object) {
		if err == nil {
			err = add(o)
		}
	}

	for i := range classes {
		put(f.classObject(i))
	}
	put(f.namespaceObject("kube-system"))
	for i := range f.namespaces() {
		put(f.namespaceObject(fmt.Sprintf("team-%d", i)))
	}
	for i := range f.size.nodes {
		put(f.nodeObject(i))
	}
	for i := range f.size.nodes {
		f.fill(i, put)
	}
	for i := range f.size.waiting {
		put(f.waitingObject(i))
	}

	// What budgets and quotas say follows from the pods.
	for _, in := range f.workloads {
		for _, w := range in {
			if w.budget >= 0 {
				put(f.budgetObject(w))
			}
		}
	}
	for i := range f.namespaces() {
		put(f.quotaObject(fmt.Sprintf("team-%d", i)))
	}
	return err
}

// fill makes the pods of a node: one of each DaemonSet, then drawn ones while there is room. A workload whose pod
// is too large is passed over, because a smaller one may fit. So the room that is left is less than most pods take.
func (f *fleet) fill(i int, put func(object)) {
	in := f.poolOf(i)
	milli, mebi := pools[in].milli, pools[in].mebi
	for _, w := range f.daemons {
		milli, mebi = milli-w.milli, mebi-w.mebi
		put(f.podObject(w, nodeName(i)))
	}

	on := map[*workload]bool{}
	for range 2 * f.size.pods {
		// The pods of a StatefulSet keep apart.
		w := f.workloads[in][f.draw.IntN(len(f.workloads[in]))]
		if w.milli > milli || w.mebi > mebi || w.kind == "StatefulSet" && on[w] {
			continue
		}
		milli, mebi = milli-w.milli, mebi-w.mebi
		on[w] = true
		put(f.podObject(w, nodeName(i)))
	}
}

// nodeName names the i-th node.
func nodeName(i int) string { return fmt.Sprintf("node-%05d", i) }
