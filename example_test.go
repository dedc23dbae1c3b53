package outrank_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

func ExampleReadCluster() {
	dump := `{"kind": "List", "items": [
		{"kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4"}}},
		{"kind": "Pod", "metadata": {"name": "web-1", "namespace": "shop"}, "spec": {"nodeName": "n1"}},
		{"kind": "Pod", "metadata": {"name": "old"}, "status": {"phase": "Succeeded"}},
		{"kind": "Service", "metadata": {"name": "web"}}
	]}`
	cluster, err := outrank.ReadCluster(strings.NewReader(dump))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(cluster.Nodes), "node,", cluster.Pods[0].Key(), "on", cluster.Pods[0].NodeName)
	fmt.Println("finished:", cluster.Finished, "skipped:", cluster.Skipped)
	// Output:
	// 1 node, shop/web-1 on n1
	// finished: 1 skipped: map[Service:1]
}

// Everything that is wrong is named at once.
func ExampleReadCluster_problems() {
	_, err := outrank.ReadCluster(strings.NewReader(`
		{"kind": "Pod", "metadata": {"name": "web-1"}, "spec": {"containers": [{"resources": {"requests": {"memory": "-1Gi"}}}]}}
		{"kind": "Node", "metadata": {"name": "n1"}, "spec": {"unschedulable": "no"}}`))
	fmt.Println(err)
	// Output:
	// node n1: spec.unschedulable: the string "no" stands where true or false belongs
	// pod default/web-1: spec.containers[0].resources.requests.memory: -1Gi is negative
}

func ExampleReadPod() {
	pod, err := outrank.ReadPod(strings.NewReader(
		`{"kind": "Pod", "metadata": {"name": "web"}, "spec": {"priority": 100, "containers": [{"resources": {"requests": {"cpu": "2"}}}]}}`))
	fmt.Println(pod.Key(), *pod.Priority, pod.Requests(), err)
	// Output: default/web 100 cpu: 2 <nil>
}

func ExampleReadManifest() {
	pod, warnings, err := outrank.ReadManifest(strings.NewReader(
		`{"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"resources": {"limits": {"cpu": "2"}}}]}}`))
	fmt.Println(pod.Key(), pod.Requests(), err)
	for _, w := range warnings {
		fmt.Println(w)
	}
	// Output:
	// default/web cpu: 2 <nil>
	// pod default/web: spec.containers[0].resources.requests: no memory; what a limit range of the namespace would set is not filled in
}

func ExamplePod_UnmarshalJSON() {
	var pods []*outrank.Pod
	err := json.Unmarshal([]byte(`[{"metadata": {"name": "a"}, "spec": {"nodeName": "n1"}}]`), &pods)
	fmt.Println(pods[0].Name, pods[0].NodeName, err)
	// Output: a n1 <nil>
}

func ExampleCluster_Validate() {
	c := outrank.Cluster{Pods: []*outrank.Pod{{Name: "a"}, {Name: "a", Namespace: "default"}}}
	fmt.Println(c.Validate())
	// Output: pod default/a: metadata.name: there are two of this name
}

func ExampleCluster_Warnings() {
	c := outrank.Cluster{Pods: []*outrank.Pod{{Name: "a", NodeName: "gone"}}}
	fmt.Println(c.Warnings()[0])
	// Output: pod default/a: spec.nodeName: no node "gone"; the pod counts nowhere
}

func ExamplePod_Requests() {
	pod := outrank.Pod{
		Containers:     []outrank.Container{{Requests: resource.MustList("cpu", "500m", "memory", "1Gi")}},
		InitContainers: []outrank.Container{{Requests: resource.MustList("cpu", "2")}},
		Overhead:       resource.MustList("cpu", "100m"),
	}
	fmt.Println(pod.Requests())
	// Output: cpu: 2100m, memory: 1Gi
}

func ExamplePod_RunningRequests() {
	pod := outrank.Pod{Containers: []outrank.Container{{
		Requests: resource.MustList("cpu", "1"), // shrunk from 2, not yet in force
		Actual:   resource.MustList("cpu", "2"),
	}}}
	fmt.Println(pod.RunningRequests())
	// Output: cpu: 2
}

func ExamplePod_KubeletRequests() {
	pod := outrank.Pod{
		Containers: []outrank.Container{{Requests: resource.MustList("memory", "1Gi")}},
		Resources:  &resource.Requirements{Requests: resource.MustList("cpu", "1")},
	}
	fmt.Println(pod.KubeletRequests())
	// Output: cpu: 1
}

func ExampleLabelSelector_Matcher() {
	s := &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "tier", Operator: outrank.NotIn, Values: []string{"db"}}}}
	m, err := s.Matcher()
	fmt.Println(m.Matches(map[string]string{"tier": "web"}), m.Matches(nil), err)
	// Output: true true <nil>
}

func ExamplePod() {
	pod := &outrank.Pod{
		Name:       "web-1",
		Priority:   outrank.Priority(100),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "500m")}},
		StartTime:  time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC),
	}
	fmt.Println(pod.Key(), pod.PriorityValue(), pod.Validate())
	// Output: default/web-1 100 <nil>
}
