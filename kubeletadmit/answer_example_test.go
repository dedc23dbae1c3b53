package kubeletadmit_test

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// What the users of an evicted pod get to see, and what is counted.
func ExampleAdmission_PodStatus() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "110")}
	web := &outrank.Pod{Name: "web", Priority: outrank.Priority(0), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	proxy := &outrank.Pod{Name: "proxy", Priority: outrank.Priority(2_000_001_000), Static: true,
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}}
	adm, err := kubeletadmit.Admit(node, []*outrank.Pod{web}, proxy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(adm.OK(), adm.Metric())
	for _, e := range adm.Evictions {
		status := adm.PodStatus()
		fmt.Println(e.Pod.Key(), status.Phase, status.Reason, status.Condition)
		fmt.Println(adm.Event(e.Pod))
	}
	// Output:
	// true {kubelet_preemptions preemption_signal cpu}
	// default/web Failed Preempting DisruptionTarget=True TerminationByKubelet: Pod was preempted by Kubelet to accommodate a critical pod.
	// Warning Preempting default/web: Preempted in order to admit critical pod
}

func ExampleCheckFailure() {
	node := &outrank.Node{Name: "n1", Allocatable: resource.MustList("cpu", "1", "pods", "110")}
	active := []*outrank.Pod{{Name: "web", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "800m")}}}}
	pod := &outrank.Pod{Name: "job", NodeSelector: map[string]string{"disk": "ssd"},
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}}}
	failures, err := kubeletadmit.Admitter{}.Check(node, active, pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range failures {
		fmt.Println(f.Reason(), f.IsShortage(), f.Shortage())
	}
	// Output:
	// OutOfcpu true 300
	// NodeAffinity false 0
}
