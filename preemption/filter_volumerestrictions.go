package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/decision"
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
	// allow a single pod. inUse counts the claims in once that are in use at
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
		if vol.OncePod && usesClaim(vol) && !slices.Contains(v.once, vol.Claim) {
			v.once = append(v.once, vol.Claim)
		}
	}
	for _, claim := range v.once {
		if q.snap.claims.inUse(claimKey(q.pod, claim), q.snap.nodes) {
			v.inUse++
		}
	}
	if len(v.disks) == 0 && v.inUse == 0 {
		return nil
	}
	return &v
}

func (v *restrictedVolumes) touches(n *nodeState) bool {
	return n.concerned[restrictionsFilter.index] > 0
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
	// uses follows inUse. Every mention of a claim by a pod that is added or
	// removed counts 1, whatever the pod's namespace, so that uses can fall
	// below 0 (rule 7.8.5).
	uses int
}

// enter does not count the claims again: inUse covers the whole cluster.
func (v *restrictedOnNode) enter(n *nodeState) {
	v.conflicts, v.uses = 0, v.inUse
	if n.concerned[restrictionsFilter.index] == 0 {
		return
	}
	for _, p := range n.pods {
		v.countConflicts(p, 1)
	}
}

func (v *restrictedOnNode) change(p *podState, by int) {
	v.countConflicts(p, by)
	v.countUses(p, by, &v.uses)
}

// changeFar is change for a pod of another node, where its disks are in nobody's way.
func (v *restrictedOnNode) changeFar(p *podState, _ *nodeState, by int) {
	v.countUses(p, by, &v.uses)
}

// follow counts the claims alone: the disks are those of a node.
func (v *restrictedOnNode) follow(p *podState, _ *nodeState, by int) {
	v.countUses(p, by, &v.inUse)
}

func (v *restrictedOnNode) countUses(p *podState, by int, uses *int) {
	for i := range p.pod.Volumes {
		if vol := &p.pod.Volumes[i]; usesClaim(vol) && slices.Contains(v.once, vol.Claim) {
			*uses += by
		}
	}
}

func (v *restrictedOnNode) countConflicts(p *podState, by int) {
	for i := range p.pod.Volumes {
		for _, d := range v.disks {
			if d.Conflicts(&p.pod.Volumes[i].Disk) {
				v.conflicts += by
			}
		}
	}
}

func (v *restrictedOnNode) check(nominated []*podState) filterStatus {
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
