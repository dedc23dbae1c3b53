package kube_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/quota"
)

func ExampleReadCluster() {
	dump := `{"kind": "List", "items": [
		{"kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4"}}},
		{"kind": "Pod", "metadata": {"name": "web-1", "namespace": "shop"}, "spec": {"nodeName": "n1"}},
		{"kind": "Pod", "metadata": {"name": "old"}, "status": {"phase": "Succeeded"}},
		{"kind": "Service", "metadata": {"name": "web"}}
	]}`
	cluster, err := kube.ReadCluster(strings.NewReader(dump))
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
	_, err := kube.ReadCluster(strings.NewReader(`
		{"kind": "Pod", "metadata": {"name": "web-1"}, "spec": {"containers": [{"resources": {"requests": {"memory": "-1Gi"}}}]}}
		{"kind": "Node", "metadata": {"name": "n1"}, "spec": {"unschedulable": "no"}}`))
	fmt.Println(err)
	// Output:
	// node n1: spec.unschedulable: the string "no" stands where true or false belongs
	// pod default/web-1: spec.containers[0].resources.requests.memory: -1Gi is negative
}

func ExampleReadPod() {
	pod, err := kube.ReadPod(strings.NewReader(
		`{"kind": "Pod", "metadata": {"name": "web"}, "spec": {"priority": 100, "containers": [{"resources": {"requests": {"cpu": "2"}}}]}}`))
	fmt.Println(pod.Key(), *pod.Priority, pod.Requests(), err)
	// Output: default/web 100 cpu: 2 <nil>
}

func ExampleReadManifest() {
	pod, warnings, err := kube.ReadManifest(strings.NewReader(
		`{"kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"resources": {"limits": {"cpu": "2"}}}]}}`))
	fmt.Println(pod.Key(), pod.Requests(), err)
	for _, w := range warnings {
		fmt.Println(w)
	}
	// Output:
	// default/web cpu: 2 <nil>
	// pod default/web: spec.containers[0].resources.requests: no memory; what a limit range of the namespace would set is not filled in
}

// One pass over a dump reads what another package understands, too.
func ExampleReadClusterWith() {
	dump := `{"kind": "List", "items": [
		{"kind": "Node", "metadata": {"name": "n1"}},
		{"kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "shop"}, "spec": {"hard": {"pods": "2"}}}
	]}`
	cluster, err := kube.ReadClusterWith(strings.NewReader(dump), func(kind string, text []byte) {
		if kind != "ResourceQuota" {
			return
		}
		quotas, err := quota.Read(bytes.NewReader(text))
		fmt.Println(quotas[0].Namespace, quotas[0].Hard, err)
	})
	fmt.Println(len(cluster.Nodes), cluster.Skipped, err)
	// Output:
	// shop pods: 2 <nil>
	// 1 map[ResourceQuota:1] <nil>
}

// The volume behind a pod's claim is written as objects of its own.
func ExampleWriteCluster() {
	cluster := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", AttachLimits: map[string]int64{"disk.example.com": 2}}},
		Pods: []*outrank.Pod{{
			Name: "db", NodeName: "n1",
			Volumes: []outrank.Volume{{Claim: "data", Driver: "disk.example.com", Handle: "h1"}},
		}},
	}
	if err := kube.WriteCluster(os.Stdout, cluster); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"apiVersion":"v1","kind":"List","metadata":{},"items":[
	// {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}},
	// {"apiVersion":"storage.k8s.io/v1","kind":"CSINode","metadata":{"name":"n1"},"spec":{"drivers":[{"name":"disk.example.com","allocatable":{"count":2}}]}},
	// {"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"default.data"},"spec":{"csi":{"driver":"disk.example.com","volumeHandle":"h1"}}},
	// {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"default.data"}},
	// {"apiVersion":"v1","kind":"Pod","metadata":{"name":"db"},"spec":{"nodeName":"n1","volumes":[{"name":"volume-0","persistentVolumeClaim":{"claimName":"data"}}]}}
	// ]}
}

// Everything that Kubernetes has no words for is named at once, and nothing is written.
func ExampleWriteCluster_problems() {
	cluster := &outrank.Cluster{Pods: []*outrank.Pod{
		{Name: "a", Volumes: []outrank.Volume{{Driver: "disk.example.com"}}},
		{Name: "b", Volumes: []outrank.Volume{{Disk: outrank.Disk{Kind: outrank.RBD, ID: "image"}}}},
	}}
	fmt.Println(kube.WriteCluster(os.Stdout, cluster))
	// Output:
	// pod default/a: spec.volumes[0]: has Driver but no claim to have it from
	// pod default/b: spec.volumes[0].(disk).id: "image" is not of the form pool/image
}
