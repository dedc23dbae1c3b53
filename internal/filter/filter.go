// Package filter names the filters of kube-scheduler that this module decides with. Whoever
// has something to say about each filter (which events help, what a status means, what a
// profile configures) derives from this list which names there are, and a test holds it to
// all of them.
package filter

import "slices"

// The names, as the reference has them.
const (
	NodeUnschedulable     = "NodeUnschedulable"
	NodeName              = "NodeName"
	TaintToleration       = "TaintToleration"
	NodeAffinity          = "NodeAffinity"
	NodePorts             = "NodePorts"
	DeferredPodScheduling = "DeferredPodScheduling"
	NodeResourcesFit      = "NodeResourcesFit"
	VolumeRestrictions    = "VolumeRestrictions"
	NodeVolumeLimits      = "NodeVolumeLimits"
	VolumeBinding         = "VolumeBinding"
	VolumeZone            = "VolumeZone"
	PodTopologySpread     = "PodTopologySpread"
	InterPodAffinity      = "InterPodAffinity"
	NodeDeclaredFeatures  = "NodeDeclaredFeatures"
)

var list = []string{
	NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, NodePorts, DeferredPodScheduling, NodeResourcesFit,
	VolumeRestrictions, NodeVolumeLimits, VolumeBinding, VolumeZone, PodTopologySpread, InterPodAffinity,
	NodeDeclaredFeatures,
}

// Names returns all names, in the order in which v1.36 runs the filters (rule 7.1.4 of
// preemption) and with those of later releases at their places.
func Names() []string { return slices.Clone(list) }
