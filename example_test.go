package outrank_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

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
	fmt.Println(pod.RunningRequests(outrank.DefaultRelease))
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

func ExamplePod_Finished() {
	pod := outrank.Pod{Name: "batch", Phase: outrank.PhaseSucceeded}
	fmt.Println(pod.Finished())
	// Output: true
}

func ExampleLabelSelector_Matcher() {
	s := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "tier", Operator: outrank.NotIn, Values: []string{"db"}}}}
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

// While a running pod is resized, the scheduler counts it with the largest of
// what it asks for, what is set aside and what is in force.
func ExamplePod_RunningRequestOf() {
	p := &outrank.Pod{Name: "web", Containers: []outrank.Container{{
		Requests: resource.MustList("cpu", "1"), Actual: resource.MustList("cpu", "2"), AllocatedResources: resource.MustList("cpu", "1500m"),
	}}}
	fmt.Println(p.RequestOf("cpu"), p.RunningRequestOf(outrank.DefaultRelease, "cpu"), p.KubeletRequestOf("cpu"))
	// Output:
	// 1 2 1
}

// Two containers are resized in opposite directions. v1.36 counts each with its
// largest, v1.37 the larger of the two sums.
func ExamplePod_RunningRequests_releases() {
	p := &outrank.Pod{Name: "web", Containers: []outrank.Container{
		{Requests: resource.MustList("cpu", "500m"), Actual: resource.MustList("cpu", "100m")},
		{Requests: resource.MustList("cpu", "100m"), Actual: resource.MustList("cpu", "500m")},
	}}
	for _, r := range outrank.Releases() {
		fmt.Println(r, p.RunningRequests(r), p.RunningRequestOf(r, "cpu"))
	}
	// Output:
	// v1.36 cpu: 1 1
	// v1.37 cpu: 600m 600m
}

func ExamplePod_Tolerates() {
	gpu := outrank.Taint{Key: "gpu", Value: "a", Effect: outrank.NoSchedule}
	equal := outrank.Toleration{Key: "gpu", Value: "b"}
	exists := outrank.Toleration{Key: "gpu", Operator: outrank.TolerationExists}
	fmt.Println(equal.Tolerates(gpu), exists.Tolerates(gpu))
	p := &outrank.Pod{Name: "job", Tolerations: []outrank.Toleration{equal, exists}}
	fmt.Println(p.Tolerates(gpu))
	// Output:
	// false true
	// true
}

func ExamplePod_FilledRequestOf() {
	p := &outrank.Pod{Containers: []outrank.Container{{Name: "a", Requests: resource.MustList("cpu", "1")}, {Name: "b"}}}
	fmt.Println(p.RunningRequestOf(outrank.V1_37, "cpu"), p.FilledRequestOf(outrank.V1_37, "cpu", resource.MustParse("100m")))
	// Output: 1 1100m
}
