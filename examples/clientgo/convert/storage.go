package convert

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// StorageChange tells a scheduling queue what an event about storage says:
//
//	q.MoveAll(queue.ClusterEvent{Kind: queue.EventStorageChanged, Storage: convert.StorageChange(old, new)}, now)
//
// The objects are a *PersistentVolume, *PersistentVolumeClaim, *StorageClass, *CSINode, *CSIDriver, *CSIStorageCapacity
// or *VolumeAttachment. old is nil for an object that came, new for one that is gone. For any other object the result
// is nil, which says nothing.
func StorageChange(old, new any) *queue.StorageChange {
	switch o := latest(old, new).(type) {
	case *corev1.PersistentVolume:
		return change(queue.StorageVolume, old, o, new, volumeChange)
	case *corev1.PersistentVolumeClaim:
		s := change(queue.StorageClaim, old, o, new, nil)
		s.Claim = outrank.NewKey(o.Namespace, o.Name)
		return s
	case *storagev1.StorageClass:
		s := change(queue.StorageClass, old, o, new, classChange)
		s.WaitsForPod = o.VolumeBindingMode != nil && *o.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
		return s
	case *storagev1.CSINode:
		return change(queue.StorageNode, old, o, new, csiNodeChange)
	case *storagev1.CSIDriver:
		return change(queue.StorageDriver, old, o, new, csiDriverChange)
	case *storagev1.CSIStorageCapacity:
		return change(queue.StorageCapacity, old, o, new, capacityChange)
	case *storagev1.VolumeAttachment:
		s := change(queue.StorageAttachment, old, o, new, nil)
		s.Driver = o.Spec.Attacher
		return s
	}
	return nil
}

// latest returns the later of two versions that there is.
func latest(old, new any) any {
	if isNil(new) {
		return old
	}
	return new
}

// isNil reports whether there is no object: no value, or a nil pointer of some type.
func isNil(o any) bool {
	v := reflect.ValueOf(o)
	return o == nil || v.Kind() == reflect.Pointer && v.IsNil()
}

// change says what happened to an object. An update is told by compare, if it is not nil.
func change[T any](object queue.StorageObject, old any, o *T, new any, compare func(s *queue.StorageChange, old, new *T)) *queue.StorageChange {
	s := &queue.StorageChange{Object: object, Action: queue.StorageUpdated}
	switch {
	case isNil(old):
		s.Action = queue.StorageAdded
	case isNil(new):
		s.Action = queue.StorageDeleted
	case compare != nil:
		before, ok := old.(*T)
		if !ok {
			return &queue.StorageChange{}
		}
		compare(s, before, o)
	}
	return s
}

func volumeChange(s *queue.StorageChange, old, new *corev1.PersistentVolume) {
	s.Moved = !reflect.DeepEqual(zoneSets(old.Labels), zoneSets(new.Labels))
}

// zoneSets returns the zones and regions of a volume by their labels. A label that names none is ignored.
func zoneSets(labels map[string]string) map[string][]string {
	sets := map[string][]string{}
	for _, key := range []string{outrank.BetaZoneLabel, outrank.BetaRegionLabel, outrank.ZoneLabel, outrank.RegionLabel} {
		value, ok := labels[key]
		if !ok {
			continue
		}

		var set []string
		for zone := range strings.SplitSeq(value, "__") {
			set = append(set, strings.TrimSpace(zone))
		}
		if slices.Sort(set); set[0] != "" {
			sets[key] = slices.Compact(set)
		}
	}
	return sets
}

func classChange(s *queue.StorageChange, old, new *storagev1.StorageClass) {
	s.Moved = !equality.Semantic.DeepEqual(old.AllowedTopologies, new.AllowedTopologies)
}

func csiNodeChange(s *queue.StorageChange, old, new *storagev1.CSINode) {
	s.Migrated = old.Annotations[corev1.MigratedPluginsAnnotationKey] != new.Annotations[corev1.MigratedPluginsAnnotationKey]
	before := attachLimits(old)
	for driver, limit := range attachLimits(new) {
		s.Grown = s.Grown || limit > before[driver]
	}
}

// attachLimits returns the limits of a node's drivers, 0 for a driver without one.
func attachLimits(n *storagev1.CSINode) map[string]int32 {
	limits := map[string]int32{}
	for i := range n.Spec.Drivers {
		d := &n.Spec.Drivers[i]
		if limits[d.Name] = 0; d.Allocatable != nil && d.Allocatable.Count != nil {
			limits[d.Name] = *d.Allocatable.Count
		}
	}
	return limits
}

func csiDriverChange(s *queue.StorageChange, old, new *storagev1.CSIDriver) {
	checks := func(d *storagev1.CSIDriver) bool { return d.Spec.StorageCapacity != nil && *d.Spec.StorageCapacity }
	s.Unchecked = checks(old) && !checks(new)
}

// capacityChange compares the largest volume that there is room for: the maximum size of a volume if the object says
// it, or else the capacity.
func capacityChange(s *queue.StorageChange, old, new *storagev1.CSIStorageCapacity) {
	before, after := old.MaximumVolumeSize, new.MaximumVolumeSize
	if before == nil {
		before = old.Capacity
	}
	if after == nil {
		after = new.Capacity
	}
	s.Grown = after != nil && (before == nil || after.Value() > before.Value())
}
