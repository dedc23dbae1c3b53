package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// The filters about volumes: VolumeRestrictions (group 7.8), NodeVolumeLimits (7.9), VolumeBinding
// (7.10) and VolumeZone (7.11).

// claimCounts is what VolumeRestrictions knows before the first node.
type claimCounts struct {
	// once holds the names of the preemptor's claims that allow a single pod.
	once map[string]bool
	// inUse is the number of these claims that are in use.
	inUse int
}

// usesClaim reports whether a volume uses a claim for VolumeRestrictions: a generic ephemeral one, whose
// claim is made along with its pod, does not (rule 7.8.7).
func usesClaim(v *outrank.Volume) bool { return v.Claim != "" && !v.Ephemeral }

// beginRestrictions counts the preemptor's claims that allow a single pod and are in use anywhere (rule
// 7.8.4). If there is none, and the pod mounts no disk by itself, the attempt goes without the filter (rule
// 7.8.6).
func (a *attempt) beginRestrictions() bool {
	a.claims.once = map[string]bool{}
	mountsDisk := false
	for i := range a.pod.Volumes {
		v := &a.pod.Volumes[i]
		mountsDisk = mountsDisk || v.Disk.Kind != ""
		if v.OncePod && usesClaim(v) {
			a.claims.once[v.Claim] = true
		}
	}

	// At the start a claim counts once, however many pods of its namespace use it (rule 7.8.5).
	inUse := map[string]bool{}
	for _, s := range a.sites {
		for _, p := range s.running {
			if len(a.claims.once) > 0 && p.pod.NamespaceName() == a.pod.NamespaceName() {
				a.eachOnceClaim(p.pod, func(claim string) { inUse[claim] = true })
			}
		}
	}

	a.claims.inUse = len(inUse)
	return a.claims.inUse > 0 || mountsDisk
}

// eachOnceClaim calls f for each volume of a pod that uses a claim named in claims.once. It ignores the
// namespace of the pod.
func (a *attempt) eachOnceClaim(p *outrank.Pod, f func(claim string)) {
	for i := range p.Volumes {
		if v := &p.Volumes[i]; usesClaim(v) && a.claims.once[v.Claim] {
			f(v.Claim)
		}
	}
}

// enterRestrictions begins with the claims that are in use at the start (rule 7.8.5).
func (d *dryRun) enterRestrictions() { d.claimUses = d.attempt.claims.inUse }

// followClaims counts every volume that uses a claim of that name, in any namespace. A claim that two pods
// share counts once at the start, but each of them gives it back, so it can look free too early (rule 7.8.5).
func (d *dryRun) followClaims(p *occupant, by int) {
	d.attempt.eachOnceClaim(p.pod, func(string) { d.claimUses += by })
}

// askRestrictions fails if a pod on the node mounts a disk that cannot be shared with the preemptor (rule
// 7.8.2), or if one of the preemptor's claims that allow a single pod is in use (rule 7.8.4).
func (d *dryRun) askRestrictions() Status {
	for _, p := range d.pods {
		if disksConflict(d.pod, p.pod) {
			return unschedulableBy(VolumeRestrictions, "node(s) had no available disk")
		}
	}
	if d.claimUses > 0 {
		return unschedulableBy(VolumeRestrictions,
			"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")
	}
	return Status{}
}

// disksConflict reports whether two pods mount a disk that they cannot share (rule 7.8.2).
func disksConflict(p, q *outrank.Pod) bool {
	for i := range p.Volumes {
		for j := range q.Volumes {
			if diskConflicts(&p.Volumes[i].Disk, &q.Volumes[j].Disk) {
				return true
			}
		}
	}
	return false
}

// diskConflicts reports whether two disks are the same one, and two pods cannot both mount it (rule 7.8.2).
// They can if both only read it, unless it is an EBS volume.
func diskConflicts(d, e *outrank.Disk) bool {
	if d.Kind == "" || d.Kind != e.Kind || d.ID != e.ID {
		return false
	}

	// RBD images of one name are one image if they have a monitor in common (rule 7.8.3). One that lists no
	// monitors may be any.
	if d.Kind == outrank.RBD && len(d.Monitors) > 0 && len(e.Monitors) > 0 {
		shared := slices.ContainsFunc(d.Monitors, func(m string) bool { return slices.Contains(e.Monitors, m) })
		if !shared {
			return false
		}
	}

	bothRead := d.ReadOnly && e.ReadOnly
	return d.Kind == outrank.AWSElasticBlockStore || !bothRead
}

// beginVolumes begins NodeVolumeLimits, VolumeBinding and VolumeZone. They have nothing to say about a pod
// without volumes (rules 7.9.3, 7.10.2 and 7.11.2).
func (a *attempt) beginVolumes() bool { return len(a.pod.Volumes) > 0 }

// attachment is a volume that a driver attaches to a node.
type attachment struct{ driver, id string }

// attachmentOf returns what a volume of the pod attaches; most volumes attach nothing. A volume that its
// driver has yet to make is known by its claim (rule 7.9.6).
func attachmentOf(p *outrank.Pod, v *outrank.Volume) (at attachment, attaches bool) {
	at = attachment{v.Driver, v.Handle}
	switch {
	case v.Disk.Kind != "":
		at.driver, at.id = v.Disk.Attachment() // rule 7.9.4
	case v.Handle == "" && v.Claim != "":
		at.id = "yet to be made for " + p.NamespaceName() + "/" + v.Claim
	}
	return at, at.driver != "" && at.id != ""
}

// eachAttachment calls f for all that the pod's volumes attach, in their order (rules 7.9.4 and 7.9.6).
func eachAttachment(p *outrank.Pod, f func(at attachment)) {
	for i := range p.Volumes {
		if at, attaches := attachmentOf(p, &p.Volumes[i]); attaches {
			f(at)
		}
	}
}

// askVolumeLimits fails if a driver that has to be on the node is missing, or if the volumes there together
// with the new ones of the pod exceed the limit of their driver (rule 7.9.2).
func (d *dryRun) askVolumeLimits() Status {
	// What the pods on the node attach counts once, however many of them use it (rule 7.9.3).
	there := map[attachment]bool{}
	count := map[string]int64{}
	for _, p := range d.pods {
		eachAttachment(p.pod, func(at attachment) {
			if !there[at] {
				there[at] = true
				count[at.driver]++
			}
		})
	}

	if driver, missing := d.missingDriver(); missing {
		return unschedulableBy(NodeVolumeLimits, driver+" CSI driver is not installed on the node")
	}

	// A limit is checked when the pod adds to it: a driver to which the pod brings nothing new may be beyond
	// its limit already (rule 7.9.3).
	tooMany := false
	eachAttachment(d.pod, func(at attachment) {
		if there[at] {
			return
		}
		there[at] = true
		count[at.driver]++
		limit, limited := d.node().AttachLimits[at.driver]
		tooMany = tooMany || limited && count[at.driver] > limit
	})

	if tooMany {
		return unschedulableBy(NodeVolumeLimits, "node(s) exceed max volume count")
	}
	return Status{}
}

// missingDriver returns the first driver, in the order of the pod's volumes, that has to be on the node and
// is not (rule 7.9.9).
func (d *dryRun) missingDriver() (driver string, missing bool) {
	if !d.attempt.rules.CSIDriverRequired {
		return "", false
	}
	eachAttachment(d.pod, func(at attachment) {
		if !missing && slices.Contains(d.node().MissingDrivers, at.driver) {
			driver, missing = at.driver, true
		}
	})
	return driver, missing
}

// askVolumeBinding fails for the first volume of the pod that is not there (rule 7.10.8) or cannot be used
// on the node (rule 7.10.2).
func (d *dryRun) askVolumeBinding() Status {
	for i := range d.pod.Volumes {
		v := &d.pod.Volumes[i]
		if v.Claim != "" && v.State == outrank.ClaimVolumeMissing {
			return unresolvableBy(VolumeBinding, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
		}
		if v.Node != nil && !usableOn(v.Node, d.node()) {
			return unresolvableBy(VolumeBinding, "node(s) didn't match PersistentVolume's node affinity")
		}
	}
	return Status{}
}

// usableOn reports whether a volume can be used on a node, by the labels of its node affinity alone (rule
// 7.10.3): a term that lists nothing but fields always holds.
func usableOn(selector *outrank.NodeSelector, n *outrank.Node) bool {
	for _, t := range selector.NodeSelectorTerms {
		switch {
		case len(t.MatchExpressions) > 0:
			if meets(outrank.NodeSelectorTerm{MatchExpressions: t.MatchExpressions}, n) {
				return true
			}
		case len(t.MatchFields) > 0:
			return true
		}
	}
	return false
}

// replacedBy maps each beta label of a zone or region to the label that has replaced it.
var replacedBy = map[string]string{
	outrank.BetaZoneLabel:   outrank.ZoneLabel,
	outrank.BetaRegionLabel: outrank.RegionLabel,
}

// askVolumeZone fails if a volume of the pod's claims lists zones or regions, and the node is in none of them
// (rule 7.11.4).
func (d *dryRun) askVolumeZone() Status {
	n := d.node()
	if !saysWhere(n) {
		return Status{} // rule 7.11.3
	}

	for i := range d.pod.Volumes {
		v := &d.pod.Volumes[i]
		if v.Ephemeral {
			continue // rule 7.11.2
		}

		// The order of this map decides nothing: every label that fails says the same.
		for label, values := range v.Zones {
			if at, ok := zoneOf(n, label); !ok || !slices.Contains(values, at) {
				return unresolvableBy(VolumeZone, "node(s) had no available volume zone")
			}
		}
	}
	return Status{}
}

// saysWhere reports whether a node carries a label of a zone or a region (rule 7.11.3).
func saysWhere(n *outrank.Node) bool {
	for old, label := range replacedBy {
		_, hasOld := n.Labels[old]
		_, has := n.Labels[label]
		if hasOld || has {
			return true
		}
	}
	return false
}

// zoneOf returns the node's value of a label, or else of the label that took its place (rule 7.11.4).
func zoneOf(n *outrank.Node, label string) (value string, ok bool) {
	if value, ok = n.Labels[label]; ok {
		return value, true
	}
	value, ok = n.Labels[replacedBy[label]]
	return value, ok
}
