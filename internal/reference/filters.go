package reference

import (
	"slices"

	"github.com/outrank-go/outrank/internal/filter"
)

// filters are all of them, in the order they run (rule 7.1.4); from v1.37 on the
// first two change places (rule 7.1.7).
var filters = []struct {
	name string
	run  func(*scene) Status
}{
	{filter.NodeUnschedulable, (*scene).filterUnschedulable},
	{filter.NodeName, (*scene).filterName},
	{filter.TaintToleration, (*scene).filterTaints},
	{filter.NodeAffinity, (*scene).filterNodeAffinity},
	{filter.NodePorts, (*scene).filterPorts},
	{filter.DeferredPodScheduling, (*scene).filterDeferred},
	{filter.NodeResourcesFit, (*scene).filterResources},
	{filter.VolumeRestrictions, (*scene).filterRestrictions},
	{filter.NodeVolumeLimits, (*scene).filterVolumeLimits},
	{filter.VolumeBinding, (*scene).filterVolumeBinding},
	{filter.VolumeZone, (*scene).filterVolumeZone},
	{filter.PodTopologySpread, (*scene).filterSpread},
	{filter.InterPodAffinity, (*scene).filterInterpod},
	{filter.NodeDeclaredFeatures, (*scene).filterDeclaredFeatures},
}

// runFilters returns the first failure (rule 7.1.3), of those that are switched on.
func (s *scene) runFilters() Status {
	order := filters[:]
	if s.a.rules.NodeNameFirst {
		order = slices.Clone(order)
		order[0], order[1] = order[1], order[0]
	}
	for _, f := range order {
		if s.a.setup.silent(f.name) {
			continue
		}
		if status := f.run(s); status.Code != Success {
			return status
		}
	}
	if s.a.variant.Own != nil {
		return s.a.variant.Own(s.node)
	}
	return Status{}
}
