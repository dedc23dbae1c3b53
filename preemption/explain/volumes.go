package explain

import (
	"maps"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// nameDisks finds the pod's disks that other pods have mounted. If there are none, it finds the ReadWriteOncePod
// claims that are in use (group 7.8).
func (f *finder) nameDisks(o *Obstacle, at *place) {
	// The filter checks disks first. If one of them is mounted, it does not check claims.
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

// claimKey returns the key of the claim of a volume of the preemptor.
func (f *finder) claimKey(v *outrank.Volume) outrank.Key {
	return outrank.NewKey(f.pod.Namespace, v.Claim)
}

// mounts reports whether the pod mounts a disk that conflicts with d.
func mounts(p *outrank.Pod, d *outrank.Disk) bool {
	return slices.ContainsFunc(p.Volumes, func(v outrank.Volume) bool { return d.Conflicts(&v.Disk) })
}

// diskText returns the name of a disk in reports.
func diskText(d *outrank.Disk) string { return string(d.Kind) + "/" + d.ID }

// userOf finds a pod that uses a claim of the preemptor's namespace, with its node: a pod that runs on any node and is
// not gone, or a pod that is nominated to the node at. It returns nil if there is none.
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

// attachment identifies a volume that a driver attaches to a node. Equal values are the same volume.
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

// nameLimits finds a driver that is missing on the node, or the drivers that can attach no more volumes (group 7.9).
func (f *finder) nameLimits(o *Obstacle, at *place) {
	if o.Names = f.missingDrivers(at.node, o.Reasons); o.Names != nil {
		return
	}

	// Nominated pods are only counted if the running pods alone leave room.
	if o.Short = f.attachable(at, f.present(at)); o.Short == nil {
		o.Short = f.attachable(at, f.holders(at))
	}
}

// missingDrivers returns the driver that the node lacks according to the filter's reasons, or nil. The filter names only
// the first missing driver (rule 7.9.9).
func (f *finder) missingDrivers(node *outrank.Node, reasons []string) []string {
	for _, a := range attachments(f.pod) {
		if slices.Contains(node.MissingDrivers, a.driver) && slices.Contains(reasons, a.driver+" CSI driver is not installed on the node") {
			return []string{a.driver}
		}
	}
	return nil
}

// attachable lists the drivers that cannot attach the preemptor's volumes in addition to the pods' volumes. Each is
// described as a resource that is short.
func (f *finder) attachable(at *place, pods []*outrank.Pod) []Room {
	// A volume counts once, however many pods use it, and is not new if it is attached already (rule 7.9.3).
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

	// Without new volumes a driver is never the obstacle, even if it is beyond its limit.
	var out []Room
	for _, driver := range slices.Sorted(maps.Keys(added)) {
		if limit, limited := at.node.AttachLimits[driver]; limited && attached[driver]+added[driver] > limit {
			volumes := amounts{resource: resource.Name(attachable + driver), needed: added[driver], offered: limit, taken: attached[driver]}
			out = append(out, volumes.room())
		}
	}
	return out
}

// nameBinding finds the claims without a usable volume, and the volumes that cannot be used on the node (group
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

// unusable describes a volume that cannot be used on the node, with the terms of its node affinity. Only the label
// requirements of a term count, and not those on fields (rule 7.10.3).
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

// today maps the beta labels of zones and regions to the labels that replaced them.
var today = map[string]string{
	outrank.BetaZoneLabel: outrank.ZoneLabel, outrank.BetaRegionLabel: outrank.RegionLabel,
}

// nameZones finds volumes that are in other zones or regions than the node (group 7.11).
func (f *finder) nameZones(o *Obstacle, at *place) {
	for i := range f.pod.Volumes {
		v := &f.pod.Volumes[i]
		if v.Ephemeral {
			continue // the filter ignores ephemeral volumes (rule 7.11.2)
		}

		for _, label := range slices.Sorted(maps.Keys(v.Zones)) {
			// If the node lacks the beta label, today's label counts instead (rule 7.11.4).
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
