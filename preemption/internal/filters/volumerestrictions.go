package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/decision"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

var (
	diskText    = []string{"node(s) had no available disk"}
	oncePodText = []string{"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"}
)

// RestrictionsFilter is VolumeRestrictions.
var RestrictionsFilter = descriptor{
	Name:            filter.VolumeRestrictions,
	concernsPod:     hasVolumes,
	concernsRunning: hasVolumes,
	begin: func(q *Question) PodFilter {
		if f := newRestrictedVolumes(q); f != nil {
			return f
		}
		return nil
	},
}

func hasVolumes(p *outrank.Pod) bool { return len(p.Volumes) > 0 }

// RestrictedVolumes is what one preemptor cannot share with other pods.
type RestrictedVolumes struct {
	// disks are the disks that it mounts directly, and once its claims that
	// allow a single pod. InUse counts the claims in once that are in use at
	// the start, each as 1 however many pods use it (VolumeRestrictions
	// PreFilter).
	disks []*outrank.Disk
	once  []string
	inUse int
}

// newRestrictedVolumes returns nil if the filter has nothing to say in the
// whole attempt. The reference does not look at the claims of nominated pods if
// no claim is in use at the start (rule 7.8.6).
func newRestrictedVolumes(q *Question) *RestrictedVolumes {
	var v RestrictedVolumes
	for i := range q.Pod.Volumes {
		vol := &q.Pod.Volumes[i]
		if vol.Disk.Kind != "" {
			v.disks = append(v.disks, &vol.Disk)
		}
		if vol.OncePod && state.UsesClaim(vol) && !slices.Contains(v.once, vol.Claim) {
			v.once = append(v.once, vol.Claim)
		}
	}
	for _, claim := range v.once {
		if q.Snap.Claims.InUse(state.ClaimKey(q.Pod, claim), q.Snap.NodeStates) {
			v.inUse++
		}
	}
	if len(v.disks) == 0 && v.inUse == 0 {
		return nil
	}
	return &v
}

// Touches reports whether pods of the node have a part in the answer; see [PodFilter].
func (v *RestrictedVolumes) Touches(n *state.NodeState) bool {
	return n.Concerned[RestrictionsFilter.Index] > 0
}

// OnNode returns the filter for one worker; see [PodFilter].
func (v *RestrictedVolumes) OnNode(earlier NodeFilter) NodeFilter {
	n, ok := earlier.(*restrictedOnNode)
	if !ok {
		n = &restrictedOnNode{}
	}
	n.filter = v
	return n
}

// restrictedOnNode is the filter on one node.
type restrictedOnNode struct {
	filter *RestrictedVolumes
	// conflicts counts the pairs of a disk of the preemptor and one on the node
	// that cannot be shared.
	conflicts int
	// uses follows InUse. Every mention of a claim by a pod that is added or
	// removed counts 1, whatever the pod's namespace, so that uses can fall
	// below 0 (rule 7.8.5).
	uses int
}

// Enter does not count the claims again: InUse covers the whole cluster.
func (v *restrictedOnNode) Enter(n *state.NodeState) {
	v.conflicts, v.uses = 0, v.filter.inUse
	if n.Concerned[RestrictionsFilter.Index] == 0 {
		return
	}
	for _, p := range n.Pods {
		v.countConflicts(p, 1)
	}
}

func (v *restrictedOnNode) Change(p *state.PodState, by int) {
	v.countConflicts(p, by)
	v.countUses(p, by, &v.uses)
}

// ChangeFar is change for a pod of another node, where its disks are in nobody's way.
func (v *restrictedOnNode) ChangeFar(p *state.PodState, _ *state.NodeState, by int) {
	v.countUses(p, by, &v.uses)
}

// Follow counts the claims alone: the disks are those of a node.
func (v *restrictedOnNode) Follow(p *state.PodState, _ *state.NodeState, by int) {
	v.countUses(p, by, &v.filter.inUse)
}

func (v *restrictedOnNode) countUses(p *state.PodState, by int, uses *int) {
	for i := range p.Pod.Volumes {
		if vol := &p.Pod.Volumes[i]; state.UsesClaim(vol) && slices.Contains(v.filter.once, vol.Claim) {
			*uses += by
		}
	}
}

func (v *restrictedOnNode) countConflicts(p *state.PodState, by int) {
	for i := range p.Pod.Volumes {
		for _, d := range v.filter.disks {
			if d.Conflicts(&p.Pod.Volumes[i].Disk) {
				v.conflicts += by
			}
		}
	}
}

func (v *restrictedOnNode) Check(nominated []*state.PodState) Status {
	for _, p := range nominated {
		v.Change(p, 1)
	}
	var st Status
	switch {
	case v.conflicts > 0:
		st = Status{Code: decision.Unschedulable, Text: diskText}
	case v.uses > 0:
		st = Status{Code: decision.Unschedulable, Text: oncePodText}
	}
	for _, p := range nominated {
		v.Change(p, -1)
	}
	return st
}

func (v *restrictedOnNode) Release() { v.filter = nil }
