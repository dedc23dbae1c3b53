package preemption

import "github.com/outrank-go/outrank"

// builtIn are the filters in the order in which they run (rule 7.1.4). A filter
// is known by its place here; those of the caller follow.
var builtIn = [...]*descriptor{
	&unschedulableFilter, &nodeNameFilter, &taintFilter, &nodeAffinityFilter,
	&portsFilter, &resourcesFilter,
	&restrictionsFilter, &volumeLimitsFilter, &volumeBindingFilter, &volumeZoneFilter,
	&spreadFilter, &interPodFilter, &declaredFeaturesFilter,
}

// byCaller is the place of the caller's first filter.
const byCaller = len(builtIn)

func init() {
	for place, f := range builtIn {
		f.index = place
	}
}

// There is a bit for each filter in a filterSet.
var _ [maxFilters - len(builtIn)]struct{}

// builtInTraits is what the snapshot asks about the built-in filters.
type builtInTraits struct{}

func (builtInTraits) restricts(node *outrank.Node) bool {
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

func (builtInTraits) concernedBy(running *outrank.Pod) filterSet {
	var set filterSet
	for i, f := range builtIn {
		if f.concernsRunning != nil && f.concernsRunning(running) {
			set |= 1 << i
		}
	}
	return set
}

// NewSnapshot indexes a cluster. The cluster's slices are not kept, its objects
// are. The error is that of [outrank.Cluster.Validate], with every problem at
// once. Finished pods are left out; pods on a node that is not there count
// nowhere until it comes. Time is that of sorting each node's pods.
func NewSnapshot(c *outrank.Cluster) (*Snapshot, error) { return snapshotWith(c, builtInTraits{}) }
