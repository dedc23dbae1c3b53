package lockstep

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

const (
	gpu   corev1.ResourceName = "example.com/gpu"
	fpga  corev1.ResourceName = "example.com/fpga"
	pages corev1.ResourceName = "hugepages-2Mi"
)

// amounts are the requests of pods for a resource: few different ones, so that
// they tie, and some that cannot be divided evenly.
var amounts = map[corev1.ResourceName][]string{
	corev1.ResourceCPU:              {"0", "100m", "250m", "250m", "500m", "1", "1", "333m", "1500u"},
	corev1.ResourceMemory:           {"0", "64Mi", "128Mi", "128Mi", "1Gi", "100M", "1"},
	corev1.ResourceEphemeralStorage: {"0", "1Gi", "1Gi", "2Gi"},
	gpu:                             {"0", "1", "1", "2"},
	fpga:                            {"1", "3"},
	pages:                           {"2Mi", "4Mi"},
}

// resources in the order in which they are drawn, and of how many lists one has them.
var drawn = []struct {
	name corev1.ResourceName
	in   int
}{
	{corev1.ResourceCPU, 2}, {corev1.ResourceMemory, 2}, {corev1.ResourceEphemeralStorage, 6},
	{gpu, 6}, {fpga, 12}, {pages, 10},
}

func drawList(t *rapid.T, level string, podLevel bool) corev1.ResourceList {
	list := corev1.ResourceList{}
	for _, r := range drawn {
		if podLevel && r.name != corev1.ResourceCPU && r.name != corev1.ResourceMemory && r.name != pages {
			continue
		}
		if one(t, r.in, level+" has "+string(r.name)) {
			list[r.name] = resource.MustParse(pick(t, string(r.name), amounts[r.name]...))
		}
	}
	return list
}

// drawRequirements draws requests and limits that the API server would take: limits are
// no less than requests, and equal for resources that cannot be overcommitted.
func drawRequirements(t *rapid.T, level string, podLevel bool) corev1.ResourceRequirements {
	requests := drawList(t, level, podLevel)
	limits := corev1.ResourceList{}
	form := rapid.IntRange(0, 3).Draw(t, level+" limits")
	for _, r := range drawn {
		amount, ok := requests[r.name]
		if !ok {
			continue
		}
		switch {
		case form == 1 || r.name == gpu || r.name == fpga || r.name == pages:
			limits[r.name] = amount
		case form == 2 && one(t, 2, "limit of "+string(r.name)):
			amount.Add(resource.MustParse("1"))
			limits[r.name] = amount
		}
	}
	if form == 3 && len(requests) == 0 {
		requests = nil
	}
	return corev1.ResourceRequirements{Requests: requests, Limits: limits}
}

func drawPorts(t *rapid.T) []corev1.ContainerPort {
	if !one(t, 6, "ports") {
		return nil
	}
	return []corev1.ContainerPort{{
		ContainerPort: 80,
		HostPort:      pick[int32](t, "host port", 0, 80, 81),
		HostIP:        pick(t, "host ip", "", "", "0.0.0.0", "10.0.0.1", "10.0.0.2"),
		Protocol:      pick(t, "protocol", corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP),
	}}
}

// drawPod draws a pod as the kubelet of the node sees it.
func drawPod(t *rapid.T, name, node string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID("uid-" + name), Annotations: map[string]string{}},
		Spec:       corev1.PodSpec{NodeName: node},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	if !one(t, 8, "no priority") {
		priority := pick[int32](t, "priority", 0, 0, 0, 0, -10, 100, 1000, 1999999999, 5, 2000000000, 2000001000)
		pod.Spec.Priority = &priority
	}
	switch below(t, 24, "source") {
	case 1:
		pod.Annotations["kubernetes.io/config.source"] = "file"
	case 2:
		pod.Annotations["kubernetes.io/config.mirror"] = "hash"
	case 3:
		pod.Annotations["kubernetes.io/config.source"] = "api"
	}
	for i := range 1 + below(t, 3, "containers") {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: fmt.Sprint("c", i), Resources: drawRequirements(t, "container", false), Ports: drawPorts(t),
		})
	}
	if one(t, 5, "init containers") {
		for i := range 1 + below(t, 2, "how many") {
			c := corev1.Container{Name: fmt.Sprint("i", i), Resources: drawRequirements(t, "init container", false)}
			if one(t, 2, "sidecar") {
				always := corev1.ContainerRestartPolicyAlways
				c.RestartPolicy, c.Ports = &always, drawPorts(t)
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		}
	}
	if one(t, 8, "overhead") {
		pod.Spec.Overhead = drawList(t, "overhead", false)
	}
	if one(t, 5, "pod level") {
		r := drawRequirements(t, "pod", true)
		pod.Spec.Resources = &r
	}
	if one(t, 4, "status") {
		drawResize(t, pod)
	}
	if one(t, 10, "recorded class") {
		pod.Status.QOSClass = pick(t, "class", corev1.PodQOSBestEffort, corev1.PodQOSBurstable, corev1.PodQOSGuaranteed)
	}
	if one(t, 10, "deleted") {
		at := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
		pod.DeletionTimestamp = &at
	}
	return pod
}

// drawResize draws the status of a resize in place.
func drawResize(t *rapid.T, pod *corev1.Pod) {
	if reason := pick(t, "pending", "", corev1.PodReasonDeferred, corev1.PodReasonInfeasible); reason != "" {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: reason}}
	}
	reported := func(c corev1.Container) corev1.ContainerStatus {
		s := corev1.ContainerStatus{Name: c.Name}
		if one(t, 2, "allocated") {
			s.AllocatedResources = drawList(t, "allocated", false)
		}
		if one(t, 2, "actual") {
			r := drawRequirements(t, "actual", false)
			s.Resources = &r
		}
		return s
	}
	for _, c := range pod.Spec.Containers {
		if !one(t, 3, "no status") {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, reported(c))
		}
	}
	for _, c := range pod.Spec.InitContainers {
		if !one(t, 3, "no status") {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, reported(c))
		}
	}
	if one(t, 3, "pod allocated") {
		pod.Status.AllocatedResources = drawList(t, "pod allocated", true)
	}
	if one(t, 3, "pod actual") {
		r := drawRequirements(t, "pod actual", true)
		pod.Status.Resources = &r
	}
}

// drawIncoming draws the pod that asks to be admitted: often a critical one, with
// demands on the node that running pods need not have.
func drawIncoming(t *rapid.T, node string) *corev1.Pod {
	pod := drawPod(t, "incoming", pick(t, "bound to", node, node, node, node, node, node, node, "", "other"))
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	pod.DeletionTimestamp = nil
	if one(t, 2, "critical") {
		critical := int32(2000000000)
		pod.Spec.Priority = &critical
	}
	switch below(t, 31, "demand") {
	case 1:
		pod.Spec.NodeSelector = map[string]string{"zone": pick(t, "zone", "a", "b")}
	case 2:
		pod.Spec.NodeSelector = map[string]string{corev1.LabelOSStable: pick(t, "system", "linux", "windows")}
	case 3:
		op := pick(t, "operator", corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist)
		e := corev1.NodeSelectorRequirement{Key: pick(t, "key", "zone", corev1.LabelOSStable), Operator: op}
		if op == corev1.NodeSelectorOpIn || op == corev1.NodeSelectorOpNotIn {
			e.Values = []string{pick(t, "value", "a", "linux")}
		}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{e}}},
		}}}
	case 4:
		pod.Labels = map[string]string{corev1.LabelOSStable: pick(t, "label", "linux", "windows")}
	case 5:
		pod.Spec.OS = &corev1.PodOS{Name: pick(t, "os", corev1.Linux, corev1.Windows)}
	case 6:
		policy := pick(t, "groups", corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)
		pod.Spec.SecurityContext = &corev1.PodSecurityContext{SupplementalGroupsPolicy: &policy}
	}
	if !one(t, 3, "tolerates nothing") {
		pod.Spec.Tolerations = []corev1.Toleration{{
			Key:      pick(t, "tolerated", "", "", "a", "b"),
			Operator: corev1.TolerationOpExists,
			Effect:   pick(t, "effect", "", corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule),
		}}
	}
	return pod
}

// drawNode draws the node.
func drawNode(t *rapid.T) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}}
	if !one(t, 10, "no labels") {
		node.Labels = map[string]string{"kubernetes.io/hostname": "node"}
		if one(t, 2, "zone") {
			node.Labels["zone"] = pick(t, "zone", "a", "b")
		}
		if !one(t, 10, "no system") {
			node.Labels[corev1.LabelOSStable] = "linux"
		}
	}
	allocatable := corev1.ResourceList{}
	for _, r := range []struct {
		name    corev1.ResourceName
		amounts []string
	}{
		{corev1.ResourcePods, []string{"110", "110", "110", "110", "12", "9", "8", "6", "4", "0"}},
		{corev1.ResourceCPU, []string{"2", "4", "2500m", "3", "3500m", "4500m", "6", "1", "0", ""}},
		{corev1.ResourceMemory, []string{"2Gi", "8Gi", "1Gi", "1500Mi", "900Mi", "600Mi", "3Gi", "300Mi", ""}},
		{corev1.ResourceEphemeralStorage, []string{"100Gi", "4Gi", "2Gi", "3Gi", "5Gi", ""}},
		{gpu, []string{"", "4", "2", "3", "0"}},
		{fpga, []string{"", "2", "8"}},
		{pages, []string{"8Mi", "16Mi", "12Mi", "", "0"}},
	} {
		if amount := pick(t, "node's "+string(r.name), r.amounts...); amount != "" {
			allocatable[r.name] = resource.MustParse(amount)
		}
	}
	node.Status.Allocatable, node.Status.Capacity = allocatable, allocatable
	if one(t, 4, "taint") {
		node.Spec.Taints = []corev1.Taint{{
			Key:    pick(t, "taint", "a", "b"),
			Effect: pick(t, "effect", corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute, corev1.TaintEffectNoSchedule),
		}}
	}
	if one(t, 2, "features") {
		supported := one(t, 2, "strict groups")
		node.Status.Features = &corev1.NodeFeatures{SupplementalGroupsPolicy: &supported}
	}
	return node
}
