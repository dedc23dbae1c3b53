// Package lifecycle answers: how long may a pod take to terminate, and which pod does its controller then
// create in its place?
package lifecycle

import (
	"slices"
	"time"

	"github.com/outrank-go/outrank"
)

// Maker says who creates a new pod in place of one that is gone.
type Maker uint8

// The makers.
const (
	// Nobody: the pod has no controller.
	Nobody Maker = iota
	// ForItsNode: a DaemonSet creates it, for the same node.
	ForItsNode
	// WithItsGroup: the pod belongs to a group, which is scheduled as a whole.
	WithItsGroup
	// Anywhere: another controller creates it, and any node may take it.
	Anywhere
)

// MakerOf returns who creates a new pod in place of this one (rules 11.12 and 11.13).
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

// Recreate returns the pod that a controller creates in place of this one, with a name that the caller chooses.
// The new pod is pending: it has the spec of this one and no status. It belongs to the caller.
func Recreate(pod *outrank.Pod, name string) *outrank.Pod {
	p := *pod
	p.Name, p.UID = name, ""
	p.NodeName, p.NominatedNodeName = "", ""

	p.Phase, p.DisruptionReason = "", ""
	p.Ready = false
	p.StartTime, p.DeletionTimestamp = time.Time{}, time.Time{}

	p.AllocatedResources, p.Actual = nil, nil
	p.Reported = false
	p.ResizeDeferred, p.ResizeInfeasible = false, false
	p.Containers, p.InitContainers = unreported(p.Containers), unreported(p.InitContainers)
	return &p
}

// unreported returns a copy of containers without the resources that their statuses report.
func unreported(containers []outrank.Container) []outrank.Container {
	out := slices.Clone(containers)
	for i := range out {
		c := &out[i]
		c.AllocatedResources, c.Actual = nil, nil
		c.Reported = false
	}
	return out
}
