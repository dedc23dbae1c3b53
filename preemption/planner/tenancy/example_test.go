package tenancy_test

import (
	"context"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// shop are two queues that lend to each other. Each has 4 cpu of its own, takes from lower
// priorities in itself, and takes back from anybody what the other has borrowed.
func shop() tenancy.Config {
	policy := tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody}
	return tenancy.Config{Queues: []tenancy.Queue{
		{Name: "ads", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}, Policy: policy},
		{Name: "search", Cohort: "shop", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "4")}, Policy: policy},
	}}
}

func running(name, queue, cpu string, priority int32) *outrank.Pod {
	return &outrank.Pod{
		Name: name, NodeName: "n1", Labels: map[string]string{"queue": queue}, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
	}
}

func pending(name, queue, cpu string, priority int32) *outrank.Pod {
	p := running(name, queue, cpu, priority)
	p.NodeName = ""
	return p
}

// lent is a node on which ads has borrowed 2 cpu.
func lent() *engine.Snapshot {
	return must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "10")}},
		Pods: []*outrank.Pod{
			running("ads-1", "ads", "2", 100), running("ads-2", "ads", "2", 50), running("ads-3", "ads", "2", 70), running("search-1", "search", "2", 0),
		},
	}))
}

// Search takes back what ads has borrowed, from pods of any priority, and no more than
// that: ads keeps its 4 cpu.
func ExampleRules_Use() {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	var config preemption.Config
	rules.Use(&config)
	eval := must(engine.New(config))
	plan := must(eval.Preempt(context.Background(), lent(), preemption.Request{Pod: pending("search-2", "search", "2", 0), Now: now}))
	for _, v := range plan.Victims {
		fmt.Println(v, "of priority", v.Pod.PriorityValue(), "by", v.Rule)
	}
	plan = must(eval.Preempt(context.Background(), lent(), preemption.Request{Pod: pending("search-3", "search", "4", 0), Now: now}))
	fmt.Println(plan.Outcome, plan.Unhelpful)
	// Output:
	// default/ads-2 of priority 50 by reclaimed within the cohort
	// nothing-helps [1 Tenancy: queue search would have more than its own]
}

// The options are checked.
func ExampleNew() {
	_, err := tenancy.New(tenancy.Options{Style: tenancy.YuniKorn, Fair: &tenancy.Fair{}})
	fmt.Println(err)
	// Output:
	// tenancy options: Tree: missing
	// tenancy options: QueueOf: missing
	// tenancy options: Fair: YuniKorn does not compare shares
}

// The tree is checked.
func ExampleNewTree() {
	_, err := tenancy.NewTree(tenancy.Config{
		Cohorts: []tenancy.Cohort{{Name: "a", Parent: "b"}, {Name: "b", Parent: "a"}},
		Queues:  []tenancy.Queue{{Name: "q", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", "-1")}}, {Name: "q"}},
	})
	fmt.Println(err)
	// Output:
	// queue q: Nominal.cpu: -1 is negative
	// queue q: Name: there is another queue of this name
	// cohort a: Parent: it is in a circle, or below one
	// cohort b: Parent: it is in a circle, or below one
}

// By quotas alone: ads has 6 of its 4 cpu, and gives back to search.
func ExampleTree_Reclaim() {
	tree := must(tenancy.NewTree(shop()))
	answer := must(tree.Reclaim(tenancy.Request{
		Incoming: tenancy.Workload{Name: "index", Queue: "search", Uses: resource.MustList("cpu", "2")},
		Admitted: []tenancy.Workload{
			{Name: "render", Queue: "ads", Priority: 10, Uses: resource.MustList("cpu", "3")},
			{Name: "train", Queue: "ads", Priority: 20, Uses: resource.MustList("cpu", "3")},
			{Name: "query", Queue: "search", Priority: 30, Uses: resource.MustList("cpu", "2")},
		},
		Now: now,
	}))
	for _, v := range answer.Victims {
		fmt.Println(v.Name, "by", v.Rule)
	}
	// Output:
	// render by reclaimed within the cohort
}

// What one pod may take from another as far as the two tell.
func ExampleRules_Take() {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	asker := pending("asker", "search", "1", 10)
	for _, victim := range []*outrank.Pod{
		running("a", "search", "1", 5), running("b", "search", "1", 10), running("c", "ads", "1", 99), running("d", "", "1", 0),
	} {
		rule, ok := rules.Take(asker, victim)
		fmt.Printf("%s %v %q\n", victim.Name, ok, rule)
	}
	// Output:
	// a true "within the queue"
	// b false ""
	// c true "reclaimed within the cohort"
	// d false ""
}

// The guard alone, where lower priority is to stay the rule: ads gives back the 2 cpu that
// it has borrowed, and not to a queue that would borrow itself.
func ExampleRules_Guard() {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	eval := must(engine.New(preemption.Config{Guard: rules.Guard()}))
	plan := must(eval.Preempt(context.Background(), lent(), preemption.Request{Pod: pending("search-2", "search", "4", 80), Now: now}))
	for _, v := range plan.Victims {
		fmt.Printf("%s %q\n", v, v.Rule)
	}
	plan = must(eval.Preempt(context.Background(), lent(), preemption.Request{Pod: pending("search-3", "search", "6", 80), Now: now}))
	fmt.Println(plan.Outcome, plan.Unhelpful)
	// Output:
	// default/ads-2 "reclaimed within the cohort"
	// default/search-1 ""
	// nothing-helps [1 Tenancy: queue search would have more than its own]
}

// The filter counts the queues as the cluster changes.
func ExampleRules_Filter() {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	snap := lent()
	eval := must(engine.New(preemption.Config{Filters: []*preemption.Filter{rules.Filter()}}))
	plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: pending("ads-4", "ads", "1", 0), Now: now}))
	fmt.Println(plan.TurnedDown)
	// Output:
	// [1 NodeResourcesFit: Insufficient cpu]
}

// Nomad's way: for 3 cpu the one pod of that size, and of a job that lets one go at a time
// no second one while there are others.
func ExampleClosest() {
	pod := func(name, cpu string) *outrank.Pod { return running(name, "", cpu, 10) }
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "9", "pods", "10")}},
		Pods:  []*outrank.Pod{pod("many-1", "1"), pod("many-2", "1"), pod("many-3", "1"), pod("huge-1", "3"), pod("some-1", "3")},
	}))
	eval := must(engine.New(preemption.Config{
		Victims: tenancy.Closest(tenancy.Closeness{
			Delta:       10,
			MaxParallel: func(p *outrank.Pod) (string, int) { return p.Name[:4], 1 },
		}),
	}))
	for _, asker := range []*outrank.Pod{pending("a", "", "3", 20), pending("b", "", "4", 20), pending("c", "", "1", 19)} {
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now}))
		fmt.Println(plan.Outcome, plan.Victims)
	}
	// Output:
	// preempt [default/huge-1]
	// preempt [default/huge-1 default/many-1]
	// nothing-helps []
}

// Windows spare what started a short while before: the same rules at two times.
func ExampleRules_At() {
	rules := must(tenancy.New(tenancy.Options{
		Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Protection: tenancy.Protection{Reclaim: 10 * time.Minute},
	}))
	ads := running("ads-1", "ads", "2", 0)
	ads.StartTime = now.Add(-4 * time.Minute)
	search := pending("search-1", "search", "2", 0)
	fmt.Println(rules.At(now).Take(search, ads))
	fmt.Println(rules.At(now.Add(6*time.Minute)).Take(search, ads))
	// Output:
	//  false
	// reclaimed within the cohort true
}

// When does it make sense to ask again?
func ExampleRules_RetryAt() {
	rules := must(tenancy.New(tenancy.Options{
		Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Protection: tenancy.Protection{Reclaim: 10 * time.Minute},
	}))
	ads := running("ads-1", "ads", "2", 0)
	ads.StartTime = now.Add(-4 * time.Minute)
	retry := rules.At(now).RetryAt(pending("search-1", "search", "2", 0), []*outrank.Pod{ads})
	fmt.Println(retry.Sub(now))
	// Output:
	// 6m0s
}

// Training takes from small jobs of any queue, whatever is theirs, where its own policy is not
// enough; until it may, it is told when to ask again.
func ExampleSelection() {
	config := shop()
	config.Queues[1].Policy = tenancy.Policy{Reclaim: tenancy.Anybody, Further: []tenancy.Selection{{
		Name: "small-jobs", Trigger: "InsufficientQuota",
		Candidates: []tenancy.Selector{{Scope: "WithinCohortTree", Numbers: []tenancy.NumberLabel{{Key: "example.com/gpus", Comparison: "LessThan"}}}},
	}}}
	job := func(name, queue, gpus string) tenancy.Workload {
		return tenancy.Workload{
			Name: name, Queue: queue, Uses: resource.MustList("cpu", "4"), Started: now.Add(-time.Minute), Labels: map[string]string{"example.com/gpus": gpus},
		}
	}
	req := tenancy.Request{
		Incoming: job("train", "search", "8"), Admitted: []tenancy.Workload{job("render", "ads", "1"), job("index", "search", "16")}, Now: now,
	}
	for _, v := range must(must(tenancy.NewTree(config)).Reclaim(req)).Victims {
		fmt.Println(v.Name, "by", v.Rule)
	}
	req.Incoming.Uses, req.Protection.Reclaim = resource.MustList("cpu", "1"), time.Hour
	req.Admitted = []tenancy.Workload{job("render", "ads", "16"), job("paint", "ads", "16")}
	fmt.Println(must(must(tenancy.NewTree(config)).Reclaim(req)).RetryAt.Sub(now))
	// Output:
	// render by configured preemption by small-jobs
	// 59m0s
}
