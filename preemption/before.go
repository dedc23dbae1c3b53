package preemption

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// refusal is what ends the attempt before any node is asked, the first in the order of the filters
// (rules 7.15.3, 7.15.4 and 7.15.8); Success if nothing does.
func (a *attempt) refusal() Status {
	for _, refuse := range []func() Status{a.refuseNames, a.refuseClaims, a.refuseVolumes} {
		if status := refuse(); status.Code != Success {
			return status
		}
	}
	return Status{}
}

// refuseNames refuses a pod whose own wishes leave no node (rules 7.15.3 and 7.15.8).
func (a *attempt) refuseNames() Status {
	names, narrowed := a.namedByAffinity()
	switch {
	case narrowed && len(names) == 0:
		return unresolvableBy(NodeAffinity, "pod affinity terms conflict")
	case narrowed && a.namesItsNode() && !names[a.pod.NodeName]:
		status := leftOutBy(NodeAffinity, NodeName)
		status.Reasons[0] += " simultaneously"
		return status
	}
	return Status{}
}

// refuseClaims is what VolumeBinding says about claims that no node can serve: one that is lost or
// being deleted comes before one that is merely not bound (rules 7.10.5 and 7.10.6).
func (a *attempt) refuseClaims() Status {
	if a.off(VolumeBinding) {
		return Status{}
	}
	unbound := false
	for _, v := range a.pod.Volumes {
		switch {
		case v.Claim == "":
		case v.State == outrank.ClaimLost:
			return unresolvableBy(VolumeBinding, fmt.Sprintf("persistentvolumeclaim %q bound to non-existent persistentvolume %q", v.Claim, v.MissingVolume))
		case v.State == outrank.ClaimDeleting:
			return unresolvableBy(VolumeBinding, fmt.Sprintf("persistentvolumeclaim %q is being deleted", v.Claim))
		case v.State == outrank.ClaimUnbound:
			unbound = true
		}
	}
	if unbound {
		return unresolvableBy(VolumeBinding, "pod has unbound immediate PersistentVolumeClaims")
	}
	return Status{}
}

// refuseVolumes is what VolumeZone says about volumes that are not there (rule 7.11.5).
func (a *attempt) refuseVolumes() Status {
	if a.off(VolumeZone) {
		return Status{}
	}
	for _, v := range a.pod.Volumes {
		if v.Claim != "" && !v.Ephemeral && v.State == outrank.ClaimVolumeMissing {
			return unresolvableBy(VolumeZone, fmt.Sprintf("persistentvolume %q not found", v.MissingVolume))
		}
	}
	return Status{}
}

// narrowing is which nodes are asked at all. The zero value leaves none out.
type narrowing struct {
	// names are the nodes that are asked; nil for all.
	names map[string]bool
	// excluded is the answer of the others.
	excluded Status
}

// leavesOut reports whether a node is not asked (rule 7.15.2).
func (n *narrowing) leavesOut(s *site) bool { return n.names != nil && !n.names[s.node.Name] }

// narrow finds the nodes that are asked: where the pod names its node, or every term of its node
// affinity names nodes, those alone (rules 7.15.1, 7.15.2 and 7.15.8), and the node that it is
// nominated to (rule 7.15.9).
func (a *attempt) narrow() narrowing {
	names, narrowed := a.namedByAffinity()
	var by []string
	if narrowed {
		by = append(by, NodeAffinity)
	}
	if a.namesItsNode() {
		by = append(by, NodeName)
		if !narrowed || names[a.pod.NodeName] {
			names = map[string]bool{a.pod.NodeName: true}
		}
	}
	if len(by) == 0 {
		return narrowing{}
	}

	if nominated := a.steps.askedFirst(a); nominated != nil {
		names[nominated.node.Name] = true
		by = append(by, a.steps.fits(a.dryRun(nominated)).Filter)
	}
	return narrowing{names: names, excluded: leftOutBy(by...)}
}

// leftOutBy is the answer of a node that is not asked because of filters, the first of which is said
// to exclude it. They stand there by name, each once.
func leftOutBy(filters ...string) Status {
	names := slices.Clone(filters)
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
	status := unresolvableBy("", "node(s) didn't satisfy plugin(s) ["+strings.Join(names, " ")+"]")
	status.ExcludedBy = filters[0]
	return status
}

// nominatedSite is the node that the pod is nominated to, which is asked before all others (rule
// 7.15.5); nil if there is none.
func (a *attempt) nominatedSite() *site { return a.siteOf[a.nomination()] }

// nomination is the name of the node that the preemptor is nominated to: as the cluster knows, or as
// the pod says if the cluster does not know it. A pod that is on its node is nominated to none (rule
// 7.19.6).
func (a *attempt) nomination() string {
	if a.resize {
		return ""
	}
	return nominationOf(a.cluster, a.pod)
}

// nominationOf is the nomination of a pod that waits (rule 8.3).
func nominationOf(c *outrank.Cluster, p *outrank.Pod) string {
	for _, q := range c.Pods {
		if !q.Finished() && sameName(p, q) {
			if q.NodeName != "" {
				return ""
			}
			return q.NominatedNodeName
		}
	}
	return p.NominatedNodeName
}
