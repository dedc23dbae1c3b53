package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// volumes is what the four volume filters ask for one preemptor (section 5).
// Workers share it.
type volumes struct {
	// disks are those it mounts by itself, and once its claims that allow a
	// single pod. inUse counts the claims among these that are in use at the
	// start, each as 1 however many pods use it (VolumeRestrictions PreFilter).
	disks []*outrank.Disk
	once  []string
	inUse int
	// drivers are what has to attach volumes for it (NodeVolumeLimits).
	drivers []driver
	// placed are the volumes that cannot be used everywhere (VolumeBinding and
	// VolumeZone).
	placed []*outrank.Volume
}

// driver attaches volumes, each handle once.
type driver struct {
	name    string
	handles []string
}

// newVolumes is nil where the filters have nothing to say.
func newVolumes(snap *Snapshot, pod *outrank.Pod) *volumes {
	if len(pod.Volumes) == 0 {
		return nil
	}
	v := &volumes{}
	for i := range pod.Volumes {
		v.want(&pod.Volumes[i])
	}
	for _, claim := range v.once {
		if snap.claimInUse(claimKey(pod, claim)) {
			v.inUse++
		}
	}
	if len(v.disks) == 0 && v.inUse == 0 {
		// The reference leaves VolumeRestrictions out of the whole attempt then,
		// so that nominated pods with the same claims are not seen.
		v.once = nil
	}
	if len(v.disks)+len(v.once)+len(v.drivers)+len(v.placed) == 0 {
		return nil
	}
	return v
}

// want takes in one volume of the preemptor.
func (v *volumes) want(vol *outrank.Volume) {
	if vol.Disk.Kind != "" {
		v.disks = append(v.disks, &vol.Disk)
	}
	if vol.OncePod && vol.Claim != "" && !slices.Contains(v.once, vol.Claim) {
		v.once = append(v.once, vol.Claim)
	}
	if vol.Node != nil || len(vol.Zones) > 0 {
		v.placed = append(v.placed, vol)
	}
	if !attached(vol) {
		return
	}
	at := slices.IndexFunc(v.drivers, func(d driver) bool { return d.name == vol.Driver })
	if at < 0 {
		at = len(v.drivers)
		v.drivers = append(v.drivers, driver{name: vol.Driver})
	}
	if d := &v.drivers[at]; !slices.Contains(d.handles, vol.Handle) {
		d.handles = append(d.handles, vol.Handle)
	}
}

// attached reports whether a volume counts against a limit.
func attached(v *outrank.Volume) bool { return v.Driver != "" && v.Handle != "" }

// volumeNode is the filters on one node, during a dry run there.
type volumeNode struct {
	*volumes
	// place is what VolumeBinding and VolumeZone say: the node alone decides.
	place status
	// conflicts counts the pairs of a disk of the preemptor and one on the node
	// that cannot be shared.
	conflicts int
	// uses follows inUse. Every mention of a claim by a pod that comes or goes
	// is 1, whatever the pod's namespace; so it can fall below 0.
	uses int
	// attach is what each of the preemptor's drivers holds on the node.
	attach []attachment
}

// attachment counts the pods of a node that use each handle of a driver.
type attachment struct {
	limited bool
	limit   int64
	handles map[string]int
}

// enter begins with a node, as the snapshot has it. Claims are not counted
// again: they were over the whole cluster.
func (v *volumeNode) enter(n *nodeState) {
	if v.volumes == nil {
		return
	}
	v.place = v.placeOn(n.node)
	v.conflicts, v.uses = 0, v.inUse
	if v.attach == nil {
		v.attach = make([]attachment, len(v.drivers))
	}
	for i := range v.attach {
		a := &v.attach[i]
		a.limit, a.limited = n.node.AttachLimits[v.drivers[i].name]
		if a.handles == nil {
			a.handles = map[string]int{}
		}
		clear(a.handles)
	}
	if n.mounting > 0 {
		for _, p := range n.pods {
			v.count(p, 1)
		}
	}
}

// change follows a pod that comes or goes. It is small enough to cost nothing
// where there is nothing to follow.
func (v *volumeNode) change(p *podState, by int) {
	if v.volumes != nil {
		v.follow(p, by)
	}
}

func (v *volumeNode) follow(p *podState, by int) {
	v.count(p, by)
	for i := range p.pod.Volumes {
		if slices.Contains(v.once, p.pod.Volumes[i].Claim) {
			v.uses += by
		}
	}
}

// count counts what a pod's volumes take of the node.
func (v *volumeNode) count(p *podState, by int) {
	for i := range p.pod.Volumes {
		vol := &p.pod.Volumes[i]
		for _, d := range v.disks {
			if d.Conflicts(&vol.Disk) {
				v.conflicts += by
			}
		}
		if !attached(vol) {
			continue
		}
		for j := range v.drivers {
			if v.drivers[j].name == vol.Driver && v.attach[j].limited {
				v.attach[j].add(vol.Handle, by)
			}
		}
	}
}

func (a *attachment) add(handle string, by int) {
	if a.handles[handle] += by; a.handles[handle] == 0 {
		delete(a.handles, handle)
	}
}

// takes reports whether the node can attach more handles, which may be there
// already (CSILimits Filter).
func (a *attachment) takes(handles []string) bool {
	more := 0
	for _, h := range handles {
		if a.handles[h] == 0 {
			more++
		}
	}
	return !a.limited || more == 0 || int64(len(a.handles)+more) <= a.limit
}

func (v *volumeNode) check(nominated []*podState) status {
	for _, p := range nominated {
		v.change(p, 1)
	}
	st := v.ask()
	for _, p := range nominated {
		v.change(p, -1)
	}
	return st
}

// ask goes through the filters in their order.
func (v *volumeNode) ask() status {
	switch {
	case v.conflicts > 0:
		return status{code: Unschedulable, by: byRestrictions, text: diskText}
	case v.uses > 0:
		return status{code: Unschedulable, by: byRestrictions, text: oncePodText}
	}
	for i := range v.attach {
		if !v.attach[i].takes(v.drivers[i].handles) {
			return status{code: Unschedulable, by: byVolumeLimits, text: volumeLimitText}
		}
	}
	return v.place
}

// placeOn asks whether the volumes can be used on the node.
func (v *volumes) placeOn(n *outrank.Node) status {
	for _, vol := range v.placed {
		if vol.Node != nil && !fit.MatchesLabels(vol.Node, n.Labels) {
			return fails(byVolumeBinding, volumeNodeText)
		}
	}
	if !hasZone(n) {
		return status{}
	}
	for _, vol := range v.placed {
		for label, values := range vol.Zones {
			if at, ok := zoneOf(n, label); !ok || !slices.Contains(values, at) {
				return fails(byVolumeZone, volumeZoneText)
			}
		}
	}
	return status{}
}

// hasZone reports whether the node says where it is; one that does not takes
// any volume.
func hasZone(n *outrank.Node) bool {
	for _, label := range [...]string{outrank.ZoneLabel, outrank.RegionLabel, outrank.BetaZoneLabel, outrank.BetaRegionLabel} {
		if _, ok := n.Labels[label]; ok {
			return true
		}
	}
	return false
}

// zoneOf is the node's value of a label, or of the label that has replaced it.
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
