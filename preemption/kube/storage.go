package kube

import "github.com/outrank-go/outrank"

// storage collects volumes, classes and drivers until the whole input is read, because claims, volumes, classes and
// nodes come in any order.
type storage struct {
	volumes map[string]outrank.Volume   // by the name of the PersistentVolume
	classes map[string]class            // by the name of the StorageClass
	bound   []binding                   // one for each claim, in the order of Cluster.Claims
	limits  map[string]map[string]int64 // attach limits by node and driver
	drivers map[string][]string         // by node, the drivers in its CSINode
	// required says for the driver of each CSIDriver whether every node must have it.
	required map[string]bool
	// counted has the drivers that say how much storage they have left to give.
	counted map[string]bool
}

// class is a storage class.
type class struct {
	// provisioner is the name in the class, and driver the CSI driver that provisions its volumes.
	provisioner, driver string
	// limited is set if the class names the topologies in which it provisions volumes.
	limited bool
	// waits is set if a volume is only bound or provisioned once a pod that uses it is scheduled.
	waits bool
}

// binding has the fields of a claim that refer to its volume.
type binding struct {
	// volume and class are the names in the claim, which may be empty.
	volume, class string
	// completed is set if binding is complete (rule 7.10.7).
	completed bool
}

// newStorage returns an empty storage.
func newStorage() storage {
	return storage{volumes: map[string]outrank.Volume{}, classes: map[string]class{}, limits: map[string]map[string]int64{}, drivers: map[string][]string{}, required: map[string]bool{}, counted: map[string]bool{}}
}

// join sets the volume of a claim, or the state that says why it has none. A state that the claim already has is kept.
func (s *storage) join(vc *outrank.VolumeClaim, b *binding) {
	v := &vc.Volume
	volume, there := s.volumes[b.volume]
	there = there && b.volume != "" && v.State != outrank.ClaimLost

	// Without a volume, the class has the driver that will provision one, and the claim counts against the limit of
	// that driver (rule 7.9.6).
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
