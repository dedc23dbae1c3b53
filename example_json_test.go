package outrank_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/resource"
)

func ExamplePod_UnmarshalJSON() {
	var pods []*outrank.Pod
	err := json.Unmarshal([]byte(`[{"metadata": {"name": "a"}, "spec": {"nodeName": "n1"}}]`), &pods)
	fmt.Println(pods[0].Name, pods[0].NodeName, err)
	// Output: a n1 <nil>
}

func ExampleCluster_MarshalJSON() {
	text, err := json.Marshal(&outrank.Cluster{Namespaces: []*outrank.Namespace{{Name: "shop"}}})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"v1","kind":"List","metadata":{},"items":[{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}]} <nil>
}

func ExampleCluster_UnmarshalJSON() {
	var cluster outrank.Cluster
	err := json.Unmarshal([]byte(`{"kind": "NodeList", "items": [{"metadata": {"name": "n1"}}]}`), &cluster)
	fmt.Println(cluster.Nodes[0].Name, err)
	// Output: n1 <nil>
}

func ExamplePod_MarshalJSON() {
	text, err := json.Marshal(outrank.Pod{
		Name: "web", Priority: outrank.Priority(100), Ready: true,
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "500m")}},
	})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"priority":100,"containers":[{"name":"c","resources":{"requests":{"cpu":"500m"}}}]},"status":{"conditions":[{"type":"Ready","status":"True"}]}} <nil>
}

// An object of another kind is an error, so that none is taken for another.
func ExamplePod_UnmarshalJSON_kind() {
	var pod outrank.Pod
	fmt.Println(json.Unmarshal([]byte(`{"kind": "Deployment", "metadata": {"name": "web"}}`), &pod))
	// Output: input: kind: "Deployment" where a Pod is wanted
}

func ExampleNode_MarshalJSON() {
	text, err := json.Marshal(outrank.Node{Name: "n1", Unschedulable: true, Allocatable: resource.MustList("cpu", "4")})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"spec":{"unschedulable":true},"status":{"allocatable":{"cpu":"4"}}} <nil>
}

func ExampleNode_UnmarshalJSON() {
	var node outrank.Node
	err := json.Unmarshal([]byte(`{"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": 4}}}`), &node)
	fmt.Println(node.Name, node.Allocatable, err)
	// Output: n1 cpu: 4 <nil>
}

func ExamplePodDisruptionBudget_MarshalJSON() {
	text, err := json.Marshal(outrank.PodDisruptionBudget{Name: "web", MinAvailable: &outrank.IntOrPercent{Value: 50, Percent: true}, DisruptionsAllowed: 1})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},"spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":1}} <nil>
}

func ExamplePodDisruptionBudget_UnmarshalJSON() {
	var budget outrank.PodDisruptionBudget
	err := json.Unmarshal([]byte(`{"metadata": {"name": "web"}, "spec": {"maxUnavailable": 2}, "status": {"disruptionsAllowed": 1}}`), &budget)
	fmt.Println(budget.Name, budget.MaxUnavailable.Value, budget.DisruptionsAllowed, err)
	// Output: web 2 1 <nil>
}

func ExampleIntOrPercent_MarshalJSON() {
	text, err := json.Marshal([]outrank.IntOrPercent{{Value: 3}, {Value: 30, Percent: true}})
	fmt.Println(string(text), err)
	// Output: [3,"30%"] <nil>
}

func ExampleIntOrPercent_UnmarshalJSON() {
	var share outrank.IntOrPercent
	err := json.Unmarshal([]byte(`"30%"`), &share)
	fmt.Println(share.Value, share.Percent, err)
	// Output: 30 true <nil>
}

func ExamplePriorityClass_MarshalJSON() {
	text, err := json.Marshal(outrank.PriorityClass{Name: "high", Value: 1000, PreemptionPolicy: outrank.PreemptNever})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":"high"},"value":1000,"preemptionPolicy":"Never"} <nil>
}

func ExamplePriorityClass_UnmarshalJSON() {
	var class outrank.PriorityClass
	err := json.Unmarshal([]byte(`{"metadata": {"name": "high"}, "value": 1000}`), &class)
	fmt.Println(class.Name, class.Value, err)
	// Output: high 1000 <nil>
}

func ExampleNamespace_MarshalJSON() {
	text, err := json.Marshal(outrank.Namespace{Name: "shop", Labels: map[string]string{"env": "prod"}})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":{"env":"prod"}}} <nil>
}

func ExampleNamespace_UnmarshalJSON() {
	var namespace outrank.Namespace
	err := json.Unmarshal([]byte(`{"metadata": {"name": "shop", "labels": {"env": "prod"}}}`), &namespace)
	fmt.Println(namespace.Name, namespace.Labels["env"], err)
	// Output: shop prod <nil>
}

func ExamplePodGroup_MarshalJSON() {
	text, err := json.Marshal(outrank.PodGroup{Name: "train", Namespace: "ml", DisruptionMode: outrank.DisruptPodGroup})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{"name":"train","namespace":"ml"},"spec":{"disruptionMode":"PodGroup"}} <nil>
}

func ExampleVolumeClaim_MarshalJSON() {
	text, err := json.Marshal(outrank.VolumeClaim{Name: "data", Volume: outrank.Volume{OncePod: true}})
	fmt.Println(string(text), err)
	// Output: {"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},"spec":{"accessModes":["ReadWriteOncePod"]}} <nil>
}

func ExampleVolumeClaim_UnmarshalJSON() {
	var claim outrank.VolumeClaim
	err := json.Unmarshal([]byte(`{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOncePod"]}}`), &claim)
	fmt.Println(claim.Name, claim.Volume.OncePod, err)
	// Output: data true <nil>
}

func ExampleLabelSelector_UnmarshalJSON() {
	var selector outrank.LabelSelector
	err := json.Unmarshal([]byte(`{"matchLabels": {"app": "web"}}`), &selector)
	fmt.Println(selector.Matches(map[string]string{"app": "web"}), err)
	// Output: true <nil>
}

func ExampleAffinity_MarshalJSON() {
	text, err := json.Marshal(outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, TopologyKey: "zone",
	}}})
	fmt.Println(string(text), err)
	// Output: {"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"app":"web"}},"topologyKey":"zone"}]}} <nil>
}

func ExampleAffinity_UnmarshalJSON() {
	var affinity outrank.Affinity
	err := json.Unmarshal([]byte(`{"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}`), &affinity)
	fmt.Println(affinity.PodAffinity[0].TopologyKey, err)
	// Output: zone <nil>
}

func ExampleContainer_MarshalJSON() {
	text, err := json.Marshal(outrank.Container{Name: "c", Ports: []outrank.Port{{HostPort: 80}}, Sidecar: true})
	fmt.Println(string(text), err)
	// Output: {"name":"c","ports":[{"hostPort":80}],"restartPolicy":"Always"} <nil>
}

func ExampleContainer_UnmarshalJSON() {
	var container outrank.Container
	err := json.Unmarshal([]byte(`{"name": "c", "resources": {"requests": {"cpu": "1"}}}`), &container)
	fmt.Println(container.Name, container.Requests, err)
	// Output: c cpu: 1 <nil>
}

// A record of the caller's goes along with the pod.
func ExamplePod_value() {
	type record struct{ team string }
	pod, err := kube.ReadPod(strings.NewReader(`{"kind": "Pod", "metadata": {"name": "web"}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	pod.Value = &record{team: "shop"}
	fmt.Println(pod.Value.(*record).team)
	// Output: shop
}

// What a node has beyond the fields of its own goes along with it, for a filter to read.
func ExampleNode_value() {
	type accelerators struct{ free int }
	node := outrank.Node{Name: "gpu-1", Value: &accelerators{free: 3}}
	text, err := json.Marshal(node)
	fmt.Println(node.Value.(*accelerators).free, string(text), err)
	// Output: 3 {"apiVersion":"v1","kind":"Node","metadata":{"name":"gpu-1"}} <nil>
}

func ExamplePodGroup_UnmarshalJSON() {
	var group outrank.PodGroup
	err := json.Unmarshal([]byte(`{
		"apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
		"metadata": {"name": "train", "namespace": "ml"}, "spec": {"disruptionMode": "PodGroup", "priority": 100}
	}`), &group)
	fmt.Println(group.Key(), group.DisruptionMode, *group.Priority, err)
	// Output: ml/train PodGroup 100 <nil>
}
