package kube

import "github.com/outrank-go/outrank"

// storage is what a dump says about volumes, until all of it is read: claims,
// volumes, classes and nodes come in any order.
type storage struct {
	volumes map[string]outrank.Volume   // by name of the PersistentVolume
	classes map[string]class            // by name of the StorageClass
	bound   []binding                   // by claim of the cluster
	limits  map[string]map[string]int64 // by node, then driver
	drivers map[string][]string         // by node: what its CSINode lists
	// required are the drivers that have to be on a node, by name: false for one of
	// which that is not so.
	required map[string]bool
}

// class is what counts of a StorageClass: who makes its volumes, and whether they
// are made only when a pod has been placed.
type class struct {
	driver string
	waits  bool
}

// binding is what a claim says about its volume: the name of it, whether it is
// bound to it for good, and its class.
type binding struct {
	volume, class string
	completed     bool
}

func newStorage() storage {
	return storage{volumes: map[string]outrank.Volume{}, classes: map[string]class{}, limits: map[string]map[string]int64{}, drivers: map[string][]string{}, required: map[string]bool{}}
}

// join fills in what the claim stands for. A state that the claim itself tells
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
