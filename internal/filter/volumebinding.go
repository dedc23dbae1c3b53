package filter

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var volumeBindingEntry = Entry{
	Name: VolumeBinding,
	Reads: Reads{Pod: func(pod *outrank.Pod) bool {
		return slices.ContainsFunc(pod.Volumes, func(v outrank.Volume) bool { return v.Node != nil || isMissing(&v) })
	}},
	Fails: IncurableFailure,
	Gains: always,
	Signature: func(w Writer, pod *outrank.Pod) {
		w.Number(len(pod.Volumes))
		for i := range pod.Volumes {
			w.Flag(isMissing(&pod.Volumes[i]))
			w.NodeSelector(pod.Volumes[i].Node)
		}
	},
	Helped: Hints{
		EventNodeAdded:      anyway,
		EventNodeUpdated:    relabelled,
		EventStorageChanged: stored(bindsMore),
		EventPodUpdated:     itself(volumesOf),
	},
	Draw: Draw{
		Topic:   Volumes,
		Running: func(s draw.Source, p *outrank.Pod) { drawClaims(s, p, 6) },
		Asking: func(s draw.Source, nodes draw.Nodes, p *outrank.Pod) {
			drawClaims(s, p, 12)
			if draw.OneIn(s, "bound to nodes", 6) {
				add(p, outrank.Volume{Claim: "local", Node: drawNodeSelector(s, nodes, 0, 2)})
			}
		},
		Room: true,
	},
}

// drawClaims gives some pods a claim that no driver attaches, and one pod in oneIn a claim that no pod can use.
// A name means the same claim in every drawn pod.
func drawClaims(s draw.Source, p *outrank.Pod, oneIn int) {
	if draw.OneIn(s, "has an unattached claim", 12) {
		add(p, outrank.Volume{Claim: "unbound"})
	}
	if draw.OneIn(s, "has a broken claim", oneIn) {
		add(p, draw.Pick(s, "broken claim",
			outrank.Volume{Claim: "dying", State: outrank.ClaimDeleting, Driver: diskDriver, Handle: "h1"},
			outrank.Volume{Claim: "gone", State: outrank.ClaimLost, MissingVolume: "pv-gone"},
			outrank.Volume{Claim: "early", State: outrank.ClaimUnbound, Driver: fileDriver},
			outrank.Volume{Claim: "astray", State: outrank.ClaimVolumeMissing, MissingVolume: "pv-astray", Driver: diskDriver},
		))
	}
	if draw.OneIn(s, "has a broken ephemeral claim", 30) {
		addEphemeral(p, outrank.Volume{State: outrank.ClaimVolumeMissing, MissingVolume: "pv"})
	}
}

// isMissing reports whether a claim names this volume and the volume does not exist.
func isMissing(v *outrank.Volume) bool { return v.Claim != "" && v.State == outrank.ClaimVolumeMissing }
