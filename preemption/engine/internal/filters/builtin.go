package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// BuiltIn are the filters in the order in which they run (rule 7.1.4). A filter
// is known by its index here. The caller's filters follow.
var BuiltIn = [...]*descriptor{
	&unschedulableFilter, &nodeNameFilter, &taintFilter, &nodeAffinityFilter,
	&PortsFilter, &DeferredFilter, &ResourcesFilter,
	&RestrictionsFilter, &volumeLimitsFilter, &VolumeBindingFilter, &VolumeZoneFilter,
	&SpreadFilter, &InterPodFilter, &DeclaredFeaturesFilter,
}

// NumFirst is the number of filters before NodeResourcesFit.
const NumFirst = 6

// oldOrder and newOrder are the indexes of the first filters in the order in which a
// node is asked, before v1.37 and from then on (rules 7.1.4 and 7.1.7).
var oldOrder, newOrder = firstIndexes(release.Of(release.V1_36)), firstIndexes(release.Of(release.V1_37))

// firstIndexes returns the indexes of the first filters in the order of a release.
func firstIndexes(rules release.Rules) (indexes [NumFirst]int) {
	for i, name := range filter.Order(rules)[:NumFirst] {
		indexes[i] = slices.Index(filter.Names(), name)
	}
	return indexes
}

// FirstOrder returns the order of the first filters in a release.
func FirstOrder(rules release.Rules) *[NumFirst]int {
	if rules.NodeNameFirst {
		return &newOrder
	}
	return &oldOrder
}

// BuiltInNames are the names of the built-in filters, by index.
var BuiltInNames [len(BuiltIn)]string

// FirstOfCaller is the index of the caller's first filter.
const FirstOfCaller = len(BuiltIn)

func init() {
	for i, f := range BuiltIn {
		f.Index, BuiltInNames[i] = i, f.Entry.Name
	}
	portsTaken.By, tooManyVolumes.By = PortsFilter.Index, volumeLimitsFilter.Index
	diskTaken.By, claimTaken.By = RestrictionsFilter.Index, RestrictionsFilter.Index
}

// Conclusive reports whether a node that fails like this with some pods away fails with more pods on it,
// too. It is false for any failure that is not of a built-in filter.
func (s *Status) Conclusive() bool {
	if s.Code == Success || s.By < 0 || s.By >= FirstOfCaller {
		return false
	}
	failure := filter.IncurableFailure
	if s.Code == Unschedulable {
		failure = filter.CurableFailure
	}
	return BuiltIn[s.By].Entry.Conclusive.Has(failure)
}

// A FilterSet has a bit for each filter.
var _ [state.MaxFilters - len(BuiltIn)]struct{}

// builtInTraits answers the snapshot's questions about the built-in filters.
type builtInTraits struct{}

// Restricts reports whether a node may keep away a pod that asks for nothing.
func (builtInTraits) Restricts(node *outrank.Node) bool {
	if node == nil {
		return true
	}
	for _, f := range BuiltIn {
		entry := f.Entry
		if reads := entry.Reads.Node; reads != nil && reads(node) {
			return true
		}
	}
	return false
}

// ConcernedBy returns the filters that a running pod concerns.
func (builtInTraits) ConcernedBy(running *outrank.Pod) state.FilterSet {
	var set state.FilterSet
	for i, f := range BuiltIn {
		entry := f.Entry
		if reads := entry.Reads.Running; reads != nil && reads(running) {
			set |= 1 << i
		}
	}
	return set
}

// HeldOn returns the holdings of a node, nil where there is nothing to tell.
func (builtInTraits) HeldOn(n *state.NodeState, concerned *[state.MaxFilters]int32) any {
	pods, node := concerned[PortsFilter.Index]+concerned[volumeLimitsFilter.Index], n.Node
	if node == nil || pods == 0 && len(node.AttachLimits) == 0 && len(node.MissingDrivers) == 0 {
		return nil
	}
	return holdingsOf(n)
}

func init() { state.UsualTraits = builtInTraits{} }

// resizeFilters are the filters that are asked about a deferred resize (rule 7.19.2).
var resizeFilters = [...]*descriptor{&nodeNameFilter, &DeferredFilter, &ResourcesFilter}

// offFor returns the filters that are not asked because the question is, or is not, about a deferred
// resize.
func offFor(d *deferral) state.FilterSet {
	if !d.Asked {
		return 1 << DeferredFilter.Index
	}
	off := state.FilterSet(1<<len(BuiltIn) - 1)
	for _, f := range resizeFilters {
		off &^= 1 << f.Index
	}
	return off
}

// CountsClass reports whether InterPodAffinity or PodTopologySpread counts pods of a class for
// the preemptor, on whatever node. The answer does not depend on the pods that are there.
func CountsClass(q *Question, k *state.PodClass) bool {
	ip := &InterPod{snap: q.Snap, pod: q.Pod}
	if len(ip.partsOf(&podCounts{}, k)) > 0 {
		return true
	}

	if q.Silent.Has(SpreadFilter.Index) {
		return false
	}
	s := constrained(q)
	return s != nil && len(s.partsOf(nil, k)) > 0
}
