package reference

import "slices"

// Names of the filters.
const (
	nodeUnschedulable  = "NodeUnschedulable"
	nodeName           = "NodeName"
	taintToleration    = "TaintToleration"
	nodeAffinity       = "NodeAffinity"
	nodePorts          = "NodePorts"
	nodeResourcesFit   = "NodeResourcesFit"
	volumeRestrictions = "VolumeRestrictions"
	nodeVolumeLimits   = "NodeVolumeLimits"
	volumeBinding      = "VolumeBinding"
	volumeZone         = "VolumeZone"
	podTopologySpread  = "PodTopologySpread"
	interPodAffinity   = "InterPodAffinity"

	nodeDeclaredFeatures = "NodeDeclaredFeatures"
)

// filters are all of them, in the order they run (rule 7.1.4); from v1.37 on the
// first two change places (rule 7.1.7).
var filters = []struct {
	name string
	run  func(*scene) Status
}{
	{nodeUnschedulable, (*scene).filterUnschedulable},
	{nodeName, (*scene).filterName},
	{taintToleration, (*scene).filterTaints},
	{nodeAffinity, (*scene).filterNodeAffinity},
	{nodePorts, (*scene).filterPorts},
	{deferredPodScheduling, (*scene).filterDeferred},
	{nodeResourcesFit, (*scene).filterResources},
	{volumeRestrictions, (*scene).filterRestrictions},
	{nodeVolumeLimits, (*scene).filterVolumeLimits},
	{volumeBinding, (*scene).filterVolumeBinding},
	{volumeZone, (*scene).filterVolumeZone},
	{podTopologySpread, (*scene).filterSpread},
	{interPodAffinity, (*scene).filterInterpod},
	{nodeDeclaredFeatures, (*scene).filterDeclaredFeatures},
}

// runFilters returns the first failure (rule 7.1.3), of those that are switched on.
func (s *scene) runFilters() Status {
	order := filters[:]
	if s.a.rules.NodeNameFirst {
		order = slices.Clone(order)
		order[0], order[1] = order[1], order[0]
	}
	for _, filter := range order {
		if s.a.setup.silent(filter.name) {
			continue
		}
		if status := filter.run(s); status.Code != Success {
			return status
		}
	}
	if s.a.variant.Own != nil {
		return s.a.variant.Own(s.node)
	}
	return Status{}
}

// unschedulableBy is a failure that taking pods away may cure.
func unschedulableBy(plugin string, reasons ...string) Status {
	return Status{Code: Unschedulable, Plugin: plugin, Reasons: reasons}
}

// unresolvable is a failure that taking pods away cannot cure.
func unresolvable(plugin string, reasons ...string) Status {
	return Status{Code: UnschedulableAndUnresolvable, Plugin: plugin, Reasons: reasons}
}
