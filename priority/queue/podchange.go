package queue

import (
	"reflect"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
)

// sameButStatus reports whether two versions of a pending pod differ at most in
// the parts of its status that it has while it is pending (rule 5.4.5; upstream's
// isPodUpdated), and in the caller's own value. Containers have no status before
// a pod runs.
func sameButStatus(before, after *outrank.Pod) bool {
	a, b := *before, *after
	for _, p := range []*outrank.Pod{&a, &b} {
		p.NominatedNodeName, p.StartTime, p.DisruptionReason = "", time.Time{}, ""
		p.Ready, p.QOSClass, p.Phase, p.ResizeInfeasible, p.ResizeDeferred = false, "", "", false, false
		p.Value, p.AllocatedResources, p.Actual, p.Reported = nil, nil, nil, false
	}
	return reflect.DeepEqual(a, b)
}

// looked has the parts of a pod that something looks at, as values to be compared.
type looked func(p *outrank.Pod) []any

// looksAt lists by filter what the filter looks at in the pod itself. A change of
// anything else cannot help a pod that the filter kept off a node.
var looksAt = map[string]looked{
	filter.NodeUnschedulable:     tolerationsOf,
	filter.NodeName:              func(p *outrank.Pod) []any { return []any{p.NodeName} },
	filter.TaintToleration:       tolerationsOf,
	filter.NodeAffinity:          nodeDemandsOf,
	filter.DeferredPodScheduling: func(*outrank.Pod) []any { return nil },
	filter.NodePorts:             containersOf,
	filter.NodeResourcesFit:      requestsOf,
	filter.NodeDeclaredFeatures:  func(p *outrank.Pod) []any { return append(containersOf(p), p.HostNetwork, p.HostUsers) },
	filter.VolumeRestrictions:    volumesOf,
	filter.NodeVolumeLimits:      volumesOf,
	filter.VolumeBinding:         volumesOf,
	filter.VolumeZone:            volumesOf,
	filter.PodTopologySpread:     spreadOf,
	filter.InterPodAffinity:      func(p *outrank.Pod) []any { return []any{p.Labels, p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity} },
}

func tolerationsOf(p *outrank.Pod) []any { return []any{p.Tolerations} }

func nodeDemandsOf(p *outrank.Pod) []any { return []any{p.NodeSelector, p.Affinity.NodeAffinity} }

func containersOf(p *outrank.Pod) []any { return []any{p.Containers, p.InitContainers} }

func requestsOf(p *outrank.Pod) []any { return append(containersOf(p), p.Resources, p.Overhead) }

func volumesOf(p *outrank.Pod) []any { return []any{p.Volumes} }

// spreadOf has what a constraint's node policies look at as well.
func spreadOf(p *outrank.Pod) []any {
	return append(nodeDemandsOf(p), p.Labels, p.TopologySpreadConstraints, p.Tolerations)
}

// preemptionOf returns the fields that decide which pods a pod may push out. It may help whatever the
// pod failed with.
func preemptionOf(p *outrank.Pod) []any {
	return []any{p.PriorityValue(), p.PreemptionPolicy}
}

func (f looked) differ(a, b *outrank.Pod) bool { return !reflect.DeepEqual(f(a), f(b)) }

// ownChangeHelps reports whether a pod may fit after a change of its own although
// these filters kept it off before. A version that is not known may help.
func ownChangeHelps(filters []string, before, after *outrank.Pod) bool {
	if before == nil || after == nil || looked(preemptionOf).differ(before, after) {
		return true
	}
	return slices.ContainsFunc(filters, func(name string) bool {
		looks, known := looksAt[name]
		return !known || looks.differ(before, after)
	})
}
