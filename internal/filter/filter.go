// Package filter answers what this module knows of each of kube-scheduler's filters, but for what
// the filter decides: one [Entry] for each. Whoever has something to say about filters goes through
// the entries, or has a table by their names that a test holds to all of them.
package filter

import (
	"slices"

	"github.com/outrank-go/outrank/internal/release"
)

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

// list has all of them, in the order in which v1.36 runs the filters (rule 7.1.4 of preemption)
// and with those of later releases at their places.
var list = []*Entry{
	&nodeUnschedulableEntry, &nodeNameEntry, &taintTolerationEntry, &nodeAffinityEntry, &nodePortsEntry, &deferredPodSchedulingEntry, &nodeResourcesFitEntry,
	&volumeRestrictionsEntry, &nodeVolumeLimitsEntry, &volumeBindingEntry, &volumeZoneEntry, &podTopologySpreadEntry, &interPodAffinityEntry,
	&nodeDeclaredFeaturesEntry,
}

// Entries returns the entries of all filters, in the order of [Names].
func Entries() []*Entry { return slices.Clone(list) }

// Names returns all names, in the order in which v1.36 runs the filters (rule 7.1.4 of
// preemption) and with those of later releases at their places.
func Names() []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}

// Of returns the entry of a filter, nil where the name is that of none.
func Of(name string) *Entry {
	for _, e := range list {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Order returns the names of the filters in the order in which a node is asked by the rules of a
// release: from v1.37 on the first two change places (rule 7.1.7).
func Order(rules release.Rules) []string {
	names := Names()
	if rules.NodeNameFirst {
		names[0], names[1] = names[1], names[0]
	}
	return names
}
