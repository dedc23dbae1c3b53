// Kubelet brings a critical pod to a full node. It shows which pods the kubelet evicts for it, why, and how,
// and which pods would leave if priority came before the class.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

func main() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "10")}
	batch, web := pod("batch", 10, "2"), pod("web", 100, "2")

	// With limits equal to its requests, batch is Guaranteed. web has no limits and is Burstable, so the
	// kubelet evicts it first although its priority is higher.
	batch.Containers[0].Limits = batch.Containers[0].Requests
	dns := pod("dns", priority.SystemCritical, "1")

	for _, config := range []kubeletadmit.Config{{}, {PriorityFirst: true}} {
		adm, err := kubeletadmit.Admit(node, []*outrank.Pod{batch, web}, dns, config)
		if err != nil {
			log.Fatal(err)
		}
		show(adm)

		// No kubelet decides by priority first, so that answer is not carried out.
		if !config.PriorityFirst {
			carryOut(adm)
		}
	}
}

// pod returns a pod that requests cpu and 1Gi of memory.
func pod(name string, priority int32, cpu string) *outrank.Pod {
	asks := []outrank.Container{{Requests: resource.MustList("cpu", cpu, "memory", "1Gi")}}
	return &outrank.Pod{Name: name, Priority: outrank.Priority(priority), Containers: asks}
}

// show prints the answer, and how much each evicted pod contributes.
func show(adm kubeletadmit.Admission) {
	fmt.Println(adm)
	for _, evicted := range adm.Evictions {
		for _, c := range evicted.Contributions {
			fmt.Println("  because it frees", c.Frees, "of the", c.Needed, "that are short of", c.Resource)
		}
	}
}

// carryOut evicts the pods. If one cannot be killed, the others are evicted all the same.
func carryOut(adm kubeletadmit.Admission) {
	results, err := kubeletadmit.Evict(context.Background(), adm, printer{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range results {
		if r.Err != nil {
			fmt.Println("  still there:", r.Pod.Key(), r.Err)
		}
	}
}

// printer is a kubelet that prints what a real one would do.
type printer struct{}

func (printer) Record(event outrank.Event) { fmt.Println("  event:", event) }

func (printer) Kill(_ context.Context, pod *outrank.Pod, _ kubeletadmit.PodStatus) error {
	fmt.Println("  kill:", pod.Key())
	return nil
}
