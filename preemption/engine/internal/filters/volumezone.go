package filters

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

var volumeZoneText = []string{"node(s) had no available volume zone"}

// VolumeZoneFilter is VolumeZone.
var VolumeZoneFilter = descriptor{
	Entry: filter.Of(filter.VolumeZone),
	refuse: func(pod *outrank.Pod) []string {
		for i := range pod.Volumes {
			if v := &pod.Volumes[i]; v.Claim != "" && !v.Ephemeral && v.State == outrank.ClaimVolumeMissing {
				return []string{fmt.Sprintf("persistentvolume %q not found", v.MissingVolume)}
			}
		}
		return nil
	},
	check: func(q *Question, node *outrank.Node) []string {
		if !hasZone(node) {
			return nil
		}
		for i := range q.Pod.Volumes {
			for label, values := range zonesOf(&q.Pod.Volumes[i]) {
				if at, ok := zoneOf(node, label); !ok || !slices.Contains(values, at) {
					return volumeZoneText
				}
			}
		}
		return nil
	},
}

// zonesOf returns the allowed values of each zone label of a volume. The filter ignores ephemeral volumes, so
// these have none (rule 7.11.2).
func zonesOf(v *outrank.Volume) map[string][]string {
	if v.Ephemeral {
		return nil
	}
	return v.Zones
}

// hasZone reports whether the node has any zone or region label. A node without one takes any volume (rule
// 7.11.3).
func hasZone(n *outrank.Node) bool {
	for _, label := range [...]string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel} {
		if _, ok := n.Labels[label]; ok {
			return true
		}
	}
	return false
}

// zoneOf returns the node's value of a zone label or, if it lacks the label, of the one that replaced it
// (rule 7.11.4).
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
