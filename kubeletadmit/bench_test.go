package kubeletadmit_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// fullNode has as many pods as asked for and just the room that they take. A
// critical pod on top of them is short of cpu and memory.
func fullNode(pods int) (*outrank.Node, []*outrank.Pod, *outrank.Pod) {
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
	critical := newCritical([]string{"cpu", "15", "memory", "20Gi"})
	return &outrank.Node{Name: "n1", Allocatable: used}, active, critical
}

func BenchmarkAdmit(b *testing.B) {
	for _, pods := range []int{110, 500, 5000} {
		node, active, critical := fullNode(pods)
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			b.ReportAllocs()
			victims := 0
			for b.Loop() {
				adm, err := kubeletadmit.Admit(node, active, critical)
				if err != nil || !adm.OK() {
					b.Fatal(adm.Message, err)
				}
				victims = len(adm.Evictions)
			}
			b.ReportMetric(float64(victims), "victims")
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	for _, pods := range []int{110, 500, 5000} {
		_, active, critical := fullNode(pods)
		failures := []kubeletadmit.Failure{lacks("cpu", 15_000), lacks("memory", 20<<30)}
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				adm, err := kubeletadmit.Resolve(critical, active, failures)
				if err != nil || !adm.OK() {
					b.Fatal(adm.Message, err)
				}
			}
		})
	}
}
