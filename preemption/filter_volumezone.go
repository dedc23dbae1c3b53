package preemption

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
)

// VolumeZone turns a pod away from nodes outside the zone or region of one of
// its volumes (group 7.11).
const VolumeZone = "VolumeZone"

var volumeZoneText = []string{"node(s) had no available volume zone"}

var volumeZoneFilter = descriptor{
	name: VolumeZone,
	concernsPod: func(pod *outrank.Pod) bool {
		return slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return len(v.Zones) > 0 })
	},
	check: func(pod *outrank.Pod, node *outrank.Node) []string {
		if !hasZone(node) {
			return nil
		}
		for i := range pod.Volumes {
			for label, values := range pod.Volumes[i].Zones {
				if at, ok := zoneOf(node, label); !ok || !slices.Contains(values, at) {
					return volumeZoneText
				}
			}
		}
		return nil
	},
	appendSignature: func(key *keyWriter, pod *outrank.Pod) {
		key.number(len(pod.Volumes))
		for i := range pod.Volumes {
			zones := pod.Volumes[i].Zones
			key.number(len(zones))
			for _, label := range slices.Sorted(maps.Keys(zones)) {
				key.text(label)
				key.texts(zones[label])
			}
		}
	},
}

// hasZone reports whether the node has a label of a zone or region. A node
// without one takes every volume (rule 7.11.3).
func hasZone(n *outrank.Node) bool {
	for _, label := range [...]string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel} {
		if _, ok := n.Labels[label]; ok {
			return true
		}
	}
	return false
}

// zoneOf returns the node's value of a label, or of the label that replaced it.
func zoneOf(n *outrank.Node, label string) (string, bool) {
	value, ok := n.Labels[label]
	if ok {
		return value, true
	}
	switch label {
	case outrank.BetaZoneLabel:
		value, ok = n.Labels[outrank.ZoneLabel]
	case outrank.BetaRegionLabel:
		value, ok = n.Labels[outrank.RegionLabel]
	}
	return value, ok
}
