package preemption

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// refusal returns why the pod is turned down before any node is asked; Success if it is not. The first filter
// that refuses it decides, in the order in which a node asks them (rules 7.15.3, 7.15.4 and 7.15.8).
func (a *attempt) refusal() Status {
	for _, refuse := range []func() Status{a.refuseNames, a.refuseClaims, a.refuseVolumes} {
		if status := refuse(); status.Code != Success {
			return status
		}
	}
	return Status{}
}

// refuseNames refuses a pod whose node affinity and node name leave no node (rules 7.15.3 and 7.15.8).
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

// refuseClaims returns what VolumeBinding says about claims that no node can serve. One that is lost or
// being deleted comes before one that is merely not bound (rules 7.10.5 and 7.10.6).
func (a *attempt) refuseClaims() Status {
	if a.off(VolumeBinding) {
		return Status{}
	}

	// An unbound claim is reported only once all have been looked at: a later one may be lost.
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

// refuseVolumes returns what VolumeZone says about volumes that do not exist (rule 7.11.5). The filter ignores
// the volume of a generic ephemeral claim (rule 7.11.2).
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

// narrowing says which nodes are asked at all. The zero value leaves none out.
type narrowing struct {
	// names holds the nodes that are asked; nil for all.
	names map[string]bool
	// excluded is the answer of every other node.
	excluded Status
}

// leavesOut reports whether a node is not asked (rule 7.15.2).
func (n *narrowing) leavesOut(s *site) bool { return n.names != nil && !n.names[s.name()] }

// narrow finds the nodes that are asked. Where the pod names its node, or every term of its node affinity
// names nodes, no others are asked (rules 7.15.1, 7.15.2 and 7.15.8) but the node that the pod is
// nominated to (rule 7.15.9).
func (a *attempt) narrow() narrowing {
	names, narrowed := a.namedByAffinity()
	var by []string
	if narrowed {
		by = append(by, NodeAffinity)
	}

	// Only a node that both filters allow is asked. If there is none, refuseNames has turned the pod down.
	if a.namesItsNode() {
		by = append(by, NodeName)
		if !narrowed || names[a.pod.NodeName] {
			names = map[string]bool{a.pod.NodeName: true}
		}
	}
	if len(by) == 0 {
		return narrowing{}
	}

	// The nominated node is asked in any case, and before the others. The filter that it fails is then among
	// the names that the text about the others gives (rule 7.15.9); a success has none.
	if nominated := a.steps.askedFirst(a); nominated != nil {
		names[nominated.name()] = true
		by = append(by, a.steps.fits(a.dryRun(nominated)).Filter)
	}
	return narrowing{names: names, excluded: leftOutBy(by...)}
}

// leftOutBy returns the answer of a node that is not asked because of filters. The text names each filter
// once, in alphabetical order, and leaves out empty names. ExcludedBy is the first filter of the arguments.
func leftOutBy(filters ...string) Status {
	names := slices.Clone(filters)
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })

	status := unresolvableBy("", "node(s) didn't satisfy plugin(s) ["+strings.Join(names, " ")+"]")
	status.ExcludedBy = filters[0]
	return status
}

// nominatedSite returns the node that the pod is nominated to, which is asked before all others (rule
// 7.15.5); nil if there is none.
func (a *attempt) nominatedSite() *site { return a.siteOf[a.nomination()] }

// nomination returns the name of the node that the preemptor is nominated to. A pod that asks for room for
// its resize is nominated to none (rule 7.19.6).
func (a *attempt) nomination() string {
	if a.resize {
		return ""
	}
	return nominationOf(a.cluster, a.pod)
}

// nominationOf returns the name of the node that a pod is nominated to, empty for none: the nomination of the
// pod in the cluster or, if the cluster does not know the pod, its own (rule 8.3). A pod that has come to a node
// has no nomination any more.
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
