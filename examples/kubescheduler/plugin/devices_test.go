package plugin_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	ktesting "k8s.io/client-go/testing"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	"github.com/outrank-go/outrank/preemption"
)

const gpuDriver = "gpu.example.com"

// newDevices is a cluster with DRAPreemption on.
func newDevices(t *testing.T, objects ...apiruntime.Object) *cluster {
	versions := &atomic.Int64{}
	for i, o := range objects {
		if claim, ok := o.(*resourcev1.ResourceClaim); ok {
			claim.ResourceVersion = strconv.Itoa(i + 1)
		}
	}
	versions.Store(int64(len(objects)))
	c := newCluster(t, objects...)
	numbered := func(action ktesting.Action) (bool, apiruntime.Object, error) {
		var o apiruntime.Object
		switch a := action.(type) {
		case ktesting.UpdateAction: // a create action has the same methods
			o = a.GetObject()
		}
		m, err := meta.Accessor(o)
		if err == nil { // the scheduler tells versions of a claim apart
			m.SetResourceVersion(strconv.FormatInt(versions.Add(1), 10))
		}
		return false, nil, nil
	}
	c.api.PrependReactor("update", "resourceclaims", numbered)
	c.api.PrependReactor("create", "resourceclaims", numbered)
	c.withArgs(`{"draPreemption": true}`)
	c.profile.Plugins.PreFilter = configv1.PluginSet{Enabled: []configv1.Plugin{{Name: plugin.Name}}}
	return c
}

// deviceClass selects every device.
func deviceClass() *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
}

// gpus are the devices of a node.
func gpus(node string, names ...string) *resourcev1.ResourceSlice {
	s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: gpuDriver, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}}}
	for _, name := range names {
		s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: name})
	}
	return s
}

// claimOf is the claim of a pod, which names it so.
func claimOf(pod string) *resourcev1.ResourceClaim {
	c := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pod + "-gpu", UID: types.UID("uid-" + pod + "-gpu")}}
	c.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: &resourcev1.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}
	return c
}

// heldBy is that claim with a device of a node.
func heldBy(pod, node, device string) *resourcev1.ResourceClaim {
	c := claimOf(pod)
	c.Status = resourcev1.ResourceClaimStatus{
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: pod, UID: types.UID("uid-" + pod)}},
		Allocation: &resourcev1.AllocationResult{
			NodeSelector: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchFields: []v1.NodeSelectorRequirement{{
				Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{node}}}}}},
			Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{Request: "gpu", Driver: gpuDriver, Pool: node, Device: device}}},
		},
	}
	return c
}

// claiming is a pod with its claim.
func claiming(pod *v1.Pod) *v1.Pod {
	name := pod.Name + "-gpu"
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	return pod
}

// deallocate does what the controller for claims does when nobody uses a claim any more.
func (c *cluster) deallocate(pod string) {
	c.t.Helper()
	claims := c.api.ResourceV1().ResourceClaims("default")
	claim, err := claims.Get(c.t.Context(), pod+"-gpu", metav1.GetOptions{})
	require.NoError(c.t, err)
	claim = claim.DeepCopy()
	claim.Status = resourcev1.ResourceClaimStatus{}
	_, err = claims.UpdateStatus(c.t.Context(), claim, metav1.UpdateOptions{})
	require.NoError(c.t, err)
}

// device is the device that a pod's claim has; empty for none.
func (c *cluster) device(pod string) string {
	claim, err := c.api.ResourceV1().ResourceClaims("default").Get(c.t.Context(), pod+"-gpu", metav1.GetOptions{})
	require.NoError(c.t, err)
	if claim.Status.Allocation == nil {
		return ""
	}
	r := claim.Status.Allocation.Devices.Results[0]
	return r.Pool + "/" + r.Device
}

// wakes lets pods be tried again that wait for devices, and waits until so many decisions were made.
func (c *cluster) wakes(slice *resourcev1.ResourceSlice) {
	c.t.Helper()
	before := len(c.decided())
	slice = slice.DeepCopy()
	slice.Spec.Devices[0].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"tried": {IntValue: new(int64(before))}}
	_, err := c.api.ResourceV1().ResourceSlices().Update(c.t.Context(), slice, metav1.UpdateOptions{})
	require.NoError(c.t, err)
	c.eventually("tried again", func() bool { return len(c.decided()) > before })
}

func (c *cluster) outcome() string {
	all := c.decided()
	last := all[len(all)-1]
	if last.Err != nil {
		return last.Err.Error()
	}
	if last.Plan.Ineligible.Message() != "" {
		return last.Plan.Ineligible.Message()
	}
	return string(last.Plan.Outcome)
}

// The pod with the lowest priority gives its device to the urgent pod. While the device is on its
// way nobody else is told to go, however often the pod is tried, and in the end it runs with it.
func TestDevices(t *testing.T) {
	for _, synchronous := range []bool{false, true} {
		slow := gpus("n2", "b")
		c := newDevices(t, node("n1", "4"), node("n2", "4"), deviceClass(), gpus("n1", "a"), slow,
			heldBy("low", "n1", "a"), heldBy("mid", "n2", "b"), claimOf("high"),
			claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n2", 1)))
		c.options.Synchronous = &synchronous
		c.run()
		c.create(claiming(pending("high", 10, "1")))
		c.nominated("high", "n1")
		c.eventually("low is gone", func() bool { return c.pod("low") == nil })
		first := c.decided()[0]
		require.NotNil(t, first.Nomination)
		assert.Equal(t, []types.UID{"uid-low-gpu"}, first.Nomination.Freed)
		for range 3 {
			c.wakes(slow)
			assert.Equal(t, "not eligible due to claims of its victims that are still allocated: default/low-gpu.", c.outcome())
		}
		assert.Equal(t, 1, c.deletions())
		assert.Empty(t, c.pod("high").Spec.NodeName)

		c.deallocate("low")
		c.isOn("high", "n1")
		assert.Equal(t, "n1/a", c.device("high"))
		assert.Equal(t, 1, c.deletions())
		assert.NotNil(t, c.pod("mid"))
	}
}

// Without the argument everything is as v1.37 has it: nobody is evicted for devices.
func TestDevicesByDefault(t *testing.T) {
	c := newDevices(t, node("n1", "4"), deviceClass(), gpus("n1", "a"), heldBy("low", "n1", "a"), claimOf("high"), claiming(running("low", 1, "1", "n1", 0)))
	c.withArgs(`{}`)
	c.profile.Plugins.PreFilter = configv1.PluginSet{}
	c.run()
	c.create(claiming(pending("high", 10, "1")))
	c.eventually("told", func() bool { return len(c.recorder.about("high Warning FailedScheduling")) > 0 })
	assert.Contains(t, c.recorder.about("high Warning FailedScheduling")[0], "cannot allocate all claims")
	assert.Equal(t, string(preemption.NothingHelps), c.outcome())
	assert.Zero(t, c.deletions())
}

// lateGate keeps pod high out of the queue for a while.
type lateGate struct {
	keeps atomic.Bool
	kept  atomic.Int64
}

func (*lateGate) Name() string { return "Late" }

func (g *lateGate) PreEnqueue(_ context.Context, pod *v1.Pod) *fwk.Status {
	if pod.Name != "high" || !g.keeps.Load() {
		return nil
	}
	g.kept.Add(1)
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "late")
}

// open lets the pod in.
func (g *lateGate) open(c *cluster) {
	c.t.Helper()
	g.keeps.Store(false)
	c.grows("n2", "5")
}

// A device that came free for a nominated pod is not for another one of its priority, and one that
// is more important takes it; then the first pod may preempt again.
func TestDevicesAreHeld(t *testing.T) {
	for _, more := range []int32{0, 1} {
		other := pending("other", 10+more, "1")
		other.Spec.PreemptionPolicy = new(v1.PreemptNever)
		c := newDevices(t, node("n1", "4"), node("n2", "4"), deviceClass(), gpus("n1", "a"), gpus("n2", "b"),
			heldBy("low", "n1", "a"), heldBy("mid", "n2", "b"), claimOf("high"), claimOf("other"),
			claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n2", 1)))
		late := &lateGate{} // the nominated pod comes late
		c.registry = runtime.Registry{late.Name(): func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return late, nil }}
		c.profile.Plugins.MultiPoint.Enabled = append(c.profile.Plugins.MultiPoint.Enabled, configv1.Plugin{Name: late.Name()})
		c.run()
		c.create(claiming(pending("high", 10, "1")))
		c.nominated("high", "n1")
		c.eventually("low is gone", func() bool { return c.pod("low") == nil })
		c.eventually("tried once more", func() bool { return len(c.decided()) == 2 })
		late.keeps.Store(true)
		c.deallocate("low")
		c.eventually("kept", func() bool { return late.kept.Load() > 0 })
		c.create(claiming(other))
		if more == 0 {
			c.eventually("told", func() bool { return len(c.recorder.about("other Warning FailedScheduling")) > 0 })
			assert.Contains(t, c.recorder.about("other Warning FailedScheduling")[0], "0/2 nodes are available: 2 cannot allocate all claims.")
			late.open(c)
			c.isOn("high", "n1")
			assert.Equal(t, "n1/a", c.device("high"))
			assert.Empty(t, c.device("other"))
			assert.Equal(t, 1, c.deletions())
			continue
		}
		c.isOn("other", "n1")
		assert.Equal(t, "n1/a", c.device("other"))
		late.open(c)
		c.eventually("mid is gone", func() bool { return c.pod("mid") == nil })
		c.nominated("high", "n2")
		c.deallocate("mid")
		c.isOn("high", "n2")
		assert.Equal(t, "n2/b", c.device("high"))
		assert.Equal(t, 2, c.deletions())
	}
}

// When a nomination ends whose devices are free, those that found them held are tried again at
// once: no claim changes then, which would wake them.
func TestEndOfNominationWakes(t *testing.T) {
	for how, end := range map[string]func(*cluster){
		"the pod goes": func(c *cluster) {
			require.NoError(c.t, c.api.Tracker().Delete(v1.SchemeGroupVersion.WithResource("pods"), "default", "high"))
		},
		"it loses the nomination": func(c *cluster) {
			pod := c.pod("high").DeepCopy()
			pod.Status.NominatedNodeName = ""
			require.NoError(c.t, c.api.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), pod, "default"))
		},
	} {
		hog, high := running("hog", 1, "1", "n1", 0), claiming(pending("high", 10, "1"))
		for _, pod := range []*v1.Pod{hog, high} { // of which the node can have one, and devices enough
			pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: v1.ProtocolTCP}}
		}
		c := newDevices(t, node("n1", "4"), deviceClass(), gpus("n1", "a"), claimOf("high"), claimOf("small"), hog)
		c.api.PrependReactor("delete", "pods", c.graceful)
		c.run()
		c.create(high)
		c.nominated("high", "n1")
		require.NotNil(t, c.decided()[0].Nomination, how)
		assert.Empty(t, c.decided()[0].Nomination.Freed, "the device is free")
		c.create(claiming(pending("small", 10, "1")))
		c.eventually("told", func() bool { return len(c.recorder.about("small Warning FailedScheduling")) > 0 })
		assert.Contains(t, c.recorder.about("small Warning FailedScheduling")[0], "1 cannot allocate all claims")
		end(c)
		c.isOn("small", "n1")
		assert.Equal(t, "n1/a", c.device("small"), how)
	}
}

// A claim that another pod has taken over since does not come back, and is not waited for.
func TestClaimsTakenOverAreNotWaitedFor(t *testing.T) {
	c := newDevices(t, node("n1", "4"), node("n2", "4"), deviceClass(), gpus("n1", "a"), gpus("n2", "b"),
		heldBy("low", "n1", "a"), heldBy("mid", "n2", "b"), claimOf("high"),
		claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n2", 1)), running("heir", 100, "1", "n1", 0))
	c.run()
	c.create(claiming(pending("high", 10, "1")))
	c.nominated("high", "n1")
	c.eventually("low is gone", func() bool { return c.pod("low") == nil })
	claims := c.api.ResourceV1().ResourceClaims("default")
	claim := heldBy("low", "n1", "a")
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "heir", UID: "uid-heir"}}
	_, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	require.NoError(t, err)
	c.triedUntil("it preempts again", gpus("n2", "b"), func() bool { return c.pod("mid") == nil })
	c.nominated("high", "n2")
}

// Extended resources that a class backs are devices, too.
func TestDevicesByExtendedResource(t *testing.T) {
	class := deviceClass()
	class.Spec.ExtendedResourceName = new("example.com/gpu")
	c := newDevices(t, node("n1", "4"), class, gpus("n1", "a"), heldBy("low", "n1", "a"), claiming(running("low", 1, "1", "n1", 0)))
	c.run()
	pod := pending("high", 10, "1")
	pod.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
	pod.Spec.Containers[0].Resources.Limits = v1.ResourceList{"example.com/gpu": resource.MustParse("1")}
	c.create(pod)
	c.nominated("high", "n1")
	c.eventually("low is gone", func() bool { return c.pod("low") == nil })
	c.deallocate("low")
	c.isOn("high", "n1")
	assert.Equal(t, 1, c.deletions())
}

// Where the plugin comes too late to hold devices, no pod with claims is scheduled.
func TestDevicesNeedTheirPlace(t *testing.T) {
	c := newDevices(t, node("n1", "4"), deviceClass(), gpus("n1", "a"), claimOf("high"))
	c.profile.Plugins.PreFilter = configv1.PluginSet{}
	c.run()
	c.create(claiming(pending("high", 10, "1")), pending("plain", 10, "1"))
	c.isOn("plain", "n1")
	c.eventually("told", func() bool { return len(c.recorder.about("high Warning FailedScheduling")) > 0 })
	assert.Contains(t, c.recorder.about("high Warning FailedScheduling")[0], "Outrank has to be enabled in preFilter, too, where it comes before DynamicResources: the argument draPreemption takes that")
}

// Feature gates that the filter does not know keep the scheduler from starting.
func TestDevicesAndFeatureGates(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.DRAListTypeAttributes, true)
	raw := &apiruntime.Unknown{Raw: []byte(`{"draPreemption": true}`), ContentType: apiruntime.ContentTypeJSON}
	_, err := plugin.New(t.Context(), raw, &handle{c: newCluster(t)})
	require.EqualError(t, err, "Outrank: args: draPreemption: it takes the default of feature gate DRAListTypeAttributes")
}

// An allocation that is not yet written counts: the device of a pod that is about to be bound is not
// free, and that pod gives nothing back.
func TestDevicesInFlight(t *testing.T) {
	for _, extended := range []bool{false, true} {
		class := deviceClass()
		class.Spec.ExtendedResourceName = new("example.com/gpu")
		c := newDevices(t, node("n1", "4"), class, gpus("n1", "a", "b"), heldBy("low", "n1", "a"), claimOf("first"), claimOf("high"), claiming(running("low", 1, "1", "n1", 0)))
		c.registry = runtime.Registry{"Wait": func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) { return permit{}, nil }}
		c.profile.Plugins.MultiPoint.Enabled = append(c.profile.Plugins.MultiPoint.Enabled, configv1.Plugin{Name: "Wait"})
		c.run()
		first := claiming(pending("first", 1, "1"))
		if extended {
			first = pending("first", 1, "1")
			first.Spec.Containers[0].Resources.Requests["example.com/gpu"] = resource.MustParse("1")
		}
		c.create(first)
		c.eventually("waits", func() bool {
			waits := false
			c.scheduler.Profiles["default-scheduler"].IterateOverWaitingPods(func(fwk.WaitingPod) { waits = true })
			return waits
		})
		c.create(claiming(pending("high", 10, "1")))
		c.nominated("high", "n1")
		victims := c.decided()[0].Plan.Victims
		require.Len(t, victims, 1, "extended %v", extended)
		assert.Equal(t, "low", victims[0].Pod.Name)
	}
}

// Beside a filter that the module does not know, claims are decided about by the same rules.
func TestDevicesAndUnknownFilters(t *testing.T) {
	loud := func(pod *v1.Pod) *v1.Pod { pod.Labels = map[string]string{"loud": "yes"}; return pod }
	c := newDevices(t, node("n1", "8"), deviceClass(), gpus("n1", "a"), heldBy("low", "n1", "a"), claimOf("high"),
		claiming(running("low", 1, "1", "n1", 0)), running("quiet", 1, "1", "n1", 0), loud(running("noise", 2, "1", "n1", 0)))
	c.with(func(pod *v1.Pod, on fwk.NodeInfo) *fwk.Status {
		for _, other := range on.GetPods() {
			if pod.Labels["loud"] != "" && other.GetPod().Labels["loud"] != "" && other.GetPod().UID != pod.UID {
				return fwk.NewStatus(fwk.Unschedulable, "too loud")
			}
		}
		return nil
	})
	c.run()
	c.create(loud(claiming(pending("high", 10, "1"))))
	c.nominated("high", "n1")
	c.eventually("both are gone", func() bool { return c.pod("low") == nil && c.pod("noise") == nil })
	assert.NotNil(t, c.pod("quiet"))
	c.deallocate("low")
	c.isOn("high", "n1")
}

// What the API does not have yet counts: the pod that was just nominated waits for the claims of
// its victims although the API says nothing of the nomination.
func TestDevicesOfNominationInMemory(t *testing.T) {
	slow := gpus("n2", "b")
	c := newDevices(t, node("n1", "4"), node("n2", "4"), deviceClass(), gpus("n1", "a"), slow,
		heldBy("low", "n1", "a"), heldBy("mid", "n2", "b"), claimOf("high"),
		claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n2", 1)))
	c.api.PrependReactor("patch", "pods", func(action ktesting.Action) (bool, apiruntime.Object, error) {
		patch := action.(ktesting.PatchAction)
		return patch.GetName() == "high", &v1.Pod{}, nil // accepted, and not to be seen
	})
	c.run()
	c.create(claiming(pending("high", 10, "1")))
	c.eventually("low is gone", func() bool { return c.pod("low") == nil })
	for range 4 {
		c.wakes(slow)
		assert.Equal(t, "not eligible due to claims of its victims that are still allocated: default/low-gpu.", c.outcome())
	}
	assert.Empty(t, c.pod("high").Status.NominatedNodeName)
	assert.Equal(t, 1, c.deletions())
}

// A plan that is not carried out leaves no nomination of claims: the pod does not wait for those of
// pods that stay, and preempts again.
func TestDevicesOfPlanThatFails(t *testing.T) {
	for _, synchronous := range []bool{false, true} {
		c := newDevices(t, node("n1", "4"), deviceClass(), gpus("n1", "a", "b"), heldBy("low", "n1", "a"), heldBy("mid", "n1", "b"), claimOf("high"),
			claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n1", 1)))
		c.options.Synchronous = &synchronous
		var fails atomic.Bool
		fails.Store(true)
		c.api.PrependReactor("delete", "pods", func(ktesting.Action) (bool, apiruntime.Object, error) {
			return fails.Load(), nil, errors.NewForbidden(v1.Resource("pods"), "low", nil)
		})
		c.run()
		c.create(claiming(pending("high", 10, "1")))
		c.eventually("tried", func() bool { return c.deletions() > 0 })
		c.eventually("told", func() bool { return len(c.recorder.about("high Warning FailedScheduling")) > 0 })
		fails.Store(false)
		c.triedUntil("low is gone", gpus("n1", "a", "b"), func() bool { return c.pod("low") == nil })
		c.deallocate("low")
		c.isOn("high", "n1")
		assert.NotNil(t, c.pod("mid"))
	}
}

// triedUntil lets pods be tried again that wait for devices until something is so.
func (c *cluster) triedUntil(what string, slice *resourcev1.ResourceSlice, is func() bool) {
	c.t.Helper()
	n := 0
	require.Eventually(c.t, func() bool {
		n++
		slice = slice.DeepCopy()
		slice.Labels = map[string]string{"tried": strconv.Itoa(n)}
		_, err := c.api.ResourceV1().ResourceSlices().Update(c.t.Context(), slice, metav1.UpdateOptions{})
		return err == nil && is()
	}, 20*time.Second, 50*time.Millisecond, what)
}

// Claims that come back while the pod is tried are for the next attempt: the pod does not preempt
// elsewhere because it seems to fit where the scheduler has found no devices.
func TestDevicesThatComeBackDuringAnAttempt(t *testing.T) {
	c := newDevices(t, node("n1", "4"), node("n2", "4"), deviceClass(), gpus("n1", "a"), gpus("n2", "b"),
		heldBy("low", "n1", "a"), heldBy("mid", "n2", "b"), claimOf("high"),
		claiming(running("low", 1, "1", "n1", 0)), claiming(running("mid", 5, "1", "n2", 1)))
	var back, came atomic.Bool
	// Score plugins and those after DynamicResources see nothing of a pod that fails: a way out does.
	c.registry = runtime.Registry{"Back": func(context.Context, apiruntime.Object, fwk.Handle) (fwk.Plugin, error) {
		return beforePreemption(func() {
			if !back.CompareAndSwap(true, false) {
				return
			}
			c.deallocate("low")
			for claims := c.informers.Resource().V1().ResourceClaims().Lister().ResourceClaims("default"); ; time.Sleep(time.Millisecond) {
				if claim, err := claims.Get("low-gpu"); err != nil || claim.Status.Allocation == nil {
					break
				}
			}
			time.Sleep(50 * time.Millisecond) // for the scheduler's memory of claims
			came.Store(true)
		}), nil
	}}
	c.profile.Plugins.MultiPoint.Enabled = append([]configv1.Plugin{{Name: "Back"}}, c.profile.Plugins.MultiPoint.Enabled...)
	c.run()
	c.create(claiming(pending("high", 10, "1")))
	c.nominated("high", "n1")
	c.eventually("tried once more", func() bool { return c.pod("low") == nil && len(c.decided()) == 2 })
	back.Store(true)
	c.wakes(gpus("n2", "b"))
	c.eventually("the claim came back", came.Load)
	c.isOn("high", "n1")
	assert.Equal(t, 1, c.deletions())
}

// beforePreemption is a way out that says no, after something happened.
type beforePreemption func()

func (beforePreemption) Name() string { return "Back" }

func (b beforePreemption) PostFilter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	b()
	return nil, fwk.NewStatus(fwk.Unschedulable)
}
