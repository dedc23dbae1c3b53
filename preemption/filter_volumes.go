package preemption

import (
	"slices"

	"github.com/outrank-go/outrank"
)

// The filters about volumes: VolumeRestrictions (group 7.8), NodeVolumeLimits (7.9), VolumeBinding
// (7.10) and VolumeZone (7.11).

// claimCounts is what VolumeRestrictions knows before the first node.
type claimCounts struct {
	// once are the preemptor's claims that allow a single pod, and inUse how many of them are in use.
	once  map[string]bool
	inUse int
}

// usesClaim: a claim that is made along with its pod is in use by nobody (rule 7.8.7).
func usesClaim(v *outrank.Volume) bool { return v.Claim != "" && !v.Ephemeral }

// beginRestrictions counts which of the preemptor's claims that allow a single pod are in use anywhere,
// each once however many pods use it. If none is, and the pod mounts no disk by itself, the attempt
// goes without the filter (rules 7.8.4, 7.8.5 and 7.8.6).
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

// eachOnceClaim calls f for each volume of a pod that uses a claim of the name of one which allows the
// preemptor alone (rule 7.8.5).
func (a *attempt) eachOnceClaim(p *outrank.Pod, f func(claim string)) {
	for i := range p.Volumes {
		if v := &p.Volumes[i]; usesClaim(v) && a.claims.once[v.Claim] {
			f(v.Claim)
		}
	}
}

// enterRestrictions begins with the claims that are in use at the start (rule 7.8.5).
func (d *dryRun) enterRestrictions() { d.claimUses = d.claims.inUse }

// followClaims counts every volume that names a claim, whatever its namespace. So two pods that share
// a claim, which counted once, give it back twice, and it can look free too early (rule 7.8.5).
func (d *dryRun) followClaims(p *occupant, by int) {
	d.eachOnceClaim(p.pod, func(string) { d.claimUses += by })
}

// askRestrictions: a disk that the pod mounts by itself has to be free, and so have its claims that
// allow a single pod (rules 7.8.2 and 7.8.4).
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

// diskConflicts: two pods cannot mount the same disk, unless both only read it; an EBS volume not even
// then (rule 7.8.2). An RBD image is the same if it is reached over the same monitor (rule 7.8.3);
// one without monitors is reached over any.
func diskConflicts(d, e *outrank.Disk) bool {
	if d.Kind == "" || d.Kind != e.Kind || d.ID != e.ID {
		return false
	}
	if d.Kind == outrank.RBD && len(d.Monitors) > 0 && len(e.Monitors) > 0 {
		shared := slices.ContainsFunc(d.Monitors, func(m string) bool { return slices.Contains(e.Monitors, m) })
		if !shared {
			return false
		}
	}
	bothRead := d.ReadOnly && e.ReadOnly
	return d.Kind == outrank.AWSElasticBlockStore || !bothRead
}

// beginVolumes: three filters have nothing to say about a pod without volumes (rules 7.9.3, 7.10.2 and 7.11.2).
func (a *attempt) beginVolumes() bool { return len(a.pod.Volumes) > 0 }

// attachment is a volume that a driver attaches to a node.
type attachment struct{ driver, id string }

// attachmentOf is what a volume of the pod attaches, nothing for most. One that the driver has yet to
// make is known by its claim (rule 7.9.6).
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

// eachAttachment calls f for what the pod's volumes attach (rules 7.9.4 and 7.9.6), in their order.
func eachAttachment(p *outrank.Pod, f func(at attachment)) {
	for i := range p.Volumes {
		if at, attaches := attachmentOf(p, &p.Volumes[i]); attaches {
			f(at)
		}
	}
}

// askVolumeLimits: the volumes that the pods on the node attach, each once, and the new ones of the pod
// have to be within the limit of their driver. A driver to which the pod adds none is not looked at,
// also where it is beyond its limit (rules 7.9.2 and 7.9.3).
func (d *dryRun) askVolumeLimits() Status {
	there, count := map[attachment]bool{}, map[string]int64{}
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

	tooMany := false
	eachAttachment(d.pod, func(at attachment) {
		if there[at] {
			return
		}
		there[at] = true
		count[at.driver]++
		limit, limited := d.site.node.AttachLimits[at.driver]
		tooMany = tooMany || limited && count[at.driver] > limit
	})
	if tooMany {
		return unschedulableBy(NodeVolumeLimits, "node(s) exceed max volume count")
	}
	return Status{}
}

// missingDriver is the first driver, in the order of the pod's volumes, that has to be on the node and
// is not (rule 7.9.9).
func (d *dryRun) missingDriver() (driver string, missing bool) {
	if !d.rules.CSIDriverRequired {
		return "", false
	}
	eachAttachment(d.pod, func(at attachment) {
		if !missing && slices.Contains(d.site.node.MissingDrivers, at.driver) {
			driver, missing = at.driver, true
		}
	})
	return driver, missing
}

// askVolumeBinding: every volume has to be one that can be used on the node (rule 7.10.2).
func (d *dryRun) askVolumeBinding() Status {
	for i := range d.pod.Volumes {
		v := &d.pod.Volumes[i]
		if v.Claim != "" && v.State == outrank.ClaimVolumeMissing {
			return unresolvableBy(VolumeBinding, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
		}
		if v.Node != nil && !usableOn(v.Node, d.site.node) {
			return unresolvableBy(VolumeBinding, "node(s) didn't match PersistentVolume's node affinity")
		}
	}
	return Status{}
}

// usableOn: of the node affinity of a volume labels alone are looked at (rule 7.10.3).
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

// replacedBy has the labels of zones and regions that took the place of older ones.
var replacedBy = map[string]string{
	outrank.BetaZoneLabel:   outrank.ZoneLabel,
	outrank.BetaRegionLabel: outrank.RegionLabel,
}

// askVolumeZone: a node that says where it is has to be where the volumes of the pod's claims are
// (group 7.11).
func (d *dryRun) askVolumeZone() Status {
	n := d.site.node
	if !saysWhere(n) {
		return Status{} // rule 7.11.3
	}
	for i := range d.pod.Volumes {
		v := &d.pod.Volumes[i]
		if v.Ephemeral {
			continue // rule 7.11.2
		}
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

// zoneOf is the node's value of a label, or of the one that took its place (rule 7.11.4).
func zoneOf(n *outrank.Node, label string) (value string, ok bool) {
	if value, ok = n.Labels[label]; ok {
		return value, true
	}
	value, ok = n.Labels[replacedBy[label]]
	return value, ok
}
