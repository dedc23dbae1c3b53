package devicetrial

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/outrank-go/outrank/preemption"
)

// dumpOf is a dump of objects.
func dumpOf(t *testing.T, objects ...runtime.Object) []byte {
	var b bytes.Buffer
	for _, o := range objects {
		group := schema.GroupVersion{Version: "v1"}
		kind := "Pod"
		switch o.(type) {
		case *corev1.Node:
			kind = "Node"
		case *resourcev1.ResourceClaim:
			group, kind = resourcev1.SchemeGroupVersion, "ResourceClaim"
		case *resourcev1.ResourceSlice:
			group, kind = resourcev1.SchemeGroupVersion, "ResourceSlice"
		case *resourcev1.DeviceClass:
			group, kind = resourcev1.SchemeGroupVersion, "DeviceClass"
		}
		o.GetObjectKind().SetGroupVersionKind(group.WithKind(kind))
		require.NoError(t, json.NewEncoder(&b).Encode(o))
	}
	return b.Bytes()
}

// The library foretells from a dump who leaves, and with which devices the pod will run.
func TestForetell(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	n, slice := node("n0"), deviceSlice(source, "n0")
	slice.Spec.Devices = slice.Spec.Devices[:1]
	low := pod("low", "batch")
	low.UID, low.Spec.NodeName, low.Spec.Priority = "uid-low", "n0", new(priorities["batch"])
	low.Status.Phase, low.Status.StartTime = corev1.PodRunning, new(metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)))
	held := claim("low", wants(1))
	held.UID, held.Status.ReservedFor = "uid-claim", []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "low", UID: types.UID("uid-low")}}
	held.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{{
		Request: "gpus", Driver: Driver, Pool: "n0", Device: "gpu-0"}}}}
	urgent, mine := pod("urgent", high), claim("urgent", wants(1))
	urgent.UID, urgent.Spec.Priority, urgent.Namespace = "uid-urgent", new(priorities[high]), Namespace
	urgent.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}
	use(urgent, &corev1.PodResourceClaim{ResourceClaimName: new("urgent")})
	f, err := foretell(dumpOf(t, n, slice, base()[1], low, held, mine), urgent)
	require.NoError(t, err)
	assert.Equal(t, &forecast{outcome: preemption.Preempts, node: "n0", victims: []string{"low"}, devices: []string{"n0/gpu-0"}, freed: []string{"n0/gpu-0"}, today: preemption.NothingHelps}, f)
}

// A trial is the same each time, and has more claims than there are devices.
func TestDraw(t *testing.T) {
	late, shared := 0, 0
	for seed := range uint64(50) {
		d, again := draw(rand.New(rand.NewPCG(seed, 5690)), 3), draw(rand.New(rand.NewPCG(seed, 5690)), 3)
		assert.Equal(t, d, again)
		devices, wanted := 0, 0
		for _, s := range d.slices {
			devices += len(s.Spec.Devices)
		}
		for _, p := range d.holders {
			wanted++
			if p.Spec.ResourceClaims[0].ResourceClaimTemplateName != nil && *p.Spec.ResourceClaims[0].ResourceClaimTemplateName == templateName(2) {
				wanted++
			}
		}
		assert.Greater(t, wanted, devices)
		if d.late {
			late++
		}
		shared += len(d.claims) - 2
	}
	assert.NotZero(t, late)
	assert.NotZero(t, shared)
}

// The table has a row for each trial, and what is wrong ends the run.
func TestTable(t *testing.T) {
	reports := []*Report{{Today: "nothing helps", Outcome: "preempt", Victims: []string{"a"}, Devices: []string{"n/d"}, Foretold: true, Late: 3 * time.Second, Tries: 6, Took: time.Second}, {Number: 1, Outcome: "fits", Wrong: []string{"x"}}}
	var b bytes.Buffer
	require.NoError(t, Write(&b, reports))
	assert.Contains(t, b.String(), "| 0 | nothing helps | preempt | 1 | n/d | yes | 3s | 6 | 1.0 |  |\n| 1 |  | fits | 0 |  |  | 0s | 0 | 0.0 | x |\n")
	assert.Equal(t, []string{"trial 1: x"}, Wrong(reports))
}
