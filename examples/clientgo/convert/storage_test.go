package convert_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// What an event about storage says. Module kubescheduler holds the hints that follow from it to the reference's.
func TestStorageChange(t *testing.T) {
	in := func(zones string) *corev1.PersistentVolume {
		return &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{outrank.ZoneLabel: zones, "a": zones}}}
	}
	class := func(mode storagev1.VolumeBindingMode) *storagev1.StorageClass {
		return &storagev1.StorageClass{VolumeBindingMode: &mode}
	}
	limit := func(most int32) *storagev1.CSINode {
		d := storagev1.CSINodeDriver{Name: "csi", Allocatable: &storagev1.VolumeNodeResources{Count: &most}}
		return &storagev1.CSINode{Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{d}}}
	}
	capacity := func(text string) *storagev1.CSIStorageCapacity {
		q := resource.MustParse(text)
		return &storagev1.CSIStorageCapacity{Capacity: &q}
	}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "data"}}
	attachment := &storagev1.VolumeAttachment{Spec: storagev1.VolumeAttachmentSpec{Attacher: "csi"}}
	migrated := limit(2)
	migrated.Annotations = map[string]string{corev1.MigratedPluginsAnnotationKey: "kubernetes.io/gce-pd"}

	const updated = queue.StorageUpdated
	for _, c := range []struct {
		what     string
		old, new any
		want     *queue.StorageChange
	}{
		{"a claim comes", nil, claim, &queue.StorageChange{Object: queue.StorageClaim, Action: queue.StorageAdded, Claim: "shop/data"}},
		{"and goes", claim, (*corev1.PersistentVolumeClaim)(nil), &queue.StorageChange{Object: queue.StorageClaim, Action: queue.StorageDeleted, Claim: "shop/data"}},
		{"a volume moves", in("a"), in("b"), &queue.StorageChange{Object: queue.StorageVolume, Action: updated, Moved: true}},
		{"the same zones", in("a__b"), in("b__a"), &queue.StorageChange{Object: queue.StorageVolume, Action: updated}},
		{"zones that make no sense", in("a__"), in(""), &queue.StorageChange{Object: queue.StorageVolume, Action: updated}},
		{"a class that waits", nil, class(storagev1.VolumeBindingWaitForFirstConsumer), &queue.StorageChange{Object: queue.StorageClass, Action: queue.StorageAdded, WaitsForPod: true}},
		{"a limit that grows", limit(1), limit(2), &queue.StorageChange{Object: queue.StorageNode, Action: updated, Grown: true}},
		{"a limit that falls", limit(2), limit(1), &queue.StorageChange{Object: queue.StorageNode, Action: updated}},
		{"a driver takes over", limit(2), migrated, &queue.StorageChange{Object: queue.StorageNode, Action: updated, Migrated: true}},
		{"a capacity that grows", capacity("1Gi"), capacity("2Gi"), &queue.StorageChange{Object: queue.StorageCapacity, Action: updated, Grown: true}},
		{"a volume is detached", attachment, nil, &queue.StorageChange{Object: queue.StorageAttachment, Action: queue.StorageDeleted, Driver: "csi"}},
		{"no storage", nil, &corev1.Pod{}, nil},
		{"nothing", nil, nil, nil},
		{"a text", "old", "new", nil},
		{"objects of two kinds", claim, in("a"), &queue.StorageChange{}},
	} {
		assert.Equal(t, c.want, convert.StorageChange(c.old, c.new), c.what)
	}
}
