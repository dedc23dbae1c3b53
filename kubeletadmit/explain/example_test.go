package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/resource"
)

// crowded is a full node with pods of each class, and a static pod for it.
func crowded() (*outrank.Node, []*outrank.Pod, *outrank.Pod) {
	guaranteed := func(name, cpu string) *outrank.Pod {
		l := resource.MustList("cpu", cpu, "memory", "1Gi")
		return &outrank.Pod{Name: name, Containers: []outrank.Container{{Requests: l, Limits: l}}}
	}
	burstable := func(name, cpu string) *outrank.Pod {
		return &outrank.Pod{Name: name, Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
	}
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "4", "memory", "8Gi", "pods", "10")}
	active := []*outrank.Pod{
		guaranteed("db", "1"), guaranteed("cache", "500m"), burstable("web", "1"), burstable("api", "900m"),
		{Name: "shell", Containers: make([]outrank.Container, 1)},
		{Name: "dns", Priority: outrank.Priority(2_000_001_000), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "600m")}}},
	}
	return node, active, &outrank.Pod{Name: "apiserver", Namespace: "kube-system", Static: true, Containers: []outrank.Container{{Requests: resource.MustList("cpu", "2500m")}}}
}

func ExampleAsk() {
	node, active, pod := crowded()
	r, err := explain.Ask(context.Background(), explain.Question{Node: node, Active: active, Pod: pod})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r.Text())
	// Output:
	// kube-system/apiserver (no priority) starts on node n1 once 3 pods have been evicted.
	// What the check found:
	//   cpu is short by 2500m: 2500m needed, 4 of 4 used
	// Who may be evicted, and who is:
	//   Guaranteed, 2 pods with cpu 1500m: has to cover cpu 600m
	//     round 1: default/db (no priority), distance 0, frees cpu 1 where 600m is needed; next would be default/cache (no priority), distance 0.02778
	//   Burstable, 2 pods with cpu 1900m: has to cover cpu 1500m
	//     round 1: default/web (no priority), distance 0.1111, frees cpu 1 where 1500m is needed; next would be default/api (no priority), distance 0.16
	//     round 2: default/api (no priority), distance 0, frees cpu 900m where 500m is needed; it is the last of its class
	//   BestEffort, 1 pod with cpu 0: nothing to cover
	//   Not to be evicted: default/dns (priority 2000001000).
}

func ExampleAdmission() {
	node, active, pod := crowded()
	pod.Containers[0].Requests = resource.MustList("cpu", "3800m")
	adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
	if err != nil {
		log.Fatal(err)
	}
	r := explain.Admission(explain.Question{Node: node, Active: active, Pod: pod}, adm)
	fmt.Println(r.Summary())
	fmt.Println(r.Failures[0].Check.Resource, "is short by", r.Failures[0].Check.Shortage(), "millicores")
	fmt.Println(r.Tiers.Items[0].Rounds.Len(), "rounds in", r.Tiers.Items[0].Class)
	fmt.Println(r.Missing[0], "missing")
	// Output:
	// kube-system/apiserver (no priority) does not start on node n1: UnexpectedAdmissionError.
	// cpu is short by 3800 millicores
	// 0 rounds in Guaranteed
	// 400m cpu missing
}
