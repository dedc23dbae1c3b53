package parts

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	v1resource "k8s.io/kubernetes/pkg/api/v1/resource"
	qoshelper "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
	"github.com/outrank-go/outrank/resource"
)

// podResources are the resources that drawn pods ask for, the frequent ones twice.
var podResources = []string{"cpu", "memory", "cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "example.com/x"}

func (d draw) oneIn(n int) bool { return d.IntN(n) == 0 }

// amounts draws up to three amounts, some of them fractions of a unit.
func (d draw) amounts(names []string) object {
	list := object{}
	for range d.IntN(4) {
		list[d.pick(names...)] = d.pick("0", "100m", "250m", "1", "1500m", "3", "64Mi", "1Gi", "1536Mi", "100M", "0.1", "2k")
	}
	return list
}

// resources draws requests and limits. In a third they are alike in all that makes a pod Guaranteed.
func (d draw) resources(names []string) object {
	switch d.IntN(6) {
	case 0, 1:
		alike := object{"cpu": "1", "memory": "1Gi"}
		return object{"requests": alike, "limits": alike}
	case 2:
		return object{"limits": d.amounts(names)}
	case 3:
		return object{"requests": d.amounts(names)}
	}
	return object{"requests": d.amounts(names), "limits": d.amounts(names)}
}

// podSpec draws containers of all kinds, and what the pod asks for as a whole.
func (d draw) podSpec() object {
	var containers, inits []object
	for i := range 1 + d.IntN(3) {
		containers = append(containers, object{"name": fmt.Sprint("c", i), "resources": d.resources(podResources)})
	}
	for i := range d.IntN(3) {
		c := object{"name": fmt.Sprint("i", i), "resources": d.resources(podResources)}
		if d.oneIn(2) {
			c["restartPolicy"] = "Always"
		}
		inits = append(inits, c)
	}
	spec := object{"containers": containers, "initContainers": inits}
	if d.oneIn(4) {
		spec["overhead"] = d.amounts(podResources)
	}
	if d.oneIn(4) {
		spec["resources"] = d.resources([]string{"cpu", "memory", "hugepages-2Mi"})
	}
	return spec
}

// equalAmounts reports whether an amount is the same to the last digit.
func equalAmounts(theirs string, ours resource.Quantity) bool {
	return resource.MustParse(theirs).Cmp(ours) == 0
}

// The class of a pod, and what the kubelet takes it to request, are those of Kubernetes' own helpers (chapter 3 and
// group 2.3).
func TestQOS(t *testing.T) {
	seen := map[corev1.PodQOSClass]int{}
	for i := range *cases / 4 {
		d := draw{rand.New(rand.NewPCG(*seed, uint64(i)))}
		status := object{}
		if d.oneIn(5) {
			status["qosClass"] = d.pick("BestEffort", "Burstable", "Guaranteed")
		}
		var theirs corev1.Pod
		ours := &outrank.Pod{}
		text := both(t, object{"metadata": object{"name": "p", "namespace": "default", "uid": "u"}, "spec": d.podSpec(), "status": status}, &theirs, ours)

		class := qoshelper.ComputePodQOS(&theirs)
		require.Equal(t, string(class), string(qos.Compute(outrank.V1_37, ours)), text)
		require.Equal(t, string(qoshelper.GetPodQOS(&theirs)), string(qos.Of(outrank.V1_37, ours)), text)
		seen[class]++
		for _, name := range podResources {
			want := v1resource.GetResourceRequestQuantity(theirs.DeepCopy(), corev1.ResourceName(name))
			got := ours.KubeletRequestOf(resource.Name(name))
			require.True(t, equalAmounts(want.AsDec().String(), got), "%s: the reference has %s, outrank %v\n%s", name, want.String(), got, text)
		}
	}
	t.Logf("%d pods from seed %d: %v", *cases/4, *seed, seen)
	require.Len(t, seen, 3)
}
