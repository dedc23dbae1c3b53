package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
	"github.com/outrank-go/outrank/preemption/internal/state"
)

// builtIn are the filters in the order in which they run (rule 7.1.4). A filter
// is known by its index here. The caller's filters follow.
var builtIn = [...]*descriptor{
	&unschedulableFilter, &nodeNameFilter, &taintFilter, &nodeAffinityFilter,
	&portsFilter, &deferredFilter, &resourcesFilter,
	&restrictionsFilter, &volumeLimitsFilter, &volumeBindingFilter, &volumeZoneFilter,
	&spreadFilter, &interPodFilter, &declaredFeaturesFilter,
}

// numFirst is how many filters come before NodeResourcesFit.
const numFirst = 6

// oldOrder and newOrder are the indexes of the first filters in the order in which a
// node is asked, before v1.37 and from then on (rules 7.1.4 and 7.1.7).
var oldOrder, newOrder = [numFirst]int{0, 1, 2, 3, 4, 5}, [numFirst]int{1, 0, 2, 3, 4, 5}

func firstOrder(rules release.Rules) *[numFirst]int {
	if rules.NodeNameFirst {
		return &newOrder
	}
	return &oldOrder
}

// builtInNames are their names, by index.
var builtInNames [len(builtIn)]string

// firstOfCaller is the index of the caller's first filter.
const firstOfCaller = len(builtIn)

func init() {
	for i, f := range builtIn {
		f.index, builtInNames[i] = i, f.name
	}
}

// A FilterSet has a bit for each filter.
var _ [state.MaxFilters - len(builtIn)]struct{}

// builtInTraits answers the snapshot's questions about the built-in filters.
type builtInTraits struct{}

func (builtInTraits) Restricts(node *outrank.Node) bool {
	if node == nil {
		return true
	}
	for _, f := range builtIn {
		if f.concernsNode != nil && f.concernsNode(node) {
			return true
		}
	}
	return false
}

func (builtInTraits) ConcernedBy(running *outrank.Pod) state.FilterSet {
	var set state.FilterSet
	for i, f := range builtIn {
		if f.concernsRunning != nil && f.concernsRunning(running) {
			set |= 1 << i
		}
	}
	return set
}

func init() { state.UsualTraits = builtInTraits{} }

// NewSnapshot indexes a cluster. It keeps the cluster's objects, not its
// slices. The error is that of [outrank.Cluster.Validate], with every problem
// at once. Finished pods are left out. Pods on a node that does not exist count
// nowhere until the node is added. Time is that of sorting each node's pods.
func NewSnapshot(c *outrank.Cluster) (*state.Snapshot, error) { return state.New(c, builtInTraits{}) }

// resizeFilters are those that a deferred resize is asked of (rule 7.19.2).
var resizeFilters = [...]*descriptor{&nodeNameFilter, &deferredFilter, &resourcesFilter}

// offFor are the filters that are not asked because of what kind of question it is.
func offFor(d *deferral) state.FilterSet {
	if !d.asked {
		return 1 << deferredFilter.index
	}
	off := state.FilterSet(1<<len(builtIn) - 1)
	for _, f := range resizeFilters {
		off &^= 1 << f.index
	}
	return off
}
