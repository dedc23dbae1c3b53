package convert_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
)

// A GCE disk with different zones in two labels is in that of the older label.
func TestZoneOfADisk(t *testing.T) {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", Labels: map[string]string{
		outrank.BetaZoneLabel: "us-east1-b", outrank.ZoneLabel: "us-east1-c",
	}}}
	v.Spec.GCEPersistentDisk = &corev1.GCEPersistentDiskVolumeSource{PDName: "d"}
	one, err := convert.Volume(v)
	require.NoError(t, err)
	assert.Equal(t, "projects/UNSPECIFIED/zones/us-east1-b/disks/d", one.Handle)
}

// Of several conditions of one type the first counts.
func TestFirstConditionOfAGroup(t *testing.T) {
	for _, first := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
		g := &schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: "g"}}
		g.Spec.SchedulingPolicy.Basic = &schedulingv1beta1.BasicSchedulingPolicy{}
		for _, status := range []metav1.ConditionStatus{first, metav1.ConditionTrue, metav1.ConditionFalse} {
			g.Status.Conditions = append(g.Status.Conditions, metav1.Condition{Type: "PodGroupInitiallyScheduled", Status: status})
		}
		one, err := convert.PodGroup(g)
		require.NoError(t, err)
		assert.Equal(t, first == metav1.ConditionTrue, one.Scheduled)
	}
}

// The last call decides which drivers a node lacks.
func TestAttachAgain(t *testing.T) {
	n := convert.Attach(&outrank.Node{Name: "n"}, nil, []string{"d"})
	assert.Equal(t, []string{"d"}, n.MissingDrivers)
	assert.Empty(t, convert.Attach(n, &convert.NodeDrivers{Node: "n", Drivers: []string{"d"}}, []string{"d"}).MissingDrivers)
}

// An RBD image without a pool is in the API server's default one.
func TestPoolOfAnImage(t *testing.T) {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{RBD: &corev1.RBDVolumeSource{CephMonitors: []string{"m"}, RBDImage: "i"}}}}
	one, err := convert.Pod(p)
	require.NoError(t, err)
	assert.Equal(t, "rbd/i", one.Volumes[0].Disk.ID)
}
