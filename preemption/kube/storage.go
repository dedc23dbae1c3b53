package kube

import "github.com/outrank-go/outrank"

// storage collects the parts of volumes until the whole input is read: claims, volumes, classes and nodes come in any
// order.
type storage struct {
	volumes map[string]outrank.Volume   // by name of the PersistentVolume
	classes map[string]class            // by name of the StorageClass
	bound   []binding                   // of each claim, in the order of Cluster.Claims
	limits  map[string]map[string]int64 // by node, then driver
	drivers map[string][]string         // by node: what its CSINode lists
	// required maps the drivers of CSIDrivers to whether they have to be on a node.
	required map[string]bool
}

// class is a storage class.
type class struct {
	// driver makes its volumes.
	driver string
	// waits is set where a volume is made only once a pod that uses it is placed.
	waits bool
}

// binding is what a claim says of its volume.
type binding struct {
	// volume and class are names, empty for none.
	volume, class string
	// completed is set where the claim is bound for good (rule 7.10.7).
	completed bool
}

// newStorage returns an empty storage.
func newStorage() storage {
	return storage{volumes: map[string]outrank.Volume{}, classes: map[string]class{}, limits: map[string]map[string]int64{}, drivers: map[string][]string{}, required: map[string]bool{}}
}

// join fills in the volume of a claim, or the state that says why it has none. A state that the claim itself names
// comes before the others.
func (s *storage) join(vc *outrank.VolumeClaim, b *binding) {
	v := &vc.Volume
	volume, there := s.volumes[b.volume]
	there = there && b.volume != "" && v.State != outrank.ClaimLost

	// Without a volume the class says which driver will make one, against whose limit the claim counts (rule
	// 7.9.6).
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
