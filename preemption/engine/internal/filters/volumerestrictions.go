package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

var (
	diskText    = []string{"node(s) had no available disk"}
	oncePodText = []string{"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"}
)

// RestrictionsFilter is VolumeRestrictions.
var RestrictionsFilter = descriptor{
	Entry: filter.Of(filter.VolumeRestrictions),
	begin: func(q *Question) PodFilter {
		if f := newRestrictedVolumes(q); f != nil {
			return f
		}
		return nil
	},
}

// RestrictedVolumes has the disks and claims of one preemptor that it may be unable to share with other pods.
type RestrictedVolumes struct {
	// disks has the disks that the preemptor mounts directly.
	disks []*outrank.Disk
	// once has the names of its claims that allow a single pod (ReadWriteOncePod), and hashes the hashes of
	// these names.
	once   []string
	hashes []uint32
	// inUse counts the claims in once that are in use at the start. Each counts 1, however many
	// pods use it (VolumeRestrictions PreFilter).
	inUse int
}

// newRestrictedVolumes begins the filter for an attempt. It returns nil if the filter has nothing to say in
// the whole attempt. The reference does not look at the claims of nominated pods if no claim is in use at the
// start (rule 7.8.6).
func newRestrictedVolumes(q *Question) *RestrictedVolumes {
	var v RestrictedVolumes
	pod, snap := q.Pod, q.Snap
	for i := range pod.Volumes {
		vol := &pod.Volumes[i]
		if vol.Disk.Kind != "" {
			v.disks = append(v.disks, &vol.Disk)
		}
		if vol.OncePod && state.UsesClaim(vol) && !slices.Contains(v.once, vol.Claim) {
			v.once, v.hashes = append(v.once, vol.Claim), append(v.hashes, hashOfClaim(vol.Claim))
		}
	}

	// A claim of a single pod counts 1, however many pods use it (rule 7.8.5).
	for _, claim := range v.once {
		if snap.Claims.InUse(state.ClaimKey(pod, claim), snap.NodeStates) {
			v.inUse++
		}
	}
	if len(v.disks) == 0 && v.inUse == 0 {
		return nil
	}
	return &v
}

// diskTaken is the status of a node on which a pod has a disk that it does not share. claimTaken is the
// status of a node if a claim that allows a single pod stays in use.
var (
	diskTaken  = Status{Code: Unschedulable, Text: diskText}
	claimTaken = Status{Code: Unschedulable, Text: oncePodText}
)

// addColumns adds a column of the pods whose disks conflict with the preemptor's, and one of the pods that
// use its claims.
func (v *RestrictedVolumes) addColumns(h *holdings, c *Columns) bool {
	at, stay := c.beginColumn(), int64(0)
	for i := range h.disks {
		switch x := &h.disks[i]; {
		case !slices.ContainsFunc(v.disks, x.Conflicts):
		case c.mayLeave(&x.hold):
			c.wantGone(at, x.hold)
		default:
			stay++
		}
	}
	c.endColumn(at, stay, column{status: &diskTaken})
	v.addUses(h, c)
	return true
}

// addUses adds the column of claims. Its excess starts at the number of the preemptor's claims in use
// anywhere in the cluster, and each mention of such a claim by a pod that leaves takes 1 off (rule 7.8.5).
func (v *RestrictedVolumes) addUses(h *holdings, c *Columns) {
	if v.inUse == 0 {
		return // no claim is in use, and a pod that leaves and comes back does not change that
	}

	x, at := column{excess: int64(v.inUse), status: &claimTaken}, c.beginColumn()
	for i := range h.claims {
		use := &h.claims[i]
		if !slices.Contains(v.hashes, use.hash) || !slices.Contains(v.once, use.volume.Claim) {
			continue
		}

		// Claims are listed pod by pod, so that several mentions by one pod can be merged into the last hold.
		if last := len(c.space) - 1; last < at || c.space[last].pod != use.pod {
			c.space = append(c.space, hold{use.pod, use.priority, 0})
		}
		held := &c.space[len(c.space)-1]
		held.amount++
		x.most = max(x.most, held.amount)
	}
	x.holds = c.space[at:]
	c.list = append(c.list, x)
}

func (v *RestrictedVolumes) appendKey(key *state.KeyWriter) {
	key.Number(len(v.disks))
	for _, d := range v.disks {
		key.Text(string(d.Kind))
		key.Text(d.ID)
		key.Texts(d.Monitors)
		key.Flag(d.ReadOnly)
	}
	key.Texts(v.once)
	key.Number(v.inUse)
}

// Touches reports whether any pod of the node has volumes; see [PodFilter].
func (v *RestrictedVolumes) Touches(n *state.NodeState) bool {
	return heldOn(n).volumes
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

// restrictedOnNode is the filter for one worker, on the node that it entered.
type restrictedOnNode struct {
	filter *RestrictedVolumes
	// conflicts counts the pairs of a disk of the preemptor and a disk on the node that conflict.
	conflicts int
	// uses begins with inUse. Every mention of a claim by a pod that is added or
	// removed counts 1, whatever the pod's namespace, so that uses can fall
	// below 0 (rule 7.8.5).
	uses int
}

// Enter counts the disks of the node. It does not count claims: inUse covers the whole cluster.
func (v *restrictedOnNode) Enter(n *state.NodeState) {
	v.conflicts, v.uses = 0, v.filter.inUse
	if !heldOn(n).volumes {
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

// ChangeFar counts the claims of a pod of another node. Its disks do not matter here.
func (v *restrictedOnNode) ChangeFar(p *state.PodState, _ *state.NodeState, by int) {
	v.countUses(p, by, &v.uses)
}

// Follow counts only the claims of the pod: disks are counted when a node is entered.
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
		st = diskTaken
	case v.uses > 0:
		st = claimTaken
	}
	for _, p := range nominated {
		v.Change(p, -1)
	}
	return st
}

func (v *restrictedOnNode) Release() { v.filter = nil }
