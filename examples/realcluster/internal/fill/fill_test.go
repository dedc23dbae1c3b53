package fill

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestFewerNodesThanTheSchedulerSamples(t *testing.T) {
	nodes := Nodes()
	assert.Less(t, len(nodes), 100)
	names := map[string]bool{}
	for _, n := range nodes {
		names[n.Name] = true
		assert.Equal(t, n.Name, n.Labels[corev1.LabelHostname])
		assert.Contains(t, Zones, n.Labels[corev1.LabelTopologyZone])
	}
	assert.Len(t, names, len(nodes))
	for _, name := range Cordoned {
		assert.True(t, names[name], name)
	}
}

func TestMoreIsAskedForThanThereIs(t *testing.T) {
	var room, asked int64
	for _, n := range Nodes() {
		room += n.Status.Allocatable.Cpu().MilliValue()
	}
	for _, w := range append(Workloads(), Fillers()...) {
		each := Amounts(w.Requests...)
		asked += each.Cpu().MilliValue() * int64(w.Replicas)
	}
	assert.Greater(t, asked, room, "the cluster has to be full")
}

func TestWorkloadsNameWhatThereIs(t *testing.T) {
	classes, namespaces := map[string]bool{"": true}, map[string]bool{}
	for _, c := range Classes() {
		classes[c.Name] = true
	}
	for _, n := range Namespaces() {
		namespaces[n.Name] = true
	}
	for _, w := range append(Workloads(), Fillers()...) {
		assert.True(t, classes[w.Class], w.Class)
		assert.True(t, namespaces[w.Namespace], w.Namespace)
	}
}

func TestFill(t *testing.T) {
	client, wants := fake.NewClientset(), []int{}
	f := &Filler{
		Client: client, Settled: func(_ context.Context, want map[string]int) error {
			wants = append(wants, want["batch/fill-x"])
			return nil
		},
		Say: t.Logf,
		Pods: func() []*corev1.Pod {
			return []*corev1.Pod{{
				ObjectMeta: metav1.ObjectMeta{Namespace: "batch", Name: "p", Labels: map[string]string{"app": "fill-x"}},
				Spec:       corev1.PodSpec{NodeName: "std-00"},
			}}
		},
	}
	require.NoError(t, f.Fill(t.Context()))
	assert.Equal(t, []int{0, 0, 0, 30, 1}, wants, "so many are waited for")
	replicas := func(namespace, name string) int32 {
		d, err := client.AppsV1().Deployments(namespace).Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		return *d.Spec.Replicas
	}
	assert.EqualValues(t, 1, replicas("batch", "unnamed"), "one that waits")
	assert.EqualValues(t, 1, replicas("batch", "fill-x"), "the one that has a place")
	assert.EqualValues(t, 0, replicas("batch", "fill-l"))
	n, err := client.CoreV1().Nodes().Get(t.Context(), Cordoned[0], metav1.GetOptions{})
	require.NoError(t, err)
	assert.True(t, n.Spec.Unschedulable)
	assert.ErrorContains(t, Create(t.Context(), client, &appsv1.ReplicaSet{}), "not created here")
}
