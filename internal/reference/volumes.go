package reference

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// filterRestrictions: a disk that the pod mounts by itself must be free, and so
// must its ReadWriteOncePod claims.
func (s *scene) filterRestrictions() Status {
	switch {
	case s.a.restrictionsSkipped:
		return Status{}
	case s.diskTaken():
		return unschedulableBy(filter.VolumeRestrictions, "node(s) had no available disk")
	case s.claimUses > 0:
		return unschedulableBy(filter.VolumeRestrictions,
			"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod")
	}
	return Status{}
}

func (s *scene) diskTaken() bool {
	for _, want := range s.a.pod.Volumes {
		for _, o := range s.pods {
			for _, there := range o.pod.Volumes {
				if disksConflict(want.Disk, there.Disk) {
					return true
				}
			}
		}
	}
	return false
}

// disksConflict: the same disk, unless both only read it. An EBS volume cannot
// be shared at all, and an RBD image is the same if it is reached over the same
// monitor; without monitors, over any.
func disksConflict(d, e outrank.Disk) bool {
	if d.Kind == "" || d.Kind != e.Kind || d.ID != e.ID {
		return false
	}
	if d.Kind == outrank.RBD && len(d.Monitors) > 0 && len(e.Monitors) > 0 {
		common := slices.DeleteFunc(slices.Clone(d.Monitors), func(m string) bool {
			return !slices.Contains(e.Monitors, m)
		})
		if len(common) == 0 {
			return false
		}
	}
	bothRead := d.ReadOnly && e.ReadOnly
	return d.Kind == outrank.AWSElasticBlockStore || !bothRead
}

// isUse: a claim that is made along with its pod is in use by nobody.
func isUse(v outrank.Volume) bool { return v.Claim != "" && !v.Ephemeral }

// onceClaims are the preemptor's claims that allow a single pod.
func (a *attempt) onceClaims() map[string]bool {
	claims := map[string]bool{}
	for _, v := range a.pod.Volumes {
		if v.OncePod && isUse(v) {
			claims[v.Claim] = true
		}
	}
	return claims
}

// countClaims counts over the whole cluster, once at the start. A claim counts
// as 1 however many pods use it. If none is in use and the pod mounts no disk
// directly, the filter is left out of the whole attempt.
func (a *attempt) countClaims() {
	for claim := range a.onceClaims() {
		if a.inUse(claim) {
			a.claimUsesAtStart++
		}
	}
	mountsDisk := slices.ContainsFunc(a.pod.Volumes, func(v outrank.Volume) bool { return v.Disk.Kind != "" })
	a.restrictionsSkipped = a.claimUsesAtStart == 0 && !mountsDisk
}

// inUse: a pod of the preemptor's namespace, on a node there is, has the claim.
func (a *attempt) inUse(claim string) bool {
	for _, n := range a.cluster.Nodes {
		for _, p := range a.running[n.Name] {
			names := func(v outrank.Volume) bool { return isUse(v) && v.Claim == claim }
			if p.NamespaceName() == a.pod.NamespaceName() && slices.ContainsFunc(p.Volumes, names) {
				return true
			}
		}
	}
	return false
}

// changeClaims follows a pod that is put on the node or taken away. Unlike
// countClaims it counts every volume that names a claim, and does not ask for
// the namespace. So two pods that share a claim take 2 off what counted as 1.
func (s *scene) changeClaims(p *outrank.Pod, by int) {
	once := s.a.onceClaims()
	for _, v := range p.Volumes {
		if isUse(v) && once[v.Claim] {
			s.claimUses += by
		}
	}
}

// handle is a volume that a driver attaches to a node. One that the driver has yet
// to make is known by its claim.
type handle struct{ driver, id string }

func handles(p *outrank.Pod) map[handle]bool {
	set := map[handle]bool{}
	for _, v := range p.Volumes {
		h := handle{v.Driver, v.Handle}
		switch {
		case v.Disk.Kind != "":
			h.driver, h.id = v.Disk.Attachment()
		case v.Handle == "" && v.Claim != "":
			h.id = "yet to be made for " + p.NamespaceName() + "/" + v.Claim
		}
		if h.driver != "" && h.id != "" {
			set[h] = true
		}
	}
	return set
}

// filterVolumeLimits: the volumes attached by the pods on the node and those of
// this one must be within the limit of the driver. A driver to which it adds
// none is not looked at, also where it is beyond its limit.
func (s *scene) filterVolumeLimits() Status {
	there := map[handle]bool{}
	for _, o := range s.pods {
		for h := range handles(o.pod) {
			there[h] = true
		}
	}
	count, added := map[string]int64{}, map[string]int64{}
	for h := range there {
		count[h.driver]++
	}
	for h := range handles(s.a.pod) {
		if !there[h] {
			added[h.driver]++
		}
	}
	if driver, missing := s.missingDriver(); missing {
		return unschedulableBy(filter.NodeVolumeLimits, driver+" CSI driver is not installed on the node")
	}
	for driver, more := range added {
		limit, limited := s.node.AttachLimits[driver]
		if limited && count[driver]+more > limit {
			return unschedulableBy(filter.NodeVolumeLimits, "node(s) exceed max volume count")
		}
	}
	return Status{}
}

// missingDriver is the first driver, in the order of the pod's volumes, that has to be
// on the node and is not.
func (s *scene) missingDriver() (driver string, missing bool) {
	for _, v := range s.a.pod.Volumes {
		one := *s.a.pod
		one.Volumes = []outrank.Volume{v}
		for h := range handles(&one) {
			if s.a.rules.CSIDriverRequired && slices.Contains(s.node.MissingDrivers, h.driver) {
				return h.driver, true
			}
		}
	}
	return "", false
}

// filterVolumeBinding: every volume can be used on the node, by its labels.
// Requirements of the node's name are ignored.
func (s *scene) filterVolumeBinding() Status {
	for _, v := range s.a.pod.Volumes {
		if v.Claim != "" && v.State == outrank.ClaimVolumeMissing {
			return unresolvable(filter.VolumeBinding, "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
		}
		if v.Node != nil && !usable(v.Node, s.node) {
			return unresolvable(filter.VolumeBinding, "node(s) didn't match PersistentVolume's node affinity")
		}
	}
	return Status{}
}

func usable(selector *outrank.NodeSelector, n *outrank.Node) bool {
	for _, t := range selector.NodeSelectorTerms {
		switch {
		case len(t.MatchExpressions) > 0:
			if termWantsNode(outrank.NodeSelectorTerm{MatchExpressions: t.MatchExpressions}, n) {
				return true
			}
		case len(t.MatchFields) > 0:
			return true
		}
	}
	return false
}

// replacedBy has the labels that replaced older ones.
var replacedBy = map[string]string{
	"failure-domain.beta.kubernetes.io/zone":   "topology.kubernetes.io/zone",
	"failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
}

// filterVolumeZone: a node that says where it is must be where the volumes are.
// Ephemeral ones may be anywhere.
func (s *scene) filterVolumeZone() Status {
	says := false
	for beta, label := range replacedBy {
		_, old := s.node.Labels[beta]
		_, current := s.node.Labels[label]
		says = says || old || current
	}
	for _, v := range s.a.pod.Volumes {
		for label, values := range v.Zones {
			if says && !v.Ephemeral && !slices.Contains(values, s.where(label)) {
				return unresolvable(filter.VolumeZone, "node(s) had no available volume zone")
			}
		}
	}
	return Status{}
}

// where is the node's value of a label; no volume is in the zone "".
func (s *scene) where(label string) string {
	value, ok := s.node.Labels[label]
	if !ok {
		value = s.node.Labels[replacedBy[label]]
	}
	return value
}
