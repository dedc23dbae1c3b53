package devices_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

// waiting is node n1 with devices a and b, of which each pod of the list holds one by a claim of
// its name, and pod mine, which claims one.
func waiting(pods ...*outrank.Pod) (devices.Objects, *outrank.Cluster) {
	node, number := "n1", int64(1)
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: resourcev1.ResourceSliceSpec{Driver: driver, NodeName: &node,
		Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: number}}}
	o := devices.Objects{Classes: []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}}, Slices: []*resourcev1.ResourceSlice{slice}}
	for i, p := range pods {
		device := string(rune('a' + i))
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{Name: device})
		o.Claims = append(o.Claims, &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: p.Name, UID: types.UID("uid-" + p.Name)},
			Status: resourcev1.ResourceClaimStatus{
				Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
					Request: "gpu", Driver: driver, Pool: node, Device: device}}}},
				ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: p.Name, UID: types.UID(p.UID)}},
			},
		})
	}
	mine := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine", UID: "uid-mine"}}
	mine.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}
	o.Claims = append(o.Claims, mine)
	o.Pods = []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine", UID: "pod-mine"},
		Spec: corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("mine")}}}}}
	all := append(pods, &outrank.Pod{Name: "mine", UID: "pod-mine", Priority: outrank.Priority(10)})
	return o, &outrank.Cluster{Nodes: []*outrank.Node{{Name: node, Allocatable: amount.MustList("pods", "100")}}, Pods: all}
}

func holder(name string, priority int32) *outrank.Pod {
	return &outrank.Pod{Name: name, UID: "pod-" + name, NodeName: "n1", Priority: outrank.Priority(priority)}
}

// askFor asks about pod mine, which has a nomination to that node; empty for none.
func askFor(t *testing.T, o devices.Objects, c *outrank.Cluster, nominated string) (*devices.Filter, *engine.Snapshot, *preemption.Plan) {
	t.Helper()
	filter, err := devices.New(o, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Eligibility: preemption.Eligibility{Refuse: filter.Refuse}})
	require.NoError(t, err)
	pod := *c.Pods[len(c.Pods)-1]
	pod.NominatedNodeName = nominated
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: &pod, Now: now})
	require.NoError(t, err)
	return filter, snap, plan
}

// A pod waits for whatever preemption has freed on its nominated node, also for another pod's
// sake and after that pod's nomination has ended; a pod that is nominated elsewhere does not.
func TestWaitsForTheNode(t *testing.T) {
	o, c := waiting(holder("a", 1), holder("b", 5))
	c.Pods = c.Pods[1:] // a is gone, its claim is still allocated
	for name, n := range map[string]*devices.Nomination{
		"another's": {Pod: "default/other", Node: "n1", Freed: []types.UID{"uid-a"}},
		"ended":     {Node: "n1", Freed: []types.UID{"uid-a"}},
	} {
		o.Nominations = []*devices.Nomination{n}
		_, _, plan := askFor(t, o, c, "n1")
		assert.Equal(t, preemption.NotEligible, plan.Outcome, name)
		assert.Equal(t, "not eligible due to claims of its victims that are still allocated: default/a.", plan.Ineligible.Message(), name)
		_, _, plan = askFor(t, o, c, "")
		assert.Equal(t, preemption.Preempts, plan.Outcome, "%s: a pod without a nomination", name)
	}
	o.Claims[0].Status = resourcev1.ResourceClaimStatus{} // given back
	o.Slices[0].Spec.Devices = o.Slices[0].Spec.Devices[1:]
	_, _, plan := askFor(t, o, c, "n1")
	assert.Equal(t, preemption.Preempts, plan.Outcome, "with all given back it may preempt again")
}

// A claim that a victim shares with a pod that ends already comes back with them.
func TestNominationCountsPodsThatEnd(t *testing.T) {
	ends := holder("ends", 50)
	ends.NodeName, ends.DeletionTimestamp = "n1", now.Add(time.Minute)
	o, c := waiting(holder("a", 1))
	o.Slices[0].Spec.Devices = append(o.Slices[0].Spec.Devices, resourcev1.Device{Name: "spare"})
	o.Claims = append(o.Claims, &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "both", UID: "uid-both"}, Status: resourcev1.ResourceClaimStatus{
		Allocation: &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
			Request: "gpu", Driver: driver, Pool: "n1", Device: "spare"}}}},
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "a", UID: "pod-a"}, {Resource: "pods", Name: "ends", UID: "pod-ends"}},
	}})
	c.Pods = append([]*outrank.Pod{ends}, c.Pods...)
	filter, snap, plan := askFor(t, o, c, "")
	require.Equal(t, preemption.Preempts, plan.Outcome)
	n, err := filter.Nomination(snap, plan)
	require.NoError(t, err)
	assert.Equal(t, []types.UID{"uid-a", "uid-both"}, n.Freed)

	ends.DeletionTimestamp = time.Time{}
	filter, snap, plan = askFor(t, o, c, "")
	n, err = filter.Nomination(snap, plan)
	require.NoError(t, err)
	assert.Equal(t, []types.UID{"uid-a"}, n.Freed, "the other consumer stays")
}

// A claim that comes free may help every pod, but for one that still waits for others on its
// node; a change of another kind helps the pods of the claim.
func TestHelps(t *testing.T) {
	o, c := waiting(holder("a", 1), holder("b", 1))
	o.Nominations = []*devices.Nomination{{Pod: "default/mine", Node: "n1", Freed: []types.UID{"uid-a", "uid-b"}}}
	mine := *c.Pods[2]
	free := func(c *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
		c = c.DeepCopy()
		c.Status = resourcev1.ResourceClaimStatus{}
		return c
	}
	filter, err := devices.New(o, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	a, b := o.Claims[0], o.Claims[1]
	assert.True(t, filter.Helps(&mine, a, free(a)), "it is not nominated")
	mine.NominatedNodeName = "n1"
	assert.False(t, filter.Helps(&mine, a, free(a)), "claim b is still allocated")
	assert.False(t, filter.Helps(&mine, a, nil), "the same, if the claim is gone at once")
	assert.False(t, filter.Helps(&mine, a, a.DeepCopy()), "nothing came free")

	o.Claims[0] = free(a)
	require.NoError(t, filter.Set(o))
	assert.True(t, filter.Helps(&mine, b, free(b)), "the last one")
	assert.False(t, filter.Helps(&mine, nil, nil))

	own := o.Claims[2]
	assert.True(t, filter.Helps(&mine, nil, own), "its own claim is there")
	assert.False(t, filter.Helps(&mine, own, own.DeepCopy()), "with the same status")
	assert.True(t, filter.Helps(&mine, own, &resourcev1.ResourceClaim{ObjectMeta: own.ObjectMeta, Status: a.Status}), "with another")
	assert.False(t, filter.Helps(&mine, nil, b), "of another pod")
	assert.False(t, filter.Helps(&mine, free(b), nil), "which held nothing")

	today, err := devices.New(o, devices.Config{})
	require.NoError(t, err)
	assert.True(t, today.Helps(&mine, b, free(b)), "v1.37 knows no nomination of claims")
}

// Of the statuses of kube-scheduler's plugin those that are about devices taken are of another
// kind with DRAPreemption.
func TestMayHelp(t *testing.T) {
	o, _ := waiting()
	for _, proposed := range []bool{false, true} {
		filter, err := devices.New(o, devices.Config{DRAPreemption: proposed})
		require.NoError(t, err)
		short := preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: devices.Name, Reasons: []string{"cannot allocate all claims"}}
		want := short.Code
		if proposed {
			want = preemption.Unschedulable
		}
		assert.Equal(t, want, filter.MayHelp(short).Code)
		for _, s := range []preemption.Status{
			{Code: preemption.UnschedulableAndUnresolvable, Filter: devices.Name, Reasons: []string{"resourceclaim not available on the node"}},
			{Code: preemption.UnschedulableAndUnresolvable, Filter: "NodeAffinity", Reasons: []string{"cannot allocate all claims"}},
			{Code: preemption.Contradiction, Filter: devices.Name},
		} {
			assert.Equal(t, s, filter.MayHelp(s))
		}
	}
}
