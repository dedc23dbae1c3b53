package filter

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var volumeZoneEntry = Entry{
	Name: VolumeZone,
	Reads: Reads{Pod: func(pod *outrank.Pod) bool {
		return slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return len(zones(&v)) > 0 })
	}},
	Fails: IncurableFailure,
	Gains: always,
	Signature: func(w Writer, pod *outrank.Pod) {
		w.Number(len(pod.Volumes))
		for i := range pod.Volumes {
			byLabel := zones(&pod.Volumes[i])
			w.Number(len(byLabel))
			for _, label := range slices.Sorted(maps.Keys(byLabel)) {
				w.Text(label)
				w.Texts(byLabel[label])
			}
		}
	},
	Helped: Hints{
		EventNodeAdded:      anyway,
		EventNodeUpdated:    relabelled,
		EventStorageChanged: stored(zonesAnew),
		EventPodUpdated:     itself(volumesOf),
	},
	Draw: Draw{
		Topic:   Volumes,
		Running: drawEphemeralZone,
		Asking: func(s draw.Source, _ draw.Nodes, p *outrank.Pod) {
			drawEphemeralZone(s, p)
			if draw.OneIn(s, "bound to zones", 5) {
				label := draw.Pick(s, "zone label", draw.ZoneKey, draw.ZoneKey, outrank.BetaZoneLabel, outrank.RegionLabel)
				values := draw.Pick(s, "zones", []string{"z1"}, []string{"z1", "z2"}, []string{"z3"}, []string{"e1"}, nil)
				add(p, outrank.Volume{Claim: "zonal", Zones: map[string][]string{label: values}})
			}
		},
		Node: func(s draw.Source, n *outrank.Node) {
			draw.PutLabel(s, n, outrank.RegionLabel, "", "", "e1")
			draw.PutLabel(s, n, outrank.BetaZoneLabel, "", "", "", "z1")
		},
		Room: true,
	},
}

// drawEphemeralZone gives some pods an ephemeral volume in a zone. It is made along with the pod, so its zone
// does not count (rule 7.11.2).
func drawEphemeralZone(s draw.Source, p *outrank.Pod) {
	if draw.OneIn(s, "has a zonal ephemeral volume", 30) {
		addEphemeral(p, outrank.Volume{Zones: map[string][]string{draw.ZoneKey: {"z1"}}})
	}
}

// zones returns the zones and regions of a volume by their labels. An ephemeral volume, which is made along
// with the pod, has none.
func zones(v *outrank.Volume) map[string][]string {
	if v.Ephemeral {
		return nil
	}
	return v.Zones
}
