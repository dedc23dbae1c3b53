package kube

import "github.com/outrank-go/outrank"

// storage collects the parts of volumes in a dump until all of it is read:
// claims, volumes, classes and nodes come in any order.
type storage struct {
	volumes map[string]outrank.Volume   // by name of the PersistentVolume
	classes map[string]class            // by name of the StorageClass
	bound   []binding                   // by claim of the cluster
	limits  map[string]map[string]int64 // by node, then driver
	drivers map[string][]string         // by node: what its CSINode lists
	// required maps the drivers of CSIDrivers to whether they have to be on a node.
	required map[string]bool
}

// class is a StorageClass: the provisioner of its volumes, and whether they are
// made only when a pod has been placed.
type class struct {
	driver string
	waits  bool
}

// binding is a claim's reference to its volume: the name, whether it is bound
// for good, and the class.
type binding struct {
	volume, class string
	completed     bool
}

func newStorage() storage {
	return storage{volumes: map[string]outrank.Volume{}, classes: map[string]class{}, limits: map[string]map[string]int64{}, drivers: map[string][]string{}, required: map[string]bool{}}
}

// join fills in the volume of the claim. A state that the claim itself names
// comes before the others.
func (s *storage) join(vc *outrank.VolumeClaim, b *binding) {
	v := &vc.Volume
	volume, there := s.volumes[b.volume]
	there = there && b.volume != "" && v.State != outrank.ClaimLost
	if there {
		volume.OncePod, volume.State = v.OncePod, v.State
		*v = volume
	} else {
		v.Driver = s.classes[b.class].driver
	}
	if v.State != "" {
		return
	}
	switch {
	case b.volume != "" && b.completed && !there:
		v.State, v.MissingVolume = outrank.ClaimVolumeMissing, b.volume
	case b.volume != "" && !b.completed, b.volume == "" && !s.classes[b.class].waits:
		v.State = outrank.ClaimUnbound
	}
}
