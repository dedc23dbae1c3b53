package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
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
	{"v1.13", preemption.Config{Variant: outrank.VariantV1_13}},
	{"simplified", preemption.Config{Variant: outrank.VariantSimplified}},
	{"exact", preemption.Config{Victims: preemption.Exact{}}},
	{"strict", preemption.Config{Budgets: preemption.NeverViolate}},
	{"victims-alone", preemption.Config{Budgets: preemption.ChargeVictims}},
	{"may-evict", preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", victim.Namespace != "kube-system" }}}},
	{"may-evict-some", preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", victim.Labels["tier"] != "tier-1" }}}},
	{"may-take", preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: lowerByRule}}},
	{"may-take-half", preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: true, Take: fromHalf}}},
	{"guard", preemption.Config{Guard: atMost{"TwoOfEach", 2}.guard()}},
	{"importance", preemption.Config{Importance: func(a, b *outrank.Pod) int { return int(*b.Priority) - int(*a.Priority) }}},
	{"importance-by-start", preemption.Config{Importance: func(a, b *outrank.Pod) int { return a.StartTime.Compare(b.StartTime) }}},
	{"cost", preemption.Config{
		Ranks: append([]preemption.Rank{{Name: "lost work", Cost: func(victim *outrank.Pod) int64 { return int64(gen.Now.Sub(victim.StartTime) / time.Minute) }}}, preemption.DefaultRanks()...),
	}},
	{"sample", preemption.Config{Sample: &preemption.Sample{}}},
	{"statuses", preemption.Config{}},
	{"statuses-in-order", preemption.Config{}},
	{"explain-node", preemption.Config{}},
	{"explain-five", preemption.Config{}},
	{"explain-all", preemption.Config{}},
	{"node-rule", preemption.Config{Filters: []*preemption.Filter{{Name: "rule", Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}}}},
	{"node-rule-warm", preemption.Config{Filters: []*preemption.Filter{{Name: "rule", Key: func(*outrank.Pod) string { return "" }, Node: func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }}}}},
	{"node-rule-warm-some-fail", preemption.Config{Filters: []*preemption.Filter{{Name: "rule", Key: func(*outrank.Pod) string { return "" }, Node: everyTenth}}}},
	{"gpu-filter", preemption.Config{Filters: []*preemption.Filter{gpuSharing}}},
	{"gpu-filter-unattached", preemption.Config{Filters: []*preemption.Filter{gpuSharing}}},
	{"gpu-filter-without-concerns", preemption.Config{Filters: []*preemption.Filter{unsaid(gpuSharing)}}},
	{"choose", preemption.Config{Victims: preemption.Chooser{Name: "Closest", Choose: closest}}},
	{"scorer", preemption.Config{Ranks: []preemption.Rank{{Name: "few", Figure: func(c *preemption.Candidate) int64 { return int64(len(c.Victims)) }}}}},
}

func ranked(ranks ...preemption.Rank) preemption.Config {
	return preemption.Config{Ranks: ranks}
}

// lowerByRule is lower priority, as a rule of the caller's.
func lowerByRule(preemptor, victim *outrank.Pod) (rule string, ok bool) {
	return "lower priority", victim.PriorityValue() < preemptor.PriorityValue()
}

// fromHalf takes from half of the pods, whatever their priorities.
func fromHalf(_, victim *outrank.Pod) (rule string, ok bool) {
	return "even", victim.Name[len(victim.Name)-1]%2 == 0
}

// BenchmarkRules is one decision about a pod with a signature that was not asked
// for before, by each configuration.
func BenchmarkRules(b *testing.B) {
	for _, nodes := range []int{5000, 15000} {
		var snap *engine.Snapshot
		var pods []*outrank.Pod
		var gpus gpuBench
		for _, rules := range benchedRules {
			b.Run(fmt.Sprintf("rules=%s/nodes=%d", rules.name, nodes), func(b *testing.B) {
				if snap == nil {
					c, p := gen.Benchmark(nodes, 30, 20)
					snap, pods = newSnapshot(b, c), likes(p, 1000)
				}
				snap, pods := snap, pods
				if rules.name == "gpu-filter" || rules.name == "gpu-filter-unattached" {
					snap, pods = gpus.of(b, nodes, rules.name == "gpu-filter")
				}
				e := newEvaluator(b, rules.config)
				req := preemption.Request{Now: gen.Now}
				switch rules.name {
				case "statuses":
					req.Statuses = plantest.ByName(fullNodes(snap))
				case "statuses-in-order":
					req.Statuses = plantest.InOrder(slices.Collect(maps.Values(fullNodes(snap))))
				}
				runtime.GC()
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					req.Pod = pods[i%len(pods)]
					check(b, askBy(rules.name, e, snap, req))
				}
			})
		}
	}
}

// everyTenth turns pods away from a tenth of the nodes.
func everyTenth(_ *outrank.Pod, n *outrank.Node) preemption.Status {
	if n.Name[len(n.Name)-1] == '7' {
		return preemption.UnschedulableAndUnresolvable.Because("node(s) under maintenance")
	}
	return preemption.Status{}
}

// gpuBench is the cluster of the other benchmarks where a tenth of the pods hold a
// share of one of two GPUs of their node, and the preemptor wants half of one.
type gpuBench struct {
	plain, attached *engine.Snapshot
	pods            []*outrank.Pod
}

func (g *gpuBench) of(b *testing.B, nodes int, attached bool) (*engine.Snapshot, []*outrank.Pod) {
	if g.plain == nil {
		c, p := gen.Benchmark(nodes, 30, 20)
		for _, n := range c.Nodes {
			n.Labels["gpus"] = "2"
		}
		used := map[string]*[2]int{}
		for i, p := range c.Pods {
			if i%10 != 3 {
				continue
			}
			if used[p.NodeName] == nil {
				used[p.NodeName] = &[2]int{}
			}
			at, gpu := used[p.NodeName], i/10%2
			held := min(20+i/10%7*10, 100-at[gpu])
			at[gpu] += held
			p.Labels["gpu-share"], p.Labels["gpu-device"] = fmt.Sprint(held), fmt.Sprint(gpu)
		}
		p.Labels = map[string]string{"gpu-share": "50"}
		g.plain, g.pods = newSnapshot(b, c), likes(p, 1000)
		g.attached = g.plain.Clone()
		g.attached.Tracked(gpuTracker)
		if _, err := newEvaluator(b, preemption.Config{Filters: []*preemption.Filter{gpuSharing}}).Preempt(b.Context(), g.attached, preemption.Request{Pod: g.pods[0], Now: now}); err != nil {
			b.Fatal(err)
		}
	}
	if attached {
		return g.attached, g.pods
	}
	return g.plain, g.pods
}

// fullNodes is what a scheduler says of nodes that are all short of cpu.
func fullNodes(snap *engine.Snapshot) map[string]preemption.Status {
	statuses, reasons := map[string]preemption.Status{}, []string{"Insufficient cpu"}
	for n := range snap.Nodes() {
		statuses[n.Name] = preemption.Status{Code: preemption.Unschedulable, Filter: preemption.NodeResourcesFit, Reasons: reasons}
	}
	return statuses
}

// askBy asks one question as the name says.
func askBy(name string, e *engine.Evaluator, snap *engine.Snapshot, req preemption.Request) error {
	ctx := context.Background()
	switch name {
	case "explain-node":
		report, err := e.ExplainNode(ctx, snap, req, "node-00007")
		if err == nil && report.Candidate == nil {
			err = errors.New("no candidate")
		}
		return err
	case "explain-five":
		five := 0
		for _, err := range e.Candidates(ctx, snap, req) {
			if five++; err != nil || five == 5 {
				return err
			}
		}
		return errors.New("not five candidates")
	case "explain-all":
		_, err := e.Explain(ctx, snap, req)
		return err
	}
	plan, err := e.Preempt(ctx, snap, req)
	if err == nil && plan.Outcome != preemption.Preempts {
		err = fmt.Errorf("%v", plan)
	}
	return err
}

// unsaid returns a filter that does not say which pods concern it.
func unsaid(f *preemption.Filter) *preemption.Filter {
	return &preemption.Filter{Name: f.Name, Start: f.Start}
}
