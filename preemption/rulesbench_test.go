package preemption_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/preemption"
)

// benchedRules are the configurations of BenchmarkRules. The first is what the
// others are compared with.
var benchedRules = []struct {
	name   string
	config preemption.Config
}{
	{"default", preemption.Config{}},
	{"ranks-spelled-out", ranked(preemption.DefaultRanks()...)},
	{"ranks-prefix", ranked(preemption.ByViolations, preemption.ByTopPriority)},
	{"ranks-start-first", ranked(preemption.ByStart, preemption.ByViolations, preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByVictims)},
	{"ranks-victims-first", ranked(preemption.ByVictims, preemption.ByStart, preemption.ByViolations, preemption.ByPrioritySum, preemption.ByTopPriority)},
	{"ranks-sum-first", ranked(preemption.ByPrioritySum, preemption.ByViolations, preemption.ByStart, preemption.ByTopPriority, preemption.ByVictims)},
	{"ranks-top-first", ranked(preemption.ByTopPriority, preemption.ByStart, preemption.ByVictims, preemption.ByPrioritySum, preemption.ByViolations)},
	{"v1.13", preemption.Config{Policy: preemption.V1_13()}},
	{"simplified", preemption.Config{Policy: preemption.Simplified()}},
	{"may-evict", preemption.Config{MayEvict: func(_, victim *outrank.Pod) bool { return victim.Namespace != "kube-system" }}},
	{"importance", preemption.Config{Importance: func(a, b *outrank.Pod) int { return int(*b.Priority) - int(*a.Priority) }}},
	{"sample", preemption.Config{Sample: &preemption.Sample{}}},
	{"statuses", preemption.Config{}},
	{"node-rule", preemption.Config{Filters: []preemption.Filter{preemption.NodeRule("rule", func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} })}}},
	{"scorer", preemption.Config{Scorers: []preemption.Scorer{{Name: "few", Score: func(c *preemption.Candidate) int64 { return -int64(len(c.Victims)) }}}}},
}

func ranked(ranks ...preemption.Rank) preemption.Config {
	return preemption.Config{Policy: preemption.Policy{Ranks: ranks}}
}

// BenchmarkRules is one decision about a pod with a signature that was not asked
// for before, by each configuration.
func BenchmarkRules(b *testing.B) {
	for _, nodes := range []int{5000, 15000} {
		var snap *preemption.Snapshot
		var pods []*outrank.Pod
		for _, rules := range benchedRules {
			b.Run(fmt.Sprintf("rules=%s/nodes=%d", rules.name, nodes), func(b *testing.B) {
				if snap == nil {
					c, p := gen.Benchmark(nodes, 30, 20)
					snap, pods = newSnapshot(b, c), likes(p, 1000)
				}
				e := newEvaluator(b, rules.config)
				req := preemption.Request{Now: gen.Now}
				if rules.name == "statuses" {
					req.Statuses = fullNodes(snap)
				}
				runtime.GC()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					req.Pod = pods[i%len(pods)]
					plan, err := e.PreemptRequest(context.Background(), snap, req)
					if err != nil || plan.Outcome != preemption.Preempt {
						b.Fatal(plan, err)
					}
				}
			})
		}
	}
}

// fullNodes is what a scheduler says of nodes that are all short of cpu.
func fullNodes(snap *preemption.Snapshot) map[string]preemption.Status {
	statuses := map[string]preemption.Status{}
	for n := range snap.Nodes() {
		statuses[n.Name] = preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodeResourcesFit, Reasons: []string{"Insufficient cpu"}}
	}
	return statuses
}
