package tenancy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// lenders is the number of queues that have more than their own in crowded.
const lenders = 10

// crowded is a cluster that is full of pods of queues which have twice their own, and a gang of
// 8 of a queue that has nothing yet.
func crowded(nodes int) (*outrank.Cluster, []*outrank.Pod, tenancy.Config) {
	c, like := gen.Benchmark(nodes, 30, 20)
	c.Release = must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
	used := make([]resource.List, lenders)
	for i, p := range c.Pods {
		at := i % lenders
		p.Labels = map[string]string{"queue": fmt.Sprint("lender-", at), "app": p.Labels["app"]}
		used[at] = used[at].Plus(p.RunningRequests(outrank.DefaultRelease))
	}
	all := tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody}
	config := tenancy.Config{Queues: []tenancy.Queue{{Name: "gang", Cohort: "all", Policy: all}}}
	for i, l := range used {
		half := resource.NewMilli(l.Amount(resource.CPU) / 2)
		config.Queues[0].Nominal = config.Queues[0].Nominal.Plus(resource.List{resource.CPU: half})
		config.Queues = append(config.Queues, tenancy.Queue{
			Name: fmt.Sprint("lender-", i), Cohort: "all", Quota: tenancy.Quota{Nominal: resource.List{resource.CPU: half}}, Policy: all,
		})
	}
	var pods []*outrank.Pod
	for i := range 8 {
		p := *like
		p.Name, p.Group, p.Labels = fmt.Sprint("member-", i), "train", map[string]string{"queue": "gang"}
		pods = append(pods, &p)
	}
	return c, pods, config
}

// openGuard lets anybody go.
func openGuard() *preemption.Guard {
	return &preemption.Guard{Name: "Open", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return open{}, nil
	}}
}

// open is the state of openGuard.
type open struct{}

func (open) Remove(*outrank.Pod, *outrank.Node) {}
func (open) Add(*outrank.Pod, *outrank.Node)    {}
func (open) Check() preemption.Status           { return preemption.Status{} }
func (open) Rule(*outrank.Pod) string           { return "" }
func (open) Clone() preemption.GuardState       { return open{} }

// BenchmarkGang is one decision about a gang of 8 on nodes with 30 pods each: without rules, with
// a guard that lets anybody go, and with quotas, which count the cluster for the first decision.
func BenchmarkGang(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000} {
		c, pods, config := crowded(nodes)
		rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(config)), QueueOf: queueOf}))
		for _, with := range []string{"none", "open", "quotas"} {
			b.Run(fmt.Sprintf("rules=%s/nodes=%d", with, nodes), func(b *testing.B) {
				snap := must(engine.NewSnapshot(c))
				var config preemption.Config
				switch with {
				case "open":
					config.Guard = openGuard()
				case "quotas":
					rules.Use(&config)
				}
				eval := must(engine.New(config))
				b.ReportAllocs()
				for b.Loop() {
					plan, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
					if err != nil || plan.Outcome != preemption.Preempts {
						b.Fatal(plan, err)
					}
				}
			})
		}
	}
}

// BenchmarkReclaim is one decision about a workload in a cohort whose queues have twice their own.
func BenchmarkReclaim(b *testing.B) {
	const workloads = 1000
	uses := resource.List{resource.CPU: resource.New(2), resource.Memory: resource.New(1 << 30), resource.Pods: resource.New(1)}
	half := resource.List{
		resource.CPU: resource.New(workloads / lenders), resource.Memory: resource.New(workloads / lenders << 29), resource.Pods: resource.New(workloads / lenders / 2),
	}
	all := tenancy.Policy{Within: tenancy.Lower, Reclaim: tenancy.Anybody}
	config := tenancy.Config{Queues: []tenancy.Queue{{Name: "incoming", Cohort: "all", Quota: tenancy.Quota{Nominal: uses.Plus(uses)}, Policy: all}}}
	req := tenancy.Request{Incoming: tenancy.Workload{Name: "incoming", Queue: "incoming", Uses: uses.Plus(uses)}, Now: gen.Now, Contested: []resource.Name{resource.CPU}}
	for i := range lenders {
		config.Queues = append(config.Queues, tenancy.Queue{Name: fmt.Sprint("lender-", i), Cohort: "all", Quota: tenancy.Quota{Nominal: half}, Policy: all})
	}
	for i := range workloads {
		req.Admitted = append(req.Admitted, tenancy.Workload{Name: fmt.Sprint("w-", i), Queue: fmt.Sprint("lender-", i%lenders), Uses: uses, Priority: int32(i % 3)})
	}
	tree := must(tenancy.NewTree(config))
	b.ReportAllocs()
	for b.Loop() {
		if answer, err := tree.Reclaim(req); err != nil || answer.Outcome != preemption.Preempts {
			b.Fatal(answer, err)
		}
	}
}
