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

// BenchmarkPreempt is one whole decision on full nodes, all of them looked at,
// about a pod of a shape that was not asked for before.
func BenchmarkPreempt(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000, 15000, 100000} {
		for _, budgets := range []int{0, 20, 200} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=%d", nodes, budgets), func(b *testing.B) {
				decideAfresh(b, nodes, budgets, preemption.Config{})
			})
		}
	}
}

// BenchmarkPreemptWorkers is the same with the work shared.
func BenchmarkPreemptWorkers(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("nodes=15000/pods=30/budgets=20/workers=%d", workers), func(b *testing.B) {
			decideAfresh(b, 15000, 20, preemption.Config{Workers: workers})
		})
	}
}

func decideAfresh(b *testing.B, nodes, budgets int, config preemption.Config) {
	c, p := gen.Benchmark(nodes, 30, budgets)
	snap, e := newSnapshot(b, c), newEvaluator(b, config)
	c = nil
	runtime.GC()
	pods := likes(p, 1000)
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		plan, err := e.Preempt(context.Background(), snap, pods[i%len(pods)], gen.Now)
		if err != nil || plan.Outcome != preemption.Preempt {
			b.Fatal(plan, err)
		}
		i++
	}
}

// likes gives pods that differ in their priority: all above those of the
// victims and below those of the others, so that the decision is the same, and
// more than the snapshot remembers.
func likes(like *outrank.Pod, n int) []*outrank.Pod {
	pods := make([]*outrank.Pod, n)
	for i := range pods {
		p := *like
		p.Priority = outrank.Priority(int32(10_000 + i))
		pods[i] = &p
	}
	return pods
}

// BenchmarkStream is a simulator's day: a pod comes, its victims leave, it is
// bound, and when a hundred more have come it ends and its victims are back.
// So the cluster stays as full as it was. The pods are replicas of one, or of
// sixteen.
func BenchmarkStream(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000, 15000} {
		for _, kinds := range []int{1, 16} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20/shapes=%d", nodes, kinds), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, 20)
				s := stream{snap: newSnapshot(b, c), eval: newEvaluator(b, preemption.Config{}), shapes: likes(p, kinds)}
				for range 3 * len(s.past) {
					s.next(b)
				}
				b.ReportAllocs()
				for b.Loop() {
					s.next(b)
				}
			})
		}
	}
}

type stream struct {
	snap   *preemption.Snapshot
	eval   *preemption.Evaluator
	shapes []*outrank.Pod
	past   [100]*preemption.Plan
	count  int
}

func (s *stream) next(b *testing.B) {
	at := s.count % len(s.past)
	if old := s.past[at]; old != nil {
		check(b, s.snap.RemovePod(old.Pod.Key()))
		for _, v := range old.Victims {
			check(b, s.snap.AddPod(v.Pod))
		}
	}
	p := *s.shapes[s.count%len(s.shapes)]
	p.Name, p.StartTime = fmt.Sprint("new-", at), gen.Now
	plan, err := s.eval.Preempt(context.Background(), s.snap, &p, gen.Now)
	check(b, err)
	check(b, s.snap.Apply(plan))
	check(b, s.snap.Bind(p.Key(), plan.Node))
	s.past[at] = plan
	s.count++
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkNewSnapshot indexes a cluster, and says what memory that takes
// beyond the caller's own objects.
func BenchmarkNewSnapshot(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20", nodes), func(b *testing.B) {
			c, _ := gen.Benchmark(nodes, 30, 20)
			before := heap()
			kept, err := preemption.NewSnapshot(c)
			check(b, err)
			bytes := float64(heap()-before) / float64(len(c.Pods))
			b.ReportAllocs()
			for b.Loop() {
				_, err := preemption.NewSnapshot(c)
				check(b, err)
			}
			b.ReportMetric(bytes, "bytes/pod")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.Pods)), "ns/pod")
			runtime.KeepAlive(kept)
		})
	}
}

// heap is the memory in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkPreemptWithNeighbours is the same for a preemptor that minds who is
// near it: the cost grows with the nodes and with the pods that its terms pick,
// not with all pods.
func BenchmarkPreemptWithNeighbours(b *testing.B) {
	const zone, host = "zone", "kubernetes.io/hostname"
	guard := &outrank.LabelSelector{Labels: map[string]string{"app": "app-3"}}
	rules := []struct {
		name string
		set  func(c *outrank.Cluster, p *outrank.Pod)
	}{
		{"none", func(*outrank.Cluster, *outrank.Pod) {}},
		{"anti-affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.AntiPods = []outrank.PodAffinityTerm{{Selector: guard, TopologyKey: host}}
		}},
		{"affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.Pods = []outrank.PodAffinityTerm{{Selector: guard, TopologyKey: zone}}
		}},
		{"spread", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.TopologySpread = []outrank.TopologySpreadConstraint{{MaxSkew: 1, Selector: guard, TopologyKey: zone}}
		}},
		{"existing", func(c *outrank.Cluster, p *outrank.Pod) {
			for _, q := range c.Pods {
				if q.Labels["app"] == "app-3" {
					q.Affinity.AntiPods = []outrank.PodAffinityTerm{{Selector: &outrank.LabelSelector{Labels: map[string]string{"app": "urgent"}}, TopologyKey: host}}
				}
			}
		}},
	}
	for _, nodes := range []int{1000, 5000, 15000} {
		for _, rule := range rules {
			b.Run(fmt.Sprintf("rule=%s/nodes=%d/pods=30", rule.name, nodes), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, 0)
				for i, n := range c.Nodes {
					n.Labels[zone] = fmt.Sprint("z", i%5)
				}
				p.Namespace, p.Labels = "team-0", map[string]string{"app": "urgent"}
				rule.set(c, p)
				snap, e := newSnapshot(b, c), newEvaluator(b, preemption.Config{})
				pods := likes(p, 1000)
				i := 0
				b.ReportAllocs()
				for b.Loop() {
					p = pods[i%len(pods)]
					i++
					if _, err := e.Preempt(context.Background(), snap, p, gen.Now); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
