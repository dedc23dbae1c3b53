package preemption

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

var restrictionsFilter = descriptor{
	name:            filter.VolumeRestrictions,
	concernsPod:     hasVolumes,
	concernsRunning: hasVolumes,
	begin: func(q *question) podFilter {
		if f := newRestrictedVolumes(q); f != nil {
			return f
		}
		return nil
	},
}

func hasVolumes(p *outrank.Pod) bool { return len(p.Volumes) > 0 }

// restrictedVolumes is what one preemptor cannot share with other pods.
type restrictedVolumes struct {
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
func newRestrictedVolumes(q *question) *restrictedVolumes {
	var v restrictedVolumes
	for i := range q.pod.Volumes {
		vol := &q.pod.Volumes[i]
		if vol.Disk.Kind != "" {
			v.disks = append(v.disks, &vol.Disk)
		}
		if vol.OncePod && state.UsesClaim(vol) && !slices.Contains(v.once, vol.Claim) {
			v.once = append(v.once, vol.Claim)
		}
	}
	for _, claim := range v.once {
		if q.snap.Claims.InUse(state.ClaimKey(q.pod, claim), q.snap.NodeStates) {
			v.inUse++
		}
	}
	if len(v.disks) == 0 && v.inUse == 0 {
		return nil
	}
	return &v
}

func (v *restrictedVolumes) touches(n *state.NodeState) bool {
	return n.Concerned[restrictionsFilter.index] > 0
}

func (v *restrictedVolumes) onNode(earlier nodeFilter) nodeFilter {
	n, ok := earlier.(*restrictedOnNode)
	if !ok {
		n = &restrictedOnNode{}
	}
	n.restrictedVolumes = v
	return n
}

// restrictedOnNode is the filter on one node.
type restrictedOnNode struct {
	*restrictedVolumes
	// conflicts counts the pairs of a disk of the preemptor and one on the node
	// that cannot be shared.
	conflicts int
	// uses follows InUse. Every mention of a claim by a pod that is added or
	// removed counts 1, whatever the pod's namespace, so that uses can fall
	// below 0 (rule 7.8.5).
	uses int
}

// enter does not count the claims again: InUse covers the whole cluster.
func (v *restrictedOnNode) enter(n *state.NodeState) {
	v.conflicts, v.uses = 0, v.inUse
	if n.Concerned[restrictionsFilter.index] == 0 {
		return
	}
	for _, p := range n.Pods {
		v.countConflicts(p, 1)
	}
}

func (v *restrictedOnNode) change(p *state.PodState, by int) {
	v.countConflicts(p, by)
	v.countUses(p, by, &v.uses)
}

// changeFar is change for a pod of another node, where its disks are in nobody's way.
func (v *restrictedOnNode) changeFar(p *state.PodState, _ *state.NodeState, by int) {
	v.countUses(p, by, &v.uses)
}

// follow counts the claims alone: the disks are those of a node.
func (v *restrictedOnNode) follow(p *state.PodState, _ *state.NodeState, by int) {
	v.countUses(p, by, &v.inUse)
}

func (v *restrictedOnNode) countUses(p *state.PodState, by int, uses *int) {
	for i := range p.Pod.Volumes {
		if vol := &p.Pod.Volumes[i]; state.UsesClaim(vol) && slices.Contains(v.once, vol.Claim) {
			*uses += by
		}
	}
}

func (v *restrictedOnNode) countConflicts(p *state.PodState, by int) {
	for i := range p.Pod.Volumes {
		for _, d := range v.disks {
			if d.Conflicts(&p.Pod.Volumes[i].Disk) {
				v.conflicts += by
			}
		}
	}
}

func (v *restrictedOnNode) check(nominated []*state.PodState) filterStatus {
	for _, p := range nominated {
		v.change(p, 1)
	}
	var st filterStatus
	switch {
	case v.conflicts > 0:
		st = filterStatus{code: decision.Unschedulable, text: diskText}
	case v.uses > 0:
		st = filterStatus{code: decision.Unschedulable, text: oncePodText}
	}
	for _, p := range nominated {
		v.change(p, -1)
	}
	return st
}

func (v *restrictedOnNode) release() { v.restrictedVolumes = nil }
