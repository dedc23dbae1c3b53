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

// groupsOn is v1.37 with groups.
var groupsOn = must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))

// BenchmarkGroups is one whole decision about a group of equal pods on nodes that
// are full of single pods, thirty on each.
func BenchmarkGroups(b *testing.B) {
	for _, nodes := range []int{100, 300, 1000, 5000} {
		c, like := gen.Benchmark(nodes, 30, 20)
		c.Release = groupsOn
		snap := newSnapshot(b, c)
		for _, pods := range []int{8, 64} {
			b.Run(fmt.Sprintf("pods=%d/nodes=%d", pods, nodes), func(b *testing.B) {
				decideForGroup(b, snap, replicas(like, pods))
			})
		}
	}
}

// BenchmarkGroupsAmongGroups is BenchmarkGroups where a tenth of the pods are in groups
// of ten that leave as one, spread over the nodes.
func BenchmarkGroupsAmongGroups(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		c, like := gen.Benchmark(nodes, 30, 20)
		c.Release = groupsOn
		gatherTenth(c)
		snap := newSnapshot(b, c)
		for _, pods := range []int{8, 64} {
			b.Run(fmt.Sprintf("pods=%d/nodes=%d", pods, nodes), func(b *testing.B) {
				decideForGroup(b, snap, replicas(like, pods))
			})
		}
	}
}

// gatherTenth puts every tenth pod into a group of ten, which has the priority of its
// pods.
func gatherTenth(c *outrank.Cluster) {
	for i := 0; i < len(c.Pods); i += 10 {
		at := i / 10 % max(1, len(c.Pods)/100)
		p := c.Pods[i]
		if at == len(c.Groups) {
			c.Groups = append(c.Groups, &outrank.PodGroup{
				Name: fmt.Sprint("group-", at), Namespace: p.Namespace, DisruptionMode: outrank.DisruptPodGroup,
				Policy: outrank.BasicPolicy, Priority: p.Priority,
			})
		}
		p.Group = c.Groups[at].Name
	}
}

// BenchmarkGroupsApart is BenchmarkGroups for pods that keep each other off their
// nodes, or that are spread over zones.
func BenchmarkGroupsApart(b *testing.B) {
	const zone, host = "zone", "kubernetes.io/hostname"
	own := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "train"}}
	for _, nodes := range []int{300, 1000, 5000} {
		c, like := gen.Benchmark(nodes, 30, 20)
		c.Release = groupsOn
		for i, n := range c.Nodes {
			n.Labels[zone] = fmt.Sprint("z", i%5)
		}
		snap := newSnapshot(b, c)
		like.Labels = own.MatchLabels
		for _, rule := range []string{"anti-affinity", "spread"} {
			p := *like
			if rule == "spread" {
				p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, LabelSelector: own, TopologyKey: zone}}
			} else {
				p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: own, TopologyKey: host}}
			}
			b.Run(fmt.Sprintf("rule=%s/pods=8/nodes=%d", rule, nodes), func(b *testing.B) {
				decideForGroup(b, snap, replicas(&p, 8))
			})
		}
	}
}

// replicas returns equal pods of one group that the cluster does not know.
func replicas(like *outrank.Pod, n int) []*outrank.Pod {
	pods := make([]*outrank.Pod, n)
	for i := range pods {
		p := *like
		p.Name, p.Group = fmt.Sprint("member-", i), "train"
		pods[i] = &p
	}
	return pods
}

func decideForGroup(b *testing.B, snap *engine.Snapshot, pods []*outrank.Pod) {
	e, req := newEvaluator(b, preemption.Config{}), preemption.GroupRequest{Pods: pods, Now: gen.Now}
	victims := 0
	runtime.GC()
	b.ReportAllocs()
	for b.Loop() {
		plan, err := e.PreemptGroup(context.Background(), snap, req)
		if err != nil || plan.Outcome != preemption.Preempts {
			b.Fatal(plan, err)
		}
		victims = len(plan.Victims)
	}
	b.ReportMetric(float64(victims), "victims")
}
