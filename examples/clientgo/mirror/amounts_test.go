package mirror_test

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
	amount "github.com/outrank-go/outrank/resource"
)

// templated is a pod of a template as a kubelet of today reports it: with what is allocated and in force.
func templated(i, template int) *corev1.Pod {
	p := benchPod(i, 1)
	request := corev1.ResourceList{"cpu": *resource.NewMilliQuantity(int64(100+template), resource.DecimalSI), "memory": resource.MustParse("512Mi")}
	p.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: request, Limits: corev1.ResourceList{"memory": resource.MustParse("1Gi")}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "web", AllocatedResources: request, Resources: &corev1.ResourceRequirements{Requests: request}}}
	return p
}

// mirrored is the pod of a mirror that another one became.
func mirrored(t testing.TB, m *mirror.Mirror, p *corev1.Pod) *outrank.Pod {
	t.Helper()
	require.NoError(t, m.Put(p))
	one, ok := m.Snapshot().Pod(outrank.NewKey(p.Namespace, p.Name))
	require.True(t, ok)
	return one
}

// same reports whether two lists are one map.
func same(a, b amount.List) bool { return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() }

// Pods of a template have their amounts in one map, what is reported included. Another amount, or another way to write
// it, is another map, and every pod is what the conversion by itself makes of it.
func TestEqualAmountsAreOneMap(t *testing.T) {
	m, err := mirror.New(outrank.V1_37)
	require.NoError(t, err)
	for i := range 4 {
		require.NoError(t, m.Put(benchNode(i)))
	}
	first, second, other := mirrored(t, m, templated(1, 0)), mirrored(t, m, templated(2, 0)), mirrored(t, m, templated(3, 1))
	a, b := &first.Containers[0], &second.Containers[0]
	for _, l := range []amount.List{a.AllocatedResources, a.Actual, b.Requests, b.AllocatedResources, b.Actual} {
		assert.True(t, same(a.Requests, l))
	}
	assert.True(t, same(a.Limits, b.Limits))
	assert.False(t, same(a.Requests, a.Limits))
	assert.False(t, same(a.Requests, other.Containers[0].Requests))

	written := templated(4, 0)
	written.Spec.Containers[0].Resources.Limits["memory"] = *resource.NewQuantity(1<<30, resource.DecimalSI)
	assert.False(t, same(a.Limits, mirrored(t, m, written).Containers[0].Limits), "1073741824 is written in another way than 1Gi")
	one, ok := m.Snapshot().Node("node-1")
	require.True(t, ok)
	two, _ := m.Snapshot().Node("node-2")
	assert.True(t, same(one.Allocatable, two.Allocatable))

	for i, p := range []*corev1.Pod{templated(1, 0), templated(2, 0), templated(3, 1), written} {
		want, err := convert.Pod(p)
		require.NoError(t, err)
		got, ok := m.Snapshot().Pod(want.Key())
		require.True(t, ok)
		assert.Equal(t, want.Containers, got.Containers, i)
	}
}

// Where every pod has amounts of its own nothing is shared, and nothing is mixed up: more lists come than a mirror knows.
func TestAmountsOfTheirOwn(t *testing.T) {
	m, err := mirror.New(outrank.V1_37)
	require.NoError(t, err)
	const pods, nodes = 17_000, 500
	for i := range nodes {
		require.NoError(t, m.Put(benchNode(i)))
	}
	for i := range pods {
		p := templated(i, i)
		p.Spec.NodeName = fmt.Sprint("node-", i%nodes)
		require.NoError(t, m.Put(p))
	}
	for i := 0; i < pods; i += 997 {
		p, ok := m.Snapshot().Pod(outrank.NewKey("shop", fmt.Sprint("pod-", i)))
		require.True(t, ok)
		assert.Equal(t, int64(100+i), p.Containers[0].Requests["cpu"].MilliValue())
	}
	before := mirrored(t, m, templated(pods, 7))
	assert.True(t, same(before.Containers[0].Requests, mirrored(t, m, templated(pods+1, 7)).Containers[0].Requests))
}

// What a mirror takes for a pod of a template, beside the API's object: below 1.3 kB. With maps of its own for each list
// it were above 2.
func TestMemoryOfTemplates(t *testing.T) {
	few, many := bytesOfPod(t, 50), bytesOfPod(t, 2000)
	t.Logf("%d bytes a pod of 50 templates, %d bytes where each has amounts of its own", few, many)
	assert.Less(t, few, int64(1300))
	assert.Less(t, many, int64(1900), "what is reported is shared within a pod")
}

// bytesOfPod measures what a mirror takes for each of 2,000 pods of so many templates.
func bytesOfPod(t *testing.T, templates int) int64 {
	const pods, nodes = 2000, 100
	m, err := mirror.New(outrank.V1_37)
	require.NoError(t, err)
	for i := range nodes {
		require.NoError(t, m.Put(benchNode(i)))
	}
	objects := make([]*corev1.Pod, pods)
	for i := range objects {
		objects[i] = templated(i, i%templates)
		objects[i].Spec.NodeName = fmt.Sprint("node-", i%nodes)
	}

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, p := range objects {
		require.NoError(t, m.Put(p))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(m)
	runtime.KeepAlive(objects)
	return (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / pods
}
