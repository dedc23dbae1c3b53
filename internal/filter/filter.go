// Package filter answers what this module knows about each of kube-scheduler's filters, except how the
// filter decides. There is one [Entry] for each filter. Code that has something to say about every filter
// goes through the entries, or has a [Table] by their names, which a test checks for completeness.
package filter

import (
	"slices"

	"github.com/outrank-go/outrank/internal/release"
)

// The names of the filters in the reference.
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

// list has the entries of all filters, in the order of [Names].
var list = []*Entry{
	&nodeUnschedulableEntry, &nodeNameEntry, &taintTolerationEntry, &nodeAffinityEntry, &nodePortsEntry, &deferredPodSchedulingEntry, &nodeResourcesFitEntry,
	&volumeRestrictionsEntry, &nodeVolumeLimitsEntry, &volumeBindingEntry, &volumeZoneEntry, &podTopologySpreadEntry, &interPodAffinityEntry,
	&nodeDeclaredFeaturesEntry,
}

// Entries returns the entries of all filters, in the order of [Names].
func Entries() []*Entry { return slices.Clone(list) }

// Names returns the names of all filters, in the order in which v1.36 runs them (rule 7.1.4). A filter that
// came with a later release stands where that release runs it.
func Names() []string {
	names := make([]string, len(list))
	for i, e := range list {
		names[i] = e.Name
	}
	return names
}

// Of returns the entry of the filter with a name, nil if there is none.
func Of(name string) *Entry {
	for _, e := range list {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Order returns the names of the filters in the order in which a release runs them. From v1.37 on the first two
// change places (rule 7.1.7).
func Order(rules release.Rules) []string {
	names := Names()
	if rules.NodeNameFirst {
		names[0], names[1] = names[1], names[0]
	}
	return names
}
