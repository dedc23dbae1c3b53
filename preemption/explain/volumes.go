package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// nameDisks finds the pod's disks that other pods have mounted. If there are none, it finds the claims for a
// single pod that are in use (group 7.8).
func (f *finder) nameDisks(o *Obstacle, at *place) {
	// The filter looks at disks first, and does not come to claims where one is in the way.
	holders := f.holders(at)
	for i := range f.pod.Volumes {
		v := &f.pod.Volumes[i]
		if v.Disk.Kind != "" {
			if j := slices.IndexFunc(holders, func(p *outrank.Pod) bool { return mounts(p, &v.Disk) }); j >= 0 {
				o.Volumes = append(o.Volumes, Volume{Disk: diskText(&v.Disk), Holder: f.ref(holders[j], at.node.Name)})
			}
		}
	}
	if len(o.Volumes) > 0 {
		return
	}

	for i := range f.pod.Volumes {
		v := &f.pod.Volumes[i]
		if v.OncePod && v.Claim != "" && !v.Ephemeral {
			if user, node := f.userOf(v.Claim, at); user != nil {
				o.Volumes = append(o.Volumes, Volume{Claim: f.claimKey(v), Holder: f.ref(user, node)})
			}
		}
	}
}

// claimKey names the claim of a volume of the preemptor.
func (f *finder) claimKey(v *outrank.Volume) outrank.Key {
	return outrank.NewKey(f.pod.Namespace, v.Claim)
}

// mounts reports whether the pod mounts a disk that cannot be shared with d.
func mounts(p *outrank.Pod, d *outrank.Disk) bool {
	return slices.ContainsFunc(p.Volumes, func(v outrank.Volume) bool { return d.Conflicts(&v.Disk) })
}

// diskText names a disk.
func diskText(d *outrank.Disk) string { return string(d.Kind) + "/" + d.ID }

// userOf finds a pod that uses a claim of the preemptor's namespace: a pod on any node that is not gone, or one
// that is nominated to the node; nil for none.
func (f *finder) userOf(claim string, at *place) (user *outrank.Pod, node string) {
	uses := func(v outrank.Volume) bool { return v.Claim == claim && !v.Ephemeral }
	for n := range f.snap.Nodes() {
		for _, p := range f.snap.PodsOn(n.Name) {
			if p.Key() != f.pod.Key() && !at.isGone(p) && p.NamespaceName() == f.pod.NamespaceName() && slices.ContainsFunc(p.Volumes, uses) {
				return p, n.Name
			}
		}
	}
	// Nominated pods count whatever their namespace (rule 7.8.5).
	return f.nominee(at, func(p *outrank.Pod) bool { return slices.ContainsFunc(p.Volumes, uses) }), at.node.Name
}

// attachment is a volume that a driver attaches to a node. Equal values are the same volume.
type attachment struct{ driver, handle string }

// attachments lists the volumes of a pod that count against limits, each once, in the order of the pod (rules
// 7.9.3 to 7.9.6).
func attachments(p *outrank.Pod) []attachment {
	var out []attachment
	for i := range p.Volumes {
		v := &p.Volumes[i]
		a := attachment{v.Driver, v.Handle}
		switch {
		case v.Disk.Kind != "":
			a.driver, a.handle = v.Disk.Attachment()
		case v.Handle == "" && v.Claim != "":
			a.handle = "\x00" + string(outrank.NewKey(p.Namespace, v.Claim))
		}
		if a.driver != "" && a.handle != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// nameLimits finds the driver that is missing or those that can attach no more (group 7.9).
func (f *finder) nameLimits(o *Obstacle, at *place) {
	if o.Names = f.missingDrivers(at.node, o.Reasons); o.Names != nil {
		return
	}

	// Nominated pods are counted only where the running pods alone leave room.
	if o.Short = f.attachable(at, f.present(at)); o.Short == nil {
		o.Short = f.attachable(at, f.holders(at))
	}
}

// missingDrivers returns the driver that the node lacks and that its answer names; nil for none. The answer
// names only the first (rule 7.9.9).
func (f *finder) missingDrivers(node *outrank.Node, reasons []string) []string {
	for _, a := range attachments(f.pod) {
		if slices.Contains(node.MissingDrivers, a.driver) && slices.Contains(reasons, a.driver+" CSI driver is not installed on the node") {
			return []string{a.driver}
		}
	}
	return nil
}

// attachable lists the drivers that cannot attach the preemptor's volumes beside those of the pods, as room
// that is short.
func (f *finder) attachable(at *place, pods []*outrank.Pod) []Room {
	// A volume counts once, however many pods use it, and is not new where it is attached (rule 7.9.3).
	there := map[attachment]bool{}
	attached, added := map[string]int64{}, map[string]int64{}
	for _, p := range pods {
		for _, a := range attachments(p) {
			if !there[a] {
				there[a] = true
				attached[a.driver]++
			}
		}
	}
	for _, a := range attachments(f.pod) {
		if !there[a] {
			added[a.driver]++
		}
	}

	var out []Room
	for _, driver := range slices.Sorted(maps.Keys(added)) {
		if limit, limited := at.node.AttachLimits[driver]; limited && attached[driver]+added[driver] > limit {
			volumes := amounts{resource: resource.Name(attachable + driver), needed: added[driver], offered: limit, taken: attached[driver]}
			out = append(out, volumes.room())
		}
	}
	return out
}

// nameBinding finds the claims that have no volume, and the volumes that cannot be used on the node (group
// 7.10).
func (f *finder) nameBinding(o *Obstacle, at *place) {
	for i := range f.pod.Volumes {
		v := &f.pod.Volumes[i]
		switch {
		case v.Claim != "" && v.State != "":
			o.Volumes = append(o.Volumes, Volume{Claim: f.claimKey(v), State: v.State, MissingVolume: v.MissingVolume})
		case v.Node != nil && at.node != nil && !fit.MatchesLabels(v.Node, at.node.Labels):
			o.Volumes = append(o.Volumes, f.unusable(v, at.node))
		}
	}
}

// unusable describes a volume that cannot be used on the node, with the places where it can. Of a term only
// labels count, and no fields (rule 7.10.3).
func (f *finder) unusable(v *outrank.Volume, node *outrank.Node) Volume {
	out := Volume{Claim: f.claimKey(v), Terms: []Term{}}
	if v.Claim == "" {
		out.Claim, out.Disk = "", diskText(&v.Disk)
	}
	more := 0
	for _, t := range cut(v.Node.NodeSelectorTerms, f.most, &more) {
		out.Terms = append(out.Terms, Term{Unmet: unmetOf(&outrank.NodeSelectorTerm{MatchExpressions: t.MatchExpressions}, node)})
	}
	return out
}

// today has, for each beta label of a zone or region, the label that replaced it.
var today = map[string]string{
	outrank.BetaZoneLabel: outrank.ZoneLabel, outrank.BetaRegionLabel: outrank.RegionLabel,
}

// nameZones finds volumes that are in other zones or regions than the node (group 7.11).
func (f *finder) nameZones(o *Obstacle, at *place) {
	for i := range f.pod.Volumes {
		v := &f.pod.Volumes[i]
		if v.Ephemeral {
			continue // rule 7.11.2
		}

		for _, label := range slices.Sorted(maps.Keys(v.Zones)) {
			// The label of today does in place of the beta one (rule 7.11.4).
			have, ok := at.node.Labels[label]
			if !ok {
				have = at.node.Labels[today[label]]
			}

			if !slices.Contains(v.Zones[label], have) {
				more := 0
				wanted := outrank.NodeRequirement{Key: label, Operator: outrank.In, Values: slices.Clone(cut(v.Zones[label], f.most, &more))}
				o.Volumes = append(o.Volumes, Volume{Claim: f.claimKey(v), Zone: &Label{wanted, &have}})
			}
		}
	}
}
