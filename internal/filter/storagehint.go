package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// Storage is what an event says about an object that storage consists of. Package preemption/scheduler/queue tells
// what each field means.
type Storage struct {
	Object, Action                                 string
	Claim                                          outrank.Key
	Driver                                         string
	WaitsForPod, Moved, Grown, Migrated, Unchecked bool
}

// The objects that storage consists of, as the API calls them.
const (
	StorageVolume     = "PersistentVolume"
	StorageClaim      = "PersistentVolumeClaim"
	StorageClass      = "StorageClass"
	StorageNode       = "CSINode"
	StorageDriver     = "CSIDriver"
	StorageCapacity   = "CSIStorageCapacity"
	StorageAttachment = "VolumeAttachment"
)

// What may happen to an object.
const (
	Added   = "Added"
	Updated = "Updated"
	Deleted = "Deleted"
)

// storageObjects are the objects whose events the hints know.
var storageObjects = []string{StorageVolume, StorageClaim, StorageClass, StorageNode, StorageDriver, StorageCapacity, StorageAttachment}

// stored makes a hint about storage of a function of what the event says (rule 5.4.33). An event about an object that
// is not known may help.
func stored(helps func(w *Waiting, s *Storage) bool) Hint {
	return func(w *Waiting, c *Change) bool {
		return !slices.Contains(storageObjects, c.Storage.Object) || helps(w, c.Storage)
	}
}

// usesClaim reports whether one of the pod's volumes uses the claim of the event. nameOf returns the claim of a volume
// that counts: [claimOf], or [anyClaimOf] where those made along with the pod count, too.
func usesClaim(w *Waiting, s *Storage, nameOf func(v *outrank.Volume) string) bool {
	return slices.ContainsFunc(w.Pod.Volumes, func(v outrank.Volume) bool {
		name := nameOf(&v)
		return name != "" && outrank.NewKey(w.Pod.Namespace, name) == s.Claim
	})
}

// anyClaimOf returns the name of the claim of a volume, also one that is made along with the pod.
func anyClaimOf(v *outrank.Volume) string { return v.Claim }

// restrictsAnew is the hint of VolumeRestrictions: a claim of the pod that is made.
func restrictsAnew(w *Waiting, s *Storage) bool {
	return s.Object == StorageClaim && s.Action == Added && usesClaim(w, s, claimOf)
}

// attachesMore is the hint of NodeVolumeLimits: a node that says its limits for the first time or raises one, a claim
// of the pod that is made, or a volume that is detached, if the pod has claims or a disk of that driver.
func attachesMore(w *Waiting, s *Storage) bool {
	switch s.Object {
	case StorageNode:
		return s.Action == Added || s.Action == Updated && s.Grown
	case StorageClaim:
		return s.Action == Added && usesClaim(w, s, anyClaimOf)
	case StorageAttachment:
		return s.Action == Deleted && slices.ContainsFunc(w.Pod.Volumes, func(v outrank.Volume) bool {
			driver, _ := v.Disk.Attachment()
			return claimOf(&v) != "" || v.Claim == "" && s.Driver != "" && (driver == s.Driver || v.Driver == s.Driver)
		})
	}
	return false
}

// bindsMore is the hint of VolumeBinding: a volume or a claim of the pod that comes or changes, a class that comes or
// allows other topologies, and what drivers say about nodes and capacities.
func bindsMore(w *Waiting, s *Storage) bool {
	added, updated := s.Action == Added, s.Action == Updated
	switch s.Object {
	case StorageVolume:
		return added || updated
	case StorageClaim:
		return (added || updated) && usesClaim(w, s, anyClaimOf)
	case StorageClass:
		return added || updated && s.Moved
	case StorageNode:
		return added || updated && s.Migrated
	case StorageCapacity:
		return added || updated && s.Grown
	case StorageDriver:
		return updated && s.Unchecked // whether the pod has a volume of the driver itself is not known here
	}
	return false
}

// zonesAnew is the hint of VolumeZone: a volume that comes or moves, a claim of the pod that comes or changes, and
// a class that comes and waits for pods.
func zonesAnew(w *Waiting, s *Storage) bool {
	added, updated := s.Action == Added, s.Action == Updated
	switch s.Object {
	case StorageVolume:
		return added || updated && s.Moved
	case StorageClaim:
		return (added || updated) && usesClaim(w, s, claimOf)
	case StorageClass:
		return added && s.WaitsForPod
	}
	return false
}
