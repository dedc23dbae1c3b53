package queue

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// StorageChange says what an event of the kind [EventStorageChanged] is about. Its hints look at no more (rule
// 5.4.33). The zero value says nothing, so that the event may help whoever waits for storage.
type StorageChange struct {
	// Object is the kind of object.
	Object StorageObject
	// Action says whether the object came, changed or went.
	Action StorageAction
	// Claim is the key of a PersistentVolumeClaim.
	Claim outrank.Key
	// Driver attaches the volume of a VolumeAttachment.
	Driver string
	// WaitsForPod says that volumes of a StorageClass are bound when a pod uses them (WaitForFirstConsumer).
	WaitsForPod bool
	// Moved says that an update changed where volumes can be used: the zone labels of a PersistentVolume, or
	// the topologies that a StorageClass allows.
	Moved bool
	// Grown says that an update of a CSINode raised the limit of a driver, or that a CSIStorageCapacity has room
	// for a larger volume.
	Grown bool
	// Migrated says that an update of a CSINode changed which in-tree plugins are migrated on the node.
	Migrated bool
	// Unchecked says that an update of a CSIDriver ended its checks of capacity.
	Unchecked bool
}

// StorageObject is a kind of object that storage consists of. The empty one is any.
type StorageObject string

// The objects that storage consists of, as the API calls them. One that is not listed may help whoever waits for
// storage.
const (
	StorageVolume     StorageObject = filter.StorageVolume
	StorageClaim      StorageObject = filter.StorageClaim
	StorageClass      StorageObject = filter.StorageClass
	StorageNode       StorageObject = filter.StorageNode
	StorageDriver     StorageObject = filter.StorageDriver
	StorageCapacity   StorageObject = filter.StorageCapacity
	StorageAttachment StorageObject = filter.StorageAttachment
)

// StorageAction says what happened to an object. The empty one is any.
type StorageAction string

// What may happen to an object.
const (
	StorageAdded   StorageAction = filter.Added
	StorageUpdated StorageAction = filter.Updated
	StorageDeleted StorageAction = filter.Deleted
)

// facts returns the change as hints look at it, nil if it says nothing.
func (s *StorageChange) facts() *filter.Storage {
	if s == nil || s.Object == "" || s.Action == "" {
		return nil
	}
	return &filter.Storage{
		Object: string(s.Object), Action: string(s.Action), Claim: s.Claim, Driver: s.Driver,
		WaitsForPod: s.WaitsForPod, Moved: s.Moved, Grown: s.Grown, Migrated: s.Migrated, Unchecked: s.Unchecked,
	}
}
