// Package lifecycle answers how long a pod gets to end, and which pod its controller then creates
// in its place.
package lifecycle

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Maker is who creates a pod in place of one that is gone.
type Maker uint8

// The makers.
const (
	// Nobody: the pod has no controller.
	Nobody Maker = iota
	// ForItsNode: a DaemonSet, which creates it for the same node.
	ForItsNode
	// WithItsGroup: the pod's group is scheduled as a whole.
	WithItsGroup
	// Anywhere: a controller, and any node may take it.
	Anywhere
)

// MakerOf returns who creates a pod in place of this one (rules 11.12 and 11.13).
func MakerOf(pod *outrank.Pod) Maker {
	switch {
	case pod.Owner == (outrank.Owner{}):
		return Nobody
	case pod.Owner.Kind == "DaemonSet":
		return ForItsNode
	case pod.Group != "":
		return WithItsGroup
	}
	return Anywhere
}

// Recreate returns the pod that a controller creates in place of this one, under a name that the caller
// chooses: it is pending, and no status says anything of it yet. The pod is the caller's.
func Recreate(pod *outrank.Pod, name string) *outrank.Pod {
	p := *pod
	p.Name, p.UID, p.NodeName, p.NominatedNodeName, p.Phase, p.DisruptionReason, p.Ready = name, "", "", "", "", "", false
	p.StartTime, p.DeletionTimestamp = time.Time{}, time.Time{}
	p.AllocatedResources, p.Actual, p.Reported, p.ResizeDeferred, p.ResizeInfeasible = nil, nil, false, false, false
	p.Containers, p.InitContainers = unreported(p.Containers), unreported(p.InitContainers)
	return &p
}

// unreported returns containers of which no status says anything yet.
func unreported(containers []outrank.Container) []outrank.Container {
	out := slices.Clone(containers)
	for i := range out {
		out[i].AllocatedResources, out[i].Actual, out[i].Reported = nil, nil, false
	}
	return out
}
