package devices_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	amount "github.com/outrank-go/outrank/resource"
)

// taken is a cluster in which every device is taken, each by a pod of its own, and a pod that
// wants so many.
func taken(nodes, perNode int, wants int64) (*outrank.Cluster, devices.Objects, *outrank.Pod) {
	c, o := &outrank.Cluster{}, devices.Objects{Classes: []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}, Spec: resourcev1.DeviceClassSpec{
		Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "` + driver + `"`}}},
	}}}}
	pod := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, UID: "uid-" + name, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: amount.MustList("cpu", "1")}}}
	}
	uses := func(p *outrank.Pod) *resourcev1.ResourceClaim {
		k := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: types.UID("claim-" + p.Name)}}
		o.Pods = append(o.Pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: "default", UID: types.UID(p.UID)}, Spec: corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &k.Name}}}})
		o.Claims = append(o.Claims, k)
		return k
	}
	for i := range nodes {
		n := &outrank.Node{Name: fmt.Sprintf("g%04d", i), Labels: map[string]string{"kubernetes.io/hostname": fmt.Sprint(i)}, Allocatable: amount.MustList("cpu", "64", "pods", "110")}
		c.Nodes = append(c.Nodes, n)
		s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: n.Name + "-gpus"}, Spec: resourcev1.ResourceSliceSpec{Driver: driver, NodeName: &n.Name, Pool: resourcev1.ResourcePool{Name: n.Name, ResourceSliceCount: 1}}}
		for j := range perNode {
			numa := int64(j / 4)
			s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("gpu-", j), Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"numa": {IntValue: &numa}}})
			p := pod(fmt.Sprintf("p%04d-%d", i, j), int32((i*7+j*3)%50))
			p.NodeName = n.Name
			c.Pods = append(c.Pods, p)
			k := uses(p)
			k.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: p.Name, UID: types.UID(p.UID)}}
			k.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpus", Driver: driver, Pool: n.Name, Device: fmt.Sprint("gpu-", j)}}}}
		}
		o.Slices = append(o.Slices, s)
	}
	mine := pod("mine", 100)
	k := uses(mine)
	numa := resourcev1.FullyQualifiedName(driver + "/numa")
	k.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpus", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: wants}}}
	k.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{MatchAttribute: &numa}}
	return c, o, mine
}

// The allocator is asked once for each kind of node and state: 1,000 nodes that are alike are one
// kind, and the answer is that of asking about each.
func TestAsksOncePerKind(t *testing.T) {
	cluster, objects, pod := taken(60, 4, 2)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	filter, err := devices.New(objects, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
	require.NoError(t, err)
	_, err = eval.Explain(context.Background(), snap, preemption.Request{Pod: pod})
	require.NoError(t, err)
	require.LessOrEqual(t, filter.Asked(), 1<<4, "the states of four devices")
	require.Greater(t, filter.Asked(), 0)
	asked := filter.Asked()
	_, err = eval.Explain(context.Background(), snap, preemption.Request{Pod: pod})
	require.NoError(t, err)
	require.Equal(t, asked, filter.Asked(), "everything is known by now")
}
