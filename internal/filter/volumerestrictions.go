package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var volumeRestrictionsEntry = Entry{
	Name:       VolumeRestrictions,
	Reads:      Reads{Pod: hasVolumes, Running: hasVolumes},
	Fails:      CurableFailure,
	Gains:      always,
	Conclusive: CurableFailure,
	Helped:     []string{EventNodeAdded, EventAssignedPodDeleted, EventStorageChanged},
	LooksAt:    volumesOf,
	Draw:       Draw{Topic: Volumes, Running: drawUnshared, Asking: alike(drawUnshared), Room: true},
}

// drawUnshared gives every second pod volumes that must not be shared. Several pods may get a claim that only
// one may use, because the API server does not prevent that either.
func drawUnshared(s draw.Source, p *outrank.Pod) {
	if draw.OneIn(s, "has volumes of its own", 2) {
		add(p, draw.List(s, "volumes of its own", draw.Between(1, 2), drawUnsharedVolume)...)
	}
	if draw.OneIn(s, "has an ephemeral claim for one pod", 30) {
		addEphemeral(p, outrank.Volume{OncePod: true})
	}
}

func drawUnsharedVolume(s draw.Source) outrank.Volume {
	switch s.Int("claim or disk", 0, 4) {
	case 0, 1:
		return outrank.Volume{Claim: "own", OncePod: true}
	case 2:
		return outrank.Volume{Claim: "lock", Driver: diskDriver, Handle: "h3", OncePod: true}
	}
	return outrank.Volume{Disk: drawDisk(s)}
}

func drawDisk(s draw.Source) outrank.Disk {
	d := outrank.Disk{
		Kind: draw.Pick(s, "kind of disk", outrank.GCEPersistentDisk, outrank.AWSElasticBlockStore, outrank.ISCSI, outrank.RBD, outrank.RBD),
		ID:   "d1", ReadOnly: draw.OneIn(s, "read only", 2),
	}
	if d.Kind == outrank.RBD {
		d.ID = "rbd/d1"
		d.Monitors = draw.Pick(s, "monitors", nil, []string{"m1", "m2"}, []string{"m2", "m3"}, []string{"m4"})
	}
	return d
}
