package reference

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// gates are the feature gates of groups. Without the first a group that a pod names
// has no effect at all on what becomes of single pods.
type gates struct {
	groups, composites, policies bool
}

func gatesOf(r outrank.Release) gates {
	on := release.Release(r).GateStates()
	groups := on["GenericWorkload"] && release.Release(r).OrDefault()&0xff >= release.V1_37
	return gates{
		groups:     groups,
		composites: groups && on["CompositePodGroup"],
		policies:   groups && on["PodGroupPreemptionPolicy"],
	}
}
