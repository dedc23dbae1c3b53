package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// BenchmarkPreempt is one whole decision on full nodes, every node looked at,
// about a pod with a signature that was not asked for before.
func BenchmarkPreempt(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000, 15000, 100000} {
		var snap *engine.Snapshot
		var p *outrank.Pod
		for _, budgets := range []int{0, 20, 200} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=%d", nodes, budgets), func(b *testing.B) {
				if snap == nil {
					var c *outrank.Cluster
					c, p = gen.Benchmark(nodes, 30, 0)
					snap = newSnapshot(b, c)
				}
				c, _ := gen.Benchmark(1, 1, budgets) // the same budgets for any nodes
				check(b, setBudgets(snap, c.Budgets))
				runtime.GC()
				decideAfresh(b, snap, p)
			})
		}
	}
}

func decideAfresh(b *testing.B, snap *engine.Snapshot, p *outrank.Pod) {
	e, pods := newEvaluator(b, preemption.Config{}), likes(p, 1000)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pods[i%len(pods)], Now: gen.Now})
		if err != nil || plan.Outcome != preemption.Preempts {
			b.Fatal(plan, err)
		}
	}
}

// BenchmarkPreemptWorkers makes the same decisions on one snapshot with one
// worker and with two, many at a time in turn, and reports how much faster the
// two are. The ceiling is what the machine allows at that time: how much more
// two independent goroutines decide than one. All figures are medians over the
// turns.
func BenchmarkPreemptWorkers(b *testing.B) {
	const many = 100
	for _, nodes := range []int{5000, 15000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20", nodes), func(b *testing.B) {
			c, p := gen.Benchmark(nodes, 30, 20)
			snap, pods := newSnapshot(b, c), likes(p, 1000)
			next := 0
			decide := func(workers int) (nodes [many]string, each float64) {
				e, from := newEvaluator(b, preemption.Config{}).Parallel(workers), next
				next += many
				began := time.Now()
				for k := range many {
					plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pods[(from+k)%len(pods)], Now: gen.Now})
					check(b, err)
					nodes[k] = plan.Node
				}
				return nodes, float64(time.Since(began).Nanoseconds()) / many
			}
			var one, two, speedup, ceiling []float64
			runtime.GC()
			for b.Loop() {
				want, alone := decide(1)
				got, shared := decide(2)
				if got != want {
					b.Fatal("the answers differ")
				}
				apart := atOnce(b, snap, pods, many)
				one, two = append(one, alone), append(two, shared)
				speedup, ceiling = append(speedup, alone/shared), append(ceiling, 2*alone/apart)
			}
			b.ReportMetric(median(one), "ns/decision-1")
			b.ReportMetric(median(two), "ns/decision-2")
			b.ReportMetric(median(speedup), "speedup")
			b.ReportMetric(median(ceiling), "ceiling")
		})
	}
}

// atOnce has two goroutines make n decisions each, and returns the time in
// which each of them makes one.
func atOnce(b *testing.B, snap *engine.Snapshot, pods []*outrank.Pod, many int) float64 {
	e, began := newEvaluator(b, preemption.Config{}), time.Now()
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			for k := range many {
				if _, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pods[(i*many+k)%len(pods)], Now: gen.Now}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	both.Wait()
	return float64(time.Since(began).Nanoseconds()) / float64(many)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// likes returns pods that differ in priority alone: all above the priorities of
// the victims and below those of the others, so that the decision is the same,
// and more of them than the cache has entries.
func likes(like *outrank.Pod, n int) []*outrank.Pod {
	pods := make([]*outrank.Pod, n)
	for i := range pods {
		p := *like
		p.Priority = outrank.Priority(int32(10_000 + i))
		pods[i] = &p
	}
	return pods
}

// BenchmarkStream is the load of a simulator: a pod comes, its victims leave,
// it is bound, and after a hundred more pods it ends and its victims come back.
// The cluster stays as full as it was. The pods are replicas of one pod, or of
// sixteen.
func BenchmarkStream(b *testing.B) {
	for _, nodes := range []int{100, 1000, 5000, 15000} {
		for _, kinds := range []int{1, 16} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20/shapes=%d", nodes, kinds), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, 20)
				streamed(b, &stream{snap: newSnapshot(b, c), eval: newEvaluator(b, preemption.Config{}), shapes: likes(p, kinds)})
			})
		}
	}
}

// BenchmarkChurn is such a load of pods of so many sizes, with a change of what a budget allows
// before every tenth of them.
func BenchmarkChurn(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		for _, sizes := range []int{16, 1000} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20/sizes=%d", nodes, sizes), func(b *testing.B) {
				c, p := gen.Benchmark(nodes, 30, 20)
				s := &stream{snap: newSnapshot(b, c), eval: newEvaluator(b, preemption.Config{}), budgets: c.Budgets}
				for i := range sizes {
					q := *p
					q.Containers = []outrank.Container{{Requests: resource.List{
						resource.CPU:    resource.NewMilli(int64(2000 + 2000*i/sizes)),
						resource.Memory: resource.New(int64(2+i%4) << 30),
					}}}
					s.shapes = append(s.shapes, &q)
				}
				streamed(b, s)
			})
		}
	}
}

func streamed(b *testing.B, s *stream) {
	for range 3 * len(s.past) {
		s.next(b)
	}
	b.ReportAllocs()
	for b.Loop() {
		s.next(b)
	}
}

type stream struct {
	snap   *engine.Snapshot
	eval   *engine.Evaluator
	shapes []*outrank.Pod
	past   [100]*preemption.Plan
	count  int
	// budgets change in turn what they allow, one before every tenth pod.
	budgets []*outrank.PodDisruptionBudget
}

func (s *stream) next(b *testing.B) {
	at := s.count % len(s.past)
	if old := s.past[at]; old != nil {
		check(b, s.snap.RemovePod(old.Pod.Key()))
		for _, v := range old.Victims {
			check(b, errOf(s.snap.PutPod(v.Pod)))
		}
	}
	if len(s.budgets) > 0 && s.count%10 == 0 {
		next := *s.budgets[s.count/10%len(s.budgets)]
		next.DisruptionsAllowed = int32(s.count / 10 % 3)
		check(b, s.snap.PutBudget(&next))
	}
	p := *s.shapes[s.count%len(s.shapes)]
	p.Name, p.StartTime = fmt.Sprint("new-", at), gen.Now
	plan, err := s.eval.Preempt(context.Background(), s.snap, preemption.Request{Pod: &p, Now: gen.Now})
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

// BenchmarkNewSnapshot indexes a cluster, and reports the memory that this
// takes beyond the caller's own objects.
func BenchmarkNewSnapshot(b *testing.B) {
	for _, nodes := range []int{1000, 5000} {
		b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20", nodes), func(b *testing.B) {
			c, _ := gen.Benchmark(nodes, 30, 20)
			before := heap()
			kept, err := engine.NewSnapshot(c)
			check(b, err)
			bytes := float64(heap()-before) / float64(len(c.Pods))
			b.ReportAllocs()
			for b.Loop() {
				_, err := engine.NewSnapshot(c)
				check(b, err)
			}
			b.ReportMetric(bytes, "bytes/pod")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.Pods)), "ns/pod")
			runtime.KeepAlive(kept)
		})
	}
}

// heap returns the memory in use.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkPreemptWithNeighbours is BenchmarkPreempt for a preemptor with rules
// about other pods. The cost grows with the nodes and with the pods that its
// terms pick, not with all pods.
func BenchmarkPreemptWithNeighbours(b *testing.B) {
	const zone, host = "zone", "kubernetes.io/hostname"
	guard := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-3"}}
	rules := []struct {
		name string
		set  func(c *outrank.Cluster, p *outrank.Pod)
	}{
		{"none", func(*outrank.Cluster, *outrank.Pod) {}},
		{"anti-affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: guard, TopologyKey: host}}
		}},
		{"affinity", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: guard, TopologyKey: zone}}
		}},
		{"spread", func(_ *outrank.Cluster, p *outrank.Pod) {
			p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{MaxSkew: 1, LabelSelector: guard, TopologyKey: zone}}
		}},
		{"existing", func(c *outrank.Cluster, p *outrank.Pod) {
			for _, q := range c.Pods {
				if q.Labels["app"] == "app-3" {
					q.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "urgent"}}, TopologyKey: host}}
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
					if _, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
