package kubeletadmit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// fullNode has as many pods as asked for, and just the room that they take for
// everything but pods.
func fullNode(pods int) (*outrank.Node, []*outrank.Pod) {
	const mi = 1 << 20
	random := rand.New(rand.NewPCG(1, 2))
	active, used := make([]*outrank.Pod, pods), resource.List{}
	for i := range active {
		requests := resource.List{
			resource.CPU:              resource.NewMilli(100 * (1 + random.Int64N(14))),
			resource.Memory:           resource.NewBinary(128 * mi * (1 + random.Int64N(16))),
			resource.EphemeralStorage: resource.NewBinary(256 * mi * (1 + random.Int64N(8))),
		}
		active[i] = &outrank.Pod{
			Name:       fmt.Sprintf("pod-%d", i),
			Priority:   outrank.Priority(random.Int32N(1000)),
			Containers: []outrank.Container{{Name: "main", Requests: requests}},
		}
		used = used.Plus(requests)
	}
	used[resource.Pods] = resource.New(int64(pods) + 1)
	return &outrank.Node{Name: "n1", Allocatable: used}, active
}

// sizes are the numbers of active pods, from a node as it comes to more than
// any kubelet would run.
var sizes = []int{110, 500, 5000}

// few is a critical pod that takes the room of about a dozen pods.
func few() *outrank.Pod { return newCritical([]string{"cpu", "15", "memory", "20Gi"}) }

// half is a critical pod that takes half of the node's cpu and memory.
func half(node *outrank.Node) *outrank.Pod {
	pod := newCritical(nil)
	pod.Containers[0].Requests = resource.List{
		resource.CPU:    resource.NewMilli(node.Allocatable.Amount(resource.CPU) / 2),
		resource.Memory: resource.NewBinary(node.Allocatable.Amount(resource.Memory) / 2),
	}
	return pod
}

func benchmarkAdmit(b *testing.B, node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) {
	b.ReportAllocs()
	victims := 0
	for b.Loop() {
		adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		if err != nil || !adm.OK() {
			b.Fatal(adm.Message, err)
		}
		victims = len(adm.Evictions)
	}
	b.ReportMetric(float64(victims), "victims")
}

// The common case of preemption: a critical pod on a full node.
func BenchmarkAdmit(b *testing.B) {
	for _, pods := range sizes {
		node, active := fullNode(pods)
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) { benchmarkAdmit(b, node, active, few()) })
	}
}

// Half of the node has to be evicted, up to thousands of pods.
func BenchmarkAdmitHalf(b *testing.B) {
	for _, pods := range sizes {
		node, active := fullNode(pods)
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) { benchmarkAdmit(b, node, active, half(node)) })
	}
}

// The most common case: a pod that starts without evictions.
func BenchmarkAdmitFits(b *testing.B) {
	for _, pods := range sizes {
		node, active := fullNode(pods)
		fits := newPod("fits", req("cpu", "0", "memory", "0"))
		node.Allocatable[resource.CPU] = node.Allocatable[resource.CPU].Add(resource.New(1))
		fits.Containers[0].Requests[resource.CPU] = resource.New(1)
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) { benchmarkAdmit(b, node, active, fits) })
	}
}

// Resized and recorded pods, as a cluster of today reports them: the status
// says what each container has been given, and which class the pod is of.
func BenchmarkAdmitReported(b *testing.B) {
	for _, pods := range sizes {
		node, active := fullNode(pods)
		for _, p := range active {
			c := &p.Containers[0]
			c.Limits, c.AllocatedResources, c.Actual = c.Requests.Clone(), c.Requests.Clone(), c.Requests.Clone()
			p.QOSClass, p.Phase = outrank.Guaranteed, outrank.PhaseRunning
		}
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) { benchmarkAdmit(b, node, active, few()) })
	}
}

func BenchmarkResolve(b *testing.B) {
	for _, pods := range sizes {
		_, active := fullNode(pods)
		critical := few()
		failures := []kubeletadmit.CheckFailure{lacks("cpu", 15_000), lacks("memory", 20<<30)}
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				adm, err := kubeletadmit.Resolve(critical, active, failures, kubeletadmit.Config{})
				if err != nil || !adm.OK() {
					b.Fatal(adm.Message, err)
				}
			}
		})
	}
}

// BenchmarkExact is the search for the best set on full nodes, with the steps that it
// takes. Half of the nodes have pods of few sizes, as replicas have, half of any size.
func BenchmarkExact(b *testing.B) {
	for _, pods := range []int{110, 500} {
		for _, resources := range []int{1, 2, 4} {
			for _, alike := range []bool{true, false} {
				b.Run(fmt.Sprintf("pods=%d/resources=%d/alike=%v", pods, resources, alike), func(b *testing.B) {
					cases := exactCases(pods, resources, alike)
					var steps []int
					optimal := 0
					for i := 0; b.Loop(); i++ {
						c := cases[i%len(cases)]
						adm, err := kubeletadmit.Resolve(c.pod, c.active, c.failures, kubeletadmit.Config{Exact: true})
						if err != nil || !adm.OK() {
							b.Fatal(adm.Message, err)
						}
						if len(steps) < len(cases) {
							steps = append(steps, adm.Search.Steps)
							if adm.Search.Optimal {
								optimal++
							}
						}
					}
					slices.Sort(steps)
					b.ReportMetric(float64(steps[len(steps)/2]), "steps/p50")
					b.ReportMetric(float64(steps[len(steps)*99/100]), "steps/p99")
					b.ReportMetric(float64(steps[len(steps)-1]), "steps/most")
					b.ReportMetric(float64(optimal)*100/float64(len(steps)), "%optimal")
				})
			}
		}
	}
}

// exactCase is a question of a benchmark.
type exactCase struct {
	pod      *outrank.Pod
	active   []*outrank.Pod
	failures []kubeletadmit.CheckFailure
}

// exactCases draws questions from a fixed seed.
func exactCases(pods, resources int, alike bool) (cases []exactCase) {
	r := rand.New(rand.NewPCG(1, 1))
	names := []resource.Name{"cpu", "memory", "ephemeral-storage", gpu}[:resources]
	amount := func(name resource.Name) resource.Quantity {
		n := r.Int64N(1000) + 1
		if alike {
			n = []int64{100, 250, 500, 1000}[r.IntN(4)]
		}
		if name == "cpu" {
			return resource.NewMilli(n)
		}
		return resource.NewBinary(n << 20)
	}
	for range 100 {
		c := exactCase{pod: newCritical(nil)}
		for i := range pods {
			p := newPod(fmt.Sprint("p", i), nil)
			for _, name := range names {
				if r.IntN(5) > 0 {
					p.Containers[0].Requests[name] = amount(name)
				}
			}
			if i%3 == 0 {
				p.QOSClass = outrank.Guaranteed
			}
			c.active = append(c.active, p)
		}
		for _, name := range names {
			n := resource.Amount(name, amount(name)) * int64(1+r.IntN(8))
			c.failures = append(c.failures, lacks(name, n))
		}
		cases = append(cases, c)
	}
	return cases
}
