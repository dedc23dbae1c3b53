package devices

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/resource"
)

// kind is a class of equal tasks of the workload.
type kind struct {
	demand Demand
	cpu    int64
	models string // the GPU models that it can use, sorted and separated by commas; empty for any
	share  float64
}

// Fragments follows how much of the free GPUs are fragments, as Weng et al. define it (Beware of Fragmentation,
// USENIX ATC 2023). The free part of a device is a fragment for a task if the node cannot run the task, or if
// it is less than the task needs of a device. The fragmentation of a node is the mean of that over the tasks of
// the workload, weighted by their frequency. As in the paper, tasks that ask for no GPU count, too: for them
// everything that is free is a fragment. A node can run a task if it has the cores, the model and the devices;
// memory does not count.
type Fragments struct {
	table *Table
	nodes map[string]*piece
	at    time.Duration
	// free and lost are the present sums over the nodes, in thousandths; freeTime and lostTime are their
	// integrals over time, in seconds.
	free, lost         float64
	freeTime, lostTime float64
}

// piece says what is free on a node.
type piece struct {
	cpu        int64 // in thousandths of a core
	kinds      []kind
	free, lost float64
}

// NewFragments begins with empty nodes. The pods of the workload are the tasks.
func NewFragments(t *Table, nodes []*outrank.Node, tasks []workload.Item) *Fragments {
	f := &Fragments{table: t, nodes: map[string]*piece{}}
	// Nodes of the same model share their kinds.
	all, byModel := kindsOf(tasks), map[string][]kind{}
	for _, n := range nodes {
		model := n.Labels[workload.ModelLabel]
		if byModel[model] == nil {
			byModel[model] = forModel(all, model)
		}
		f.nodes[n.Name] = &piece{cpu: n.Allocatable.Amount(resource.CPU), kinds: byModel[model]}
		f.count(n.Name)
	}
	return f
}

// kindsOf returns the classes of a workload, in an order that does not depend on the order of the tasks.
func kindsOf(tasks []workload.Item) []kind {
	count := map[kind]int{}
	for i := range tasks {
		p := tasks[i].Pod
		count[kind{demand: DemandOf(p), cpu: p.RunningRequests(outrank.DefaultRelease).Amount(resource.CPU), models: modelsOf(p)}]++
	}

	kinds := make([]kind, 0, len(count))
	for k, n := range count {
		k.share = float64(n) / float64(len(tasks))
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(a.demand.Count, b.demand.Count), cmp.Compare(a.demand.Milli, b.demand.Milli), cmp.Compare(a.cpu, b.cpu), cmp.Compare(a.models, b.models))
	})
	return kinds
}

// modelsOf returns the GPU models of a pod from a trace, which names them in its affinity.
func modelsOf(p *outrank.Pod) string {
	a := p.Affinity.NodeAffinity
	if a == nil {
		return ""
	}

	var models []string
	for _, term := range a.NodeSelectorTerms {
		for _, r := range term.MatchExpressions {
			if r.Key == workload.ModelLabel && r.Operator == outrank.In {
				models = append(models, r.Values...)
			}
		}
	}
	slices.Sort(models)
	return strings.Join(models, ",")
}

// forModel marks the kinds that nodes of a model cannot run, by a demand for more devices than any node has.
func forModel(all []kind, model string) []kind {
	out := slices.Clone(all)
	for i := range out {
		if k := &out[i]; k.models != "" && !slices.Contains(strings.Split(k.models, ","), model) {
			k.demand.Count = 1 << 30
		}
	}
	return out
}

// count recomputes the fragments of a node.
func (f *Fragments) count(node string) {
	p, r := f.nodes[node], f.table.nodes[node]
	free, lost := float64(r.free()), 0.0
	if free > 0 {
		for i := range p.kinds {
			lost += p.kinds[i].share * float64(p.kinds[i].fragment(r, p.cpu))
		}
	}

	f.free, f.lost = f.free+free-p.free, f.lost+lost-p.lost
	p.free, p.lost = free, lost
}

// fragment returns the part of a node's free GPUs that is a fragment for the kind.
func (k *kind) fragment(r room, cpu int64) int64 {
	if k.demand.Count == 0 || k.cpu > cpu {
		return r.free()
	}

	small, enough := int64(0), 0
	for _, free := range r {
		if free >= k.demand.Milli {
			enough++
		} else {
			small += max(free, 0)
		}
	}
	if enough < k.demand.Count {
		return r.free()
	}
	return small
}

// Changed records that, at a time, the devices of a node have changed, and its free cores by cpu thousandths.
// Times never decrease.
func (f *Fragments) Changed(at time.Duration, node string, cpu int64) {
	f.Hold(at)
	if p := f.nodes[node]; p != nil {
		p.cpu += cpu
		f.count(node)
	}
}

// Hold records that nothing has changed up to a time.
func (f *Fragments) Hold(until time.Duration) {
	seconds := (until - f.at).Seconds()
	f.freeTime, f.lostTime = f.freeTime+seconds*f.free, f.lostTime+seconds*f.lost
	f.at = until
}

// Share returns the part of the free GPUs that were fragments, over the time so far. It is not ok if no GPUs
// were free.
func (f *Fragments) Share() (share float64, ok bool) { return f.lostTime / f.freeTime, f.freeTime > 0 }
