package filters

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// BuiltIn are the filters in the order in which they run (rule 7.1.4). Elsewhere a filter is identified by
// its index in this list; the indexes behind it belong to the caller's filters.
var BuiltIn = [...]*descriptor{
	&unschedulableFilter, &nodeNameFilter, &taintFilter, &nodeAffinityFilter,
	&PortsFilter, &DeferredFilter, &ResourcesFilter,
	&RestrictionsFilter, &volumeLimitsFilter, &VolumeBindingFilter, &VolumeZoneFilter,
	&SpreadFilter, &InterPodFilter, &DeclaredFeaturesFilter,
}

// NumFirst is the number of filters before NodeResourcesFit.
const NumFirst = 6

// oldOrder and newOrder list the indexes of the first filters in the order in which they run: oldOrder before
// v1.37, newOrder since (rules 7.1.4 and 7.1.7).
var oldOrder, newOrder = firstIndexes(release.Of(release.V1_36)), firstIndexes(release.Of(release.V1_37))

// firstIndexes returns the indexes of the first filters in the order in which a release runs them.
func firstIndexes(rules release.Rules) (indexes [NumFirst]int) {
	for i, name := range filter.Order(rules)[:NumFirst] {
		indexes[i] = slices.Index(filter.Names(), name)
	}
	return indexes
}

// FirstOrder returns oldOrder or newOrder, whichever the release follows.
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

// Conclusive reports whether a node that fails like this with some pods removed also fails with more pods on
// it. Only a failure of a built-in filter can be conclusive.
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

// This line does not compile if a FilterSet has too few bits for the built-in filters.
var _ [state.MaxFilters - len(BuiltIn)]struct{}

// builtInTraits tells the snapshot what it has to know about the built-in filters, which it cannot import.
type builtInTraits struct{}

// Restricts reports whether a node may turn away even a pod without demands, as a taint does.
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

// ConcernedBy returns the filters whose answer a running pod may change.
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

// HeldOn returns the holdings of a node, nil for one without limits on volumes and without pods that hold
// ports, volumes, or resources without a column.
func (builtInTraits) HeldOn(n *state.NodeState, concerned *[state.MaxFilters]int32) any {
	pods, node := concerned[PortsFilter.Index]+concerned[volumeLimitsFilter.Index], n.Node
	if node == nil || pods == 0 && len(n.Taken.Extra) == 0 && len(node.AttachLimits) == 0 && len(node.MissingDrivers) == 0 {
		return nil
	}
	return holdingsOf(n)
}

func init() { state.UsualTraits = builtInTraits{} }

// resizeFilters are the filters that are asked about a deferred resize (rule 7.19.2).
var resizeFilters = [...]*descriptor{&nodeNameFilter, &DeferredFilter, &ResourcesFilter}

// offFor returns the filters that a question skips: for a deferred resize all but resizeFilters, for any
// other question DeferredPodScheduling.
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

// CountsClass reports whether InterPodAffinity or PodTopologySpread counts pods of a class for the preemptor.
// The answer is the same for every node, and does not depend on which pods run.
func CountsClass(q *Question, k *state.PodClass) bool {
	ip := &InterPod{snap: q.Snap, pod: q.Pod}
	if ip.counts(k) {
		return true
	}

	if q.Silent.Has(SpreadFilter.Index) {
		return false
	}
	s := constrained(q)
	return s != nil && len(s.appendParts(nil, &podCounts{prepared: s.prepare()}, k)) > 0
}
