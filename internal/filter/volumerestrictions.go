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
	Helped: Hints{
		EventNodeAdded:          anyway,
		EventAssignedPodDeleted: leavesVolume,
		EventStorageChanged:     stored(restrictsAnew),
		EventPodUpdated:         itself(volumesOf),
	},
	Draw: Draw{Topic: Volumes, Running: drawUnshared, Asking: alike(drawUnshared), Room: true},
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

// leavesVolume reports whether a pod that ends leaves a disk that the two cannot share, or a claim that the waiting
// pod uses, too, whatever its access mode. Pods of another namespace leave nothing, not even disks (rule 5.4.27).
func leavesVolume(w *Waiting, c *Change) bool {
	if w.Pod.NamespaceName() != c.Pod.NamespaceName() {
		return false
	}
	for i := range w.Pod.Volumes {
		wants := &w.Pod.Volumes[i]
		for j := range c.Pod.Volumes {
			left := &c.Pod.Volumes[j]
			if wants.Disk.Conflicts(&left.Disk) || claimOf(wants) != "" && claimOf(wants) == claimOf(left) {
				return true
			}
		}
	}
	return false
}

// claimOf returns the name of the claim that a volume names itself. It is empty for an ephemeral volume, whose claim
// is made along with the pod.
func claimOf(v *outrank.Volume) string {
	if v.Ephemeral {
		return ""
	}
	return v.Claim
}
