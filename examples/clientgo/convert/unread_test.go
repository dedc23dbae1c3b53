package convert_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption/kube"
)

// unfollowed are objects with each field that matters to a cluster and is not followed, and beside them objects of the
// same kinds with nothing to tell.
func unfollowed() convert.Objects {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	older := named("older")
	older.Generation = 3
	going := named("going")
	gone := metav1.NewTime(time.Unix(1_700_000_000, 0))
	going.DeletionTimestamp = &gone

	local := &corev1.SecurityContext{AppArmorProfile: &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost}}
	odd := &corev1.Pod{ObjectMeta: named("odd")}
	odd.Spec.SecurityContext = &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "a"}}, AppArmorProfile: local.AppArmorProfile}
	odd.Spec.Containers = []corev1.Container{{Name: "c"}, {Name: "d", SecurityContext: local}}
	odd.Spec.InitContainers = []corev1.Container{{Name: "i", SecurityContext: local}}
	odd.Status.Conditions = []corev1.PodCondition{{Type: "Odd", Status: "true"}, {Type: "Ready", Status: "true"}, {Type: "DisruptionTarget", Status: "yes"}}
	use := func(p *corev1.Pod, claim string) {
		v := corev1.Volume{Name: fmt.Sprint(len(p.Spec.Volumes))}
		v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}
		p.Spec.Volumes = append(p.Spec.Volumes, v)
	}
	for _, claim := range []string{"waits", "limited", "counted", "bound", "lost", "unbound"} {
		use(odd, claim)
	}
	placed := odd.DeepCopy()
	placed.Name, placed.Spec.NodeName, placed.Status.Conditions = "placed", "n", nil
	use(placed, "placed")
	ended := odd.DeepCopy()
	ended.Name, ended.Spec.NodeName, ended.Status.Phase = "ended", "n", corev1.PodFailed

	claim := func(name, class, volume string) *corev1.PersistentVolumeClaim {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: named(name)}
		c.Spec.StorageClassName, c.Spec.VolumeName = &class, volume
		c.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
		return c
	}
	lost := claim("lost", "plain", "")
	lost.Status.Phase = "lost"

	waits, counts := storagev1.VolumeBindingWaitForFirstConsumer, true
	class := func(name, driver string) *storagev1.StorageClass {
		return &storagev1.StorageClass{ObjectMeta: named(name), Provisioner: driver, VolumeBindingMode: &waits}
	}
	limited := class("limited", "d")
	limited.AllowedTopologies = []corev1.TopologySelectorTerm{{}}

	return convert.Objects{
		Nodes: []*corev1.Node{{ObjectMeta: named("n")}},
		Pods:  []*corev1.Pod{odd, placed, ended},
		Budgets: []*policyv1.PodDisruptionBudget{
			{ObjectMeta: older, Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 2}},
			{ObjectMeta: metav1.ObjectMeta{Name: "seen", Generation: 3}, Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 3}},
			{ObjectMeta: metav1.ObjectMeta{Name: "nobody", Generation: 3}},
		},
		Namespaces: []*corev1.Namespace{{ObjectMeta: going}, {ObjectMeta: named("stays")}},
		Claims: []*corev1.PersistentVolumeClaim{
			claim("waits", "plain", ""), claim("limited", "limited", ""), claim("counted", "counted", ""), claim("bound", "plain", "v"),
			claim("alone", "plain", ""), claim("placed", "plain", ""), claim("unbound", "nowhere", ""), lost,
		},
		Volumes:        []*corev1.PersistentVolume{{ObjectMeta: named("v")}},
		StorageClasses: []*storagev1.StorageClass{class("plain", "d"), limited, class("counted", "counting")},
		CSIDrivers:     []*storagev1.CSIDriver{{ObjectMeta: named("counting"), Spec: storagev1.CSIDriverSpec{StorageCapacity: &counts}}, {ObjectMeta: named("d")}},
		PodGroups: []*schedulingv1beta1.PodGroup{
			{ObjectMeta: named("g"), Spec: schedulingv1beta1.PodGroupSpec{ResourceClaims: []schedulingv1beta1.PodGroupResourceClaim{{Name: "gpu"}}}},
			{ObjectMeta: named("h")},
		},
	}
}

// What matters and is not followed is told of objects as it is of a dump of them: each field once, in the same order.
func TestUnreadFieldsAreTold(t *testing.T) {
	o := unfollowed()
	got, err := convert.Cluster(o)
	require.NoError(t, err)
	var fields []string
	for _, p := range got.Unread {
		fields = append(fields, p.Object+" "+p.Field)
	}
	require.Equal(t, []string{
		"pod default/odd spec.securityContext.sysctls",
		"pod default/odd spec.securityContext.appArmorProfile",
		"pod default/odd spec.containers[1].securityContext.appArmorProfile",
		"pod default/odd spec.initContainers[0].securityContext.appArmorProfile",
		"pod default/odd status.conditions[1].status",
		"pod default/odd status.conditions[2].status",
		"pod default/ended status.conditions[1].status",
		"pod default/ended status.conditions[2].status",
		"poddisruptionbudget default/older status.observedGeneration",
		"namespace going metadata.deletionTimestamp",
		"persistentvolumeclaim default/lost status.phase",
		"podgroup default/g spec.resourceClaims",
		"persistentvolumeclaim default/waits spec.volumeName",
		"persistentvolumeclaim default/limited spec.volumeName",
		"persistentvolumeclaim default/counted spec.volumeName",
		"persistentvolumeclaim default/lost spec.volumeName",
	}, fields)

	want, err := kube.ReadCluster(bytes.NewReader(listOf(t, o)))
	require.NoError(t, err)
	require.Equal(t, want.Unread, got.Unread)
	for _, p := range got.Unread {
		require.Contains(t, got.Warnings(), p)
	}
}

// Beyond a thousand fields no more are told, however many objects there are.
func TestUnreadFieldsAreBounded(t *testing.T) {
	var o convert.Objects
	for i := range 700 {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("p%03d", i)}}
		p.Status.Conditions = []corev1.PodCondition{{Type: "Ready", Status: "true"}, {Type: "DisruptionTarget", Status: "yes"}}
		o.Pods = append(o.Pods, p)
	}
	c, err := convert.Cluster(o)
	require.NoError(t, err)
	require.Len(t, c.Unread, 1000)
	require.True(t, slices.IsSortedFunc(c.Unread, func(a, b outrank.Problem) int { return bytes.Compare([]byte(a.Object), []byte(b.Object)) }))
	require.Equal(t, "pod default/p499", c.Unread[999].Object)
}
