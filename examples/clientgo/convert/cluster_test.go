package convert_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/apitest"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption/kube"
)

// some fills a few objects of a kind, whose names are small numbers.
func some[T any, P interface {
	*T
	metav1.Object
}](f *apitest.Filler) []*T {
	var out []*T
	for i := range f.IntN(5) {
		o := new(T)
		f.Fill(o)
		if f.Odd == 0 {
			apitest.MakeValid(o)
		}
		P(o).SetName(fmt.Sprint(i))
		if f.IsOdd() {
			P(o).SetName("0")
		}
		P(o).SetNamespace([]string{"", "default", "other"}[f.IntN(3)])
		out = append(out, o)
	}
	return out
}

func someObjects(f *apitest.Filler) convert.Objects {
	o := convert.Objects{
		Nodes: some[corev1.Node](f), Pods: some[corev1.Pod](f), Namespaces: some[corev1.Namespace](f),
		Claims: some[corev1.PersistentVolumeClaim](f), Volumes: some[corev1.PersistentVolume](f),
		StorageClasses: some[storagev1.StorageClass](f), CSINodes: some[storagev1.CSINode](f), CSIDrivers: some[storagev1.CSIDriver](f),
	}
	for _, p := range o.Pods {
		for i := range f.IntN(4) {
			v := corev1.Volume{Name: fmt.Sprint(i)}
			v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprint(f.IntN(5))}
			p.Spec.Volumes = append(p.Spec.Volumes, v)
		}
	}
	for _, c := range o.Claims {
		c.Spec.VolumeName = []string{"", "0", "1", "2", "3", "9"}[f.IntN(6)]
		class := []string{"", "0", "1", "2", "9"}[f.IntN(5)]
		c.Spec.StorageClassName = &class
		if f.IntN(2) == 0 {
			delete(c.Annotations, "volume.beta.kubernetes.io/storage-class")
		}
		if f.IntN(2) == 0 {
			c.DeletionTimestamp = nil
		}
	}
	if f.IntN(4) == 0 {
		o.CSINodes = nil
	}
	return o
}

// listOf writes objects as kubectl lists them.
func listOf(t rapid.TB, o convert.Objects) []byte {
	var items []json.RawMessage
	add := func(kind, version string, object any) {
		text, err := json.Marshal(object)
		require.NoError(t, err)
		fields := map[string]json.RawMessage{}
		require.NoError(t, json.Unmarshal(text, &fields))
		fields["kind"], fields["apiVersion"] = json.RawMessage(`"`+kind+`"`), json.RawMessage(`"`+version+`"`)
		text, err = json.Marshal(fields)
		require.NoError(t, err)
		items = append(items, text)
	}
	each(add, "Node", "v1", o.Nodes)
	each(add, "Pod", "v1", o.Pods)
	each(add, "PodDisruptionBudget", "policy/v1", o.Budgets)
	each(add, "PriorityClass", "scheduling.k8s.io/v1", o.PriorityClasses)
	each(add, "Namespace", "v1", o.Namespaces)
	each(add, "PersistentVolumeClaim", "v1", o.Claims)
	each(add, "PersistentVolume", "v1", o.Volumes)
	each(add, "StorageClass", "storage.k8s.io/v1", o.StorageClasses)
	each(add, "CSINode", "storage.k8s.io/v1", o.CSINodes)
	each(add, "CSIDriver", "storage.k8s.io/v1", o.CSIDrivers)
	each(add, "PodGroup", "scheduling.k8s.io/v1beta1", o.PodGroups)
	each(add, "CompositePodGroup", "scheduling.k8s.io/v1alpha3", o.CompositePodGroups)
	each(add, "Workload", "scheduling.k8s.io/v1beta1", o.Workloads)
	text, err := json.Marshal(map[string]any{"kind": "List", "apiVersion": "v1", "items": items})
	require.NoError(t, err)
	return text
}

func each[T any](add func(kind, version string, o any), kind, version string, objects []*T) {
	for _, o := range objects {
		add(kind, version, o)
	}
}

// A cluster of API objects equals that read from the list of them: claims filled
// in, drivers that are missing, finished pods, the time.
func TestPropertyClusterAsJSON(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		f := &apitest.Filler{Rand: rand.New(rand.NewPCG(seed, 2)), Odd: rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "odd")}
		o := someObjects(f)
		got, err := convert.Cluster(o)
		want, wantErr := kube.ReadCluster(bytes.NewReader(listOf(t, o)))
		require.Equal(t, wantErr == nil, err == nil, "converted: %v\nread: %v", err, wantErr)
		if err != nil {
			return
		}
		accepted++
		if diff := cmp.Diff(want, got, sameQuantity); diff != "" {
			t.Fatalf("(-JSON +converted):\n%s", diff)
		}
	})
	require.Greater(t, accepted, 10)
}

// All kinds go in, and the problems of each are named.
func TestClusterNamesEveryProblem(t *testing.T) {
	f := &apitest.Filler{Rand: rand.New(rand.NewPCG(1, 3))}
	o := someObjects(f)
	o.Volumes = []*corev1.PersistentVolume{{ObjectMeta: metav1.ObjectMeta{Name: "v"}}, {ObjectMeta: metav1.ObjectMeta{Name: "v"}}}
	o.StorageClasses = []*storagev1.StorageClass{{}}
	o.CSINodes = []*storagev1.CSINode{nil, {ObjectMeta: metav1.ObjectMeta{Name: "n"}}}
	yes := true
	for i := range 101 {
		d := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("d%03d", i)}}
		d.Spec.PreventPodSchedulingIfMissing = &yes
		o.CSIDrivers = append(o.CSIDrivers, d)
	}
	o.Pods = []*corev1.Pod{nil, {}}
	_, err := convert.Cluster(o)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	text := strings.Split(err.Error(), "\n")
	for _, want := range []string{
		"pod: there is none: the pointer is nil",
		"persistentvolume v: metadata.name: there are two of this name",
		"storageclass: metadata.name: missing",
		"csinode: there is none: the pointer is nil",
		"csidriver d100: spec.preventPodSchedulingIfMissing: there are 101 such drivers, and 100 are the most",
	} {
		require.Contains(t, text, want)
	}
	require.True(t, strings.Contains(err.Error(), "metadata.name: missing"))
}
