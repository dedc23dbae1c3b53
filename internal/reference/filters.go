package reference

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

// filters are all of them, in the order they run (rule 7.1.4).
var filters = []func(*scene) Status{
	(*scene).filterUnschedulable,
	(*scene).filterName,
	(*scene).filterTaints,
	(*scene).filterNodeAffinity,
	(*scene).filterPorts,
	(*scene).filterResources,
	(*scene).filterRestrictions,
	(*scene).filterVolumeLimits,
	(*scene).filterVolumeBinding,
	(*scene).filterVolumeZone,
	(*scene).filterSpread,
	(*scene).filterInterpod,
	(*scene).filterDeclaredFeatures,
}

// runFilters returns the first failure (rule 7.1.3).
func (s *scene) runFilters() Status {
	for _, filter := range filters {
		if status := filter(s); status.Code != Success {
			return status
		}
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
