package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// BenchmarkChanges is one change and a decision after it: about a pod with a
// signature that was not asked for before (none is such a decision without a
// change), or with one that is known (known).
func BenchmarkChanges(b *testing.B) {
	for _, nodes := range []int{5000, 10000} {
		var base changed
		for _, change := range benchedChanges {
			b.Run(fmt.Sprintf("change=%s/nodes=%d", change.name, nodes), func(b *testing.B) {
				if base.snap == nil {
					base = newChanged(b, nodes)
				}
				w := base
				if change.begin != nil {
					change.begin(&w)
				}
				for range 4 {
					w.decide(b, w.snap, w.known)
				}
				runtime.GC()
				b.ReportAllocs()
				for b.Loop() {
					change.next(b, &w)
					w.turn++
				}
			})
		}
	}
}

// changed is a cluster that changes between decisions.
type changed struct {
	c       *outrank.Cluster
	snap    *engine.Snapshot
	eval    *engine.Evaluator
	known   *outrank.Pod
	unknown []*outrank.Pod
	turn    int
}

func newChanged(b *testing.B, nodes int) changed {
	c, p := gen.Benchmark(nodes, 30, 20)
	for i, n := range c.Nodes {
		n.Labels["zone"] = fmt.Sprint("zone-", i%5)
	}
	return changed{c: c, snap: newSnapshot(b, c), eval: newEvaluator(b, preemption.Config{}), known: p, unknown: likes(p, 1000)}
}

func (w *changed) decide(b *testing.B, snap *engine.Snapshot, p *outrank.Pod) {
	_, err := w.eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	check(b, err)
}

// decideAfresh decides about a signature that was not asked for before.
func (w *changed) decideAfresh(b *testing.B) { w.decide(b, w.snap, w.unknown[w.turn%len(w.unknown)]) }

// allow changes what a budget allows: nothing, or one disruption.
func (w *changed) allow() *outrank.PodDisruptionBudget {
	budget := *w.c.Budgets[w.turn%len(w.c.Budgets)]
	budget.DisruptionsAllowed = int32(w.turn / len(w.c.Budgets) % 2)
	return &budget
}

// relabel moves a node to another zone.
func (w *changed) relabel() *outrank.Node {
	n := *w.c.Nodes[w.turn*7%len(w.c.Nodes)]
	n.Labels = map[string]string{"kubernetes.io/hostname": n.Name, "zone": fmt.Sprint("zone-", w.turn%6)}
	return &n
}

// bystander is a budget for a few pods of the namespace.
var bystander = &outrank.PodDisruptionBudget{
	Name: "bystander", Namespace: "team-0", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-3", "tier": "tier-1"}},
}

// spread makes the decisions about pods that are to be spread over zones.
func (w *changed) spread() {
	for i, p := range w.unknown {
		q := *p
		q.Namespace, q.Labels = "team-0", map[string]string{"app": "app-3"}
		q.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
			MaxSkew: 1_000_000, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{MatchLabels: q.Labels},
		}}
		w.unknown[i] = &q
	}
}

var benchedChanges = []struct {
	name  string
	begin func(w *changed)
	next  func(b *testing.B, w *changed)
}{
	{"none", nil, func(b *testing.B, w *changed) { w.decideAfresh(b) }},
	{"none-known", nil, func(b *testing.B, w *changed) { w.decide(b, w.snap, w.known) }},
	{"clone", nil, func(b *testing.B, w *changed) { w.snap.Clone() }},
	{"clone-known", nil, func(b *testing.B, w *changed) { w.decide(b, w.snap.Clone(), w.known) }},
	{"clone-apply-known", nil, func(b *testing.B, w *changed) {
		clone := w.snap.Clone()
		plan, err := w.eval.Preempt(context.Background(), clone, preemption.Request{Pod: w.known, Now: gen.Now})
		check(b, err)
		check(b, clone.Apply(plan))
		next := *w.known
		next.Name = "next"
		w.decide(b, clone, &next)
	}},
	{"budget-status", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutBudget(w.allow()))
		w.decideAfresh(b)
	}},
	{"budget-status-known", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutBudget(w.allow()))
		w.decide(b, w.snap, w.known)
	}},
	{"budget-added-removed", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutBudget(bystander))
		check(b, w.snap.RemoveBudget(bystander.Key()))
		w.decideAfresh(b)
	}},
	{"namespace", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutNamespace(&outrank.Namespace{Name: "team-0", Labels: map[string]string{"turn": fmt.Sprint(w.turn)}}))
		w.decideAfresh(b)
	}},
	{"node-labels", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutNode(w.relabel()))
		w.decideAfresh(b)
	}},
	{"node-labels-known", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutNode(w.relabel()))
		w.decide(b, w.snap, w.known)
	}},
	{"none-spread", (*changed).spread, func(b *testing.B, w *changed) { w.decideAfresh(b) }},
	{"node-labels-spread", nil, func(b *testing.B, w *changed) {
		check(b, w.snap.PutNode(w.relabel()))
		w.decideAfresh(b)
	}},
}
