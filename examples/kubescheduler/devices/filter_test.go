package devices_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/devices"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/preemptiontest/filtertest"
	amount "github.com/outrank-go/outrank/resource"
)

// explain decides with a filter.
func explain(t testing.TB, c *outrank.Cluster, pod *outrank.Pod, o devices.Objects, config devices.Config) (*preemption.Plan, error) {
	t.Helper()
	filter, err := devices.New(o, config)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(filter.Cluster(c))
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
	require.NoError(t, err)
	return eval.Explain(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
}

// Nodes that are alike but for how much of their devices is taken are not one kind and state: the
// amounts of shares, admin access and the devices themselves tell them apart.
func TestStatesAreToldApart(t *testing.T) {
	cluster, objects, pod := taken(3, 1, 1)
	many, whole := true, resource.MustParse("80Gi")
	for i, s := range objects.Slices {
		s.Spec.Devices[0].AllowMultipleAllocations = &many
		s.Spec.Devices[0].Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: whole}}
		share := types.UID(fmt.Sprint("share-", i))
		r := &objects.Claims[i].Status.Allocation.Devices.Results[0]
		r.ShareID, r.ConsumedCapacity = &share, map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse([]string{"80Gi", "40Gi", "20Gi"}[i])}
	}
	mine := objects.Claims[3].Spec.Devices.Requests[0].Exactly
	mine.Capacity = &resourcev1.CapacityRequirements{Requests: map[resourcev1.QualifiedName]resource.Quantity{"memory": resource.MustParse("60Gi")}}
	ex, err := explain(t, cluster, pod, objects, devices.Config{})
	require.NoError(t, err)
	codes := func() (list []preemption.Code) {
		for _, n := range ex.Nodes {
			list = append(list, n.Status.Code)
		}
		return list
	}
	assert.Equal(t, []preemption.Code{preemption.UnschedulableAndUnresolvable, preemption.UnschedulableAndUnresolvable, preemption.Success}, codes())

	admin := true
	objects.Claims[1].Status.Allocation.Devices.Results[0].AdminAccess = &admin
	ex, err = explain(t, cluster, pod, objects, devices.Config{})
	require.NoError(t, err)
	assert.Equal(t, []preemption.Code{preemption.UnschedulableAndUnresolvable, preemption.Success, preemption.Success}, codes(), "who looks after a device holds nothing of it")
}

// An error names the device of the node that is asked, and never that of another node of its kind.
func TestErrorsAreOfTheirNode(t *testing.T) {
	cluster, objects, pod := taken(3, 1, 1)
	for _, c := range objects.Claims[:3] {
		c.Status.Allocation, c.Status.ReservedFor = nil, nil
	}
	objects.Classes[0].Spec.Selectors[0].CEL.Expression = `device.attributes["` + driver + `"].missing == 1`
	ex, err := explain(t, cluster, pod, objects, devices.Config{})
	require.NoError(t, err)
	for _, n := range ex.Nodes {
		assert.Equal(t, preemption.Contradiction, n.Status.Code)
		assert.Contains(t, n.Status.Reasons[0], "class gpu: selector #0 on device "+driver+"/"+n.Node+"/gpu-0: CEL runtime error")
	}
}

// Extended resources that a class backs: devices for containers that last, and as many more as
// the init container needs that needs the most. A node that offers the resource itself is asked
// by NodeResourcesFit.
func TestExtendedResources(t *testing.T) {
	always := corev1.ContainerRestartPolicyAlways
	container := func(n string, restart *corev1.ContainerRestartPolicy) corev1.Container {
		return corev1.Container{RestartPolicy: restart, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"example.com/gpu": resource.MustParse(n)}}}
	}
	for _, test := range []struct {
		name          string
		inits, others []corev1.Container
		want          int // devices
	}{
		{"one container", nil, []corev1.Container{container("2", nil)}, 2},
		{"two", nil, []corev1.Container{container("1", nil), container("2", nil)}, 3},
		{"an init container that needs no more", []corev1.Container{container("2", nil)}, []corev1.Container{container("2", nil)}, 2},
		{"one that does", []corev1.Container{container("3", nil)}, []corev1.Container{container("2", nil)}, 3},
		{"a sidecar before it, whose devices it has not", []corev1.Container{container("1", &always), container("2", nil)}, []corev1.Container{container("2", nil)}, 3},
		{"a sidecar after it, whose devices it has", []corev1.Container{container("3", nil), container("1", &always)}, []corev1.Container{container("2", nil)}, 3},
		{"the most of several", []corev1.Container{container("3", nil), container("4", nil)}, []corev1.Container{container("1", nil)}, 4},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, devs := range []int{test.want - 1, test.want} {
				cluster, objects, pod := taken(1, devs, 1)
				name := "example.com/gpu"
				objects.Classes[0].Spec.ExtendedResourceName = &name
				for _, c := range objects.Claims {
					c.Status.Allocation = nil
				}
				own := objects.Pods[len(objects.Pods)-1]
				own.Spec = corev1.PodSpec{InitContainers: test.inits, Containers: test.others}
				ex, err := explain(t, cluster, pod, objects, devices.Config{})
				require.NoError(t, err)
				assert.Equal(t, devs == test.want, ex.Outcome == preemption.Fits, "%d devices: %v", devs, ex.Nodes[0].Status)

				pod.Containers[0].Requests["example.com/gpu"] = amount.New(int64(test.want))
				cluster.Nodes[0].Allocatable["example.com/gpu"] = amount.New(1)
				ex, err = explain(t, cluster, pod, objects, devices.Config{})
				require.NoError(t, err)
				want := "Success"
				if test.want > 1 {
					want = "NodeResourcesFit: Insufficient example.com/gpu"
				}
				assert.Equal(t, want, ex.Nodes[0].Status.String())
				delete(cluster.Nodes[0].Allocatable, "example.com/gpu")
				ex, err = explain(t, cluster, pod, objects, devices.Config{})
				require.NoError(t, err)
				assert.Equal(t, devs == test.want, ex.Outcome == preemption.Fits, "the filter decides alone: %v", ex.Nodes[0].Status)
				assert.NotContains(t, cluster.Nodes[0].Allocatable, "example.com/gpu", "the caller's node is as it was")
			}
		})
	}
}

// Odd claims end in a status or an error that names them, never in a panic.
func TestOddClaims(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*resourcev1.ResourceClaim)
		want   string
	}{
		{"a negative count", func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.Count = -1 << 40 }, `running "DynamicResources" filter plugin: the allocator failed: `},
		{"a huge count", func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.Count = 1 << 60 }, "claim default/mine, request gpus: "},
		{"no kind of request", func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly = nil }, "resource claim default/mine, request gpus: unknown request type"},
		{"no class", func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.DeviceClassName = "" }, "pod default/mine: resourceclaim default/mine: spec.devices.requests: request gpus: unsupported request type"},
		{"a class that is missing", func(c *resourcev1.ResourceClaim) { c.Spec.Devices.Requests[0].Exactly.DeviceClassName = "tpu" }, "request gpus: device class tpu does not exist"},
		{"no CEL", func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.Selectors = []resourcev1.DeviceSelector{{}}
		}, "claim default/mine, request gpus, selector #0: CEL expression empty"},
		{"broken CEL", func(c *resourcev1.ResourceClaim) {
			c.Spec.Devices.Requests[0].Exactly.Selectors = []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: "device.("}}}
		}, "claim default/mine: selector #0: CEL compile error"},
		{"being deleted", func(c *resourcev1.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{Time: now} }, `resourceclaim "mine" is being deleted`},
		{"a selector of no kind", func(c *resourcev1.ResourceClaim) {
			c.Status.Allocation = &resourcev1.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "a", Operator: "Near"}}}}}}
		}, "resourceclaim default/mine: status.allocation.nodeSelector: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			cluster, objects, pod := taken(1, 2, 1)
			for _, c := range objects.Claims[:2] {
				c.Status.Allocation = nil
			}
			test.change(objects.Claims[2])
			ex, err := explain(t, cluster, pod, objects, devices.Config{DRAPreemption: true})
			got := fmt.Sprint(err)
			if err == nil {
				got = ex.Nodes[0].Status.String()
			}
			assert.Contains(t, got, test.want)
		})
	}
}

// Devices among which the allocator finds none in a hundred thousand ways do not hold it up for
// ever.
func TestSearchIsBounded(t *testing.T) {
	cluster, objects, pod := taken(1, 60, 1)
	for i := range 60 {
		objects.Claims[i].Status.Allocation = nil
		different := fmt.Sprint("unit-", i/2)
		objects.Slices[0].Spec.Devices[i].Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"unit": {StringValue: &different}}
	}
	mine := objects.Claims[60]
	unit := resourcev1.FullyQualifiedName(driver + "/unit")
	mine.Spec.Devices.Requests[0].Exactly.Count = 31
	mine.Spec.Devices.Constraints = []resourcev1.DeviceConstraint{{DistinctAttribute: &unit}}
	ex, err := explain(t, cluster, pod, objects, devices.Config{})
	require.NoError(t, err)
	assert.Equal(t, `DynamicResources: running "DynamicResources" filter plugin: node g0000: timed out trying to allocate devices`, ex.Nodes[0].Status.String())
}

// A pod that has the name of another, or is not known, gets no answer that is another pod's.
func TestWhosePodItIs(t *testing.T) {
	cluster, objects, pod := taken(1, 1, 1)
	stranger := *pod
	stranger.UID = "uid-of-another"
	_, err := explain(t, cluster, &stranger, objects, devices.Config{})
	assert.ErrorContains(t, err, "pod default/mine: metadata.uid: the filter knows the pod of this name with UID uid-mine, not uid-of-another")
	assert.ErrorIs(t, err, outrank.ErrInvalid)

	unknown := *pod
	unknown.Name, unknown.UID = "unknown", ""
	ex, err := explain(t, cluster, &unknown, objects, devices.Config{})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, ex.Outcome, "it has no claims")

	unknown.Value = objects.Pods[len(objects.Pods)-1].DeepCopy() // a pod of a manifest
	ex, err = explain(t, cluster, &unknown, objects, devices.Config{})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, ex.Outcome)
}

// Objects that cannot be told apart are named, all at once.
func TestValidate(t *testing.T) {
	c := func(name string) *resourcev1.ResourceClaim {
		return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	}
	_, err := devices.New(devices.Objects{
		Pods: []*corev1.Pod{nil}, Claims: []*resourcev1.ResourceClaim{c("a"), c("a"), c("")},
		Slices: []*resourcev1.ResourceSlice{{}}, Nominations: []*devices.Nomination{nil},
	}, devices.Config{})
	assert.EqualError(t, err, strings.Join([]string{
		"pod 0: is nil", "resourceclaim default/a: metadata.name: there are two", "resourceclaim 2: metadata.name: is empty",
		"resourceslice 0: metadata.name: is empty", "nomination of pod 0: is nil",
	}, "\n"))
	assert.ErrorIs(t, err, outrank.ErrInvalid)
}

// dump writes what kubectl would print of a cluster and its objects.
func dump(t testing.TB, c *outrank.Cluster, o devices.Objects) []byte {
	list := &corev1.List{TypeMeta: metav1.TypeMeta{Kind: "List", APIVersion: "v1"}}
	add := func(kind, version string, object runtime.Object) {
		object = object.DeepCopyObject()
		object.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(version, kind))
		list.Items = append(list.Items, runtime.RawExtension{Object: object})
	}
	for _, n := range c.Nodes {
		add("Node", "v1", &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{"cpu": resource.MustParse("64"), "pods": resource.MustParse("110")}}})
	}
	for i, p := range o.Pods {
		p := p.DeepCopy()
		if p.Spec.Priority = outrank.Priority(100); i < len(c.Pods) {
			p.Spec.Priority, p.Spec.NodeName, p.Status.Phase = c.Pods[i].Priority, c.Pods[i].NodeName, corev1.PodRunning
		}
		p.Spec.Containers = []corev1.Container{{Name: "main"}}
		add("Pod", "v1", p)
	}
	for _, k := range o.Claims {
		add("ResourceClaim", "resource.k8s.io/v1", k)
	}
	for _, s := range o.Slices {
		add("ResourceSlice", "resource.k8s.io/v1", s)
	}
	for _, k := range o.Classes {
		add("DeviceClass", "resource.k8s.io/v1", k)
	}
	text, err := json.MarshalIndent(list, "", " ")
	require.NoError(t, err)
	return append(text, '\n')
}

// A dump is read as the objects are, and what cannot be read is named.
func TestRead(t *testing.T) {
	cluster, written, _ := taken(2, 1, 1)
	text := dump(t, cluster, written)
	scenario.Golden(t, "testdata/dump.json", string(text))
	objects, err := devices.Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	assert.Len(t, objects.Pods, 3)
	assert.Len(t, objects.Claims, 3)
	assert.Len(t, objects.Slices, 2)
	assert.Len(t, objects.Classes, 1)
	for text, want := range map[string]string{
		`{"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1beta1","metadata":{"name":"a"}}`:                  `document 1 (ResourceClaim a): apiVersion: "resource.k8s.io/v1beta1"; resource.k8s.io/v1 is read`,
		`{"items":[{"kind":"ResourceSlice","apiVersion":"resource.k8s.io/v1","metadata":{"name":"s"},"spec":[]}]}`: "document 1, items[0] (ResourceSlice s): ",
		`{"kind":`: "document 1: unexpected",
		`[1]`:      "document 1: ",
		strings.Repeat(`{"items":[`, 12) + strings.Repeat(`]}`, 12): "more than 10 lists lie one in the other",
	} {
		_, err := devices.Read(strings.NewReader(text))
		assert.ErrorContains(t, err, want)
		assert.ErrorIs(t, err, outrank.ErrInvalid)
	}
	_, err = devices.Read(nil)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
}

// The filter keeps the contract of filters. With the gate, what a dry run frees is what is free
// once the claims of pods that are gone are given back.
func TestContract(t *testing.T) {
	for _, kep := range []bool{false, true} {
		seen := &contract{config: devices.Config{DRAPreemption: kep}}
		filter := &preemption.Filter{Name: devices.Name, Start: seen.start, Concerns: func(p *outrank.Pod) bool {
			return seen.Filter.Filter().Concerns(p)
		}}
		err := filtertest.Check(filter, filtertest.Options{Prepare: seen.prepare})
		require.NoError(t, err)
	}
}

// contract gives the clusters of a check devices: one a node for each two pods, taken by them.
type contract struct {
	mu     sync.Mutex
	config devices.Config
	*devices.Filter
	objects devices.Objects
}

// start goes by claims that are given back where all of their pods are gone.
func (f *contract) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	running := map[outrank.Key]bool{}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			running[p.Key()] = true
		}
	}
	f.mu.Lock()
	o := f.objects
	f.mu.Unlock()
	o.Claims = slices.Clone(o.Claims)
	for i, c := range o.Claims {
		if len(c.Status.ReservedFor) == 0 || !f.config.DRAPreemption {
			continue
		}
		if !running[outrank.NewKey(c.Namespace, c.Status.ReservedFor[0].Name)] {
			o.Claims[i] = c.DeepCopy()
			o.Claims[i].Status = resourcev1.ResourceClaimStatus{}
		}
	}
	filter, err := devices.New(o, f.config)
	if err != nil {
		return nil, err
	}
	return filter.Filter().Start(pod, view)
}

func (f *contract) prepare(c *outrank.Cluster, pod *outrank.Pod) {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, o, mine := taken(1, 0, 1)
	mine.Name, mine.Namespace, mine.UID = pod.Name, pod.Namespace, pod.UID
	o.Pods[0].Name, o.Pods[0].Namespace, o.Pods[0].UID = pod.Name, pod.NamespaceName(), types.UID(pod.UID)
	o.Claims[0].Namespace, o.Slices = pod.NamespaceName(), nil
	for i, n := range c.Nodes {
		s := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: n.Name}, Spec: resourcev1.ResourceSliceSpec{Driver: driver, NodeName: &n.Name, Pool: resourcev1.ResourcePool{Name: n.Name, ResourceSliceCount: 1}}}
		for j := range i % 3 {
			s.Spec.Devices = append(s.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("d", j)})
		}
		o.Slices = append(o.Slices, s)
	}
	for i, p := range c.Pods {
		if p.NodeName == "" || i%2 == 0 {
			continue
		}
		p.Group = "" // which frees nothing
		o.Claims = append(o.Claims, &resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("claim-", i), Namespace: p.NamespaceName(), UID: types.UID(fmt.Sprint("claim-", i))},
			Status: resourcev1.ResourceClaimStatus{
				ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: p.Name, UID: types.UID(p.UID)}},
				Allocation:  &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{Driver: driver, Pool: p.NodeName, Device: fmt.Sprint("d", i%4/2)}}}},
			},
		})
	}
	filter, err := devices.New(o, f.config)
	if err != nil {
		panic(err)
	}
	f.Filter, f.objects = filter, o
}

// From a dump to both answers.
func Example() {
	text, _ := os.ReadFile("testdata/dump.json") // kubectl get nodes,pods,resourceclaims,resourceslices,deviceclasses -A -o json
	cluster, _ := kube.ReadCluster(strings.NewReader(string(text)))
	objects, _ := devices.Read(strings.NewReader(string(text)))
	pod := cluster.Pod("default", "mine")
	for _, proposed := range []bool{false, true} {
		filter, _ := devices.New(objects, devices.Config{DRAPreemption: proposed})
		snap, _ := engine.NewSnapshot(filter.Cluster(cluster))
		eval, _ := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}, Eligibility: preemption.Eligibility{Refuse: filter.Refuse}})
		plan, _ := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
		fmt.Println(plan.Outcome, plan.Node, plan.Victims)
	}
	// Output:
	// nothing-helps  []
	// preempt g0000 [default/p0000-0]
}

// The README has these lines.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, block)
	code, err := os.ReadFile("filter_test.go")
	require.NoError(t, err)
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	assert.Contains(t, flat(string(code)), flat(string(block[1])))
}

// Several workers, and several evaluations at once while the objects are replaced, have the
// answer of one.
func TestWorkersAgree(t *testing.T) {
	cluster, objects, pod := taken(1100, 2, 2)
	filter, err := devices.New(objects, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	var plans sync.Map
	var wg sync.WaitGroup
	for workers := range 4 {
		wg.Go(func() {
			eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
			if assert.NoError(t, err) && assert.NoError(t, filter.Set(objects)) {
				plan, err := eval.Parallel(workers).Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
				if assert.NoError(t, err) {
					plans.Store(fmt.Sprint(plan.Outcome, plan.Node, plan.Victims), true)
				}
			}
		})
	}
	wg.Wait()
	found := 0
	plans.Range(func(key, _ any) bool { found++; return assert.Contains(t, key, "preempt") })
	assert.Equal(t, 1, found)
}

// The filter is the same one until the objects are replaced, and a snapshot that has kept which pods
// concern it finds the ones that do afterwards.
func TestSetMakesAnotherFilter(t *testing.T) {
	cluster, objects, pod := taken(2, 1, 1)
	unclaimed := objects
	unclaimed.Claims = objects.Claims[len(objects.Claims)-1:] // the pod's own
	filter, err := devices.New(unclaimed, devices.Config{DRAPreemption: true})
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	outcome := func() preemption.Outcome {
		eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{filter.Filter()}})
		require.NoError(t, err)
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pod, Now: now})
		require.NoError(t, err)
		return plan.Outcome
	}
	before := filter.Filter()
	assert.Equal(t, preemption.Fits, outcome(), "nobody has the devices")
	assert.Same(t, before, filter.Filter())
	require.NoError(t, filter.Set(objects))
	assert.NotSame(t, before, filter.Filter())
	assert.Equal(t, preemption.Preempts, outcome(), "pods have them")
}
