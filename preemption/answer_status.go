package preemption

import "fmt"

// Code says whether a pod may run on a node and, if not, whether taking other
// pods away may change that.
type Code uint8

// The codes (section 5; framework.Code).
const (
	// Success: the pod may run there.
	Success Code = iota
	// Unschedulable: it may not, but removing pods may help.
	Unschedulable
	// UnschedulableAndUnresolvable: it may not, and removing pods cannot help.
	UnschedulableAndUnresolvable
	// Broken: a filter contradicted itself. It failed with the node as it is
	// and passed once the same pods had been taken away and put back, so that
	// there is no victim to name.
	Broken
)

// String names the code as the reference does.
func (c Code) String() string {
	switch c {
	case Success:
		return "Success"
	case Unschedulable:
		return "Unschedulable"
	case UnschedulableAndUnresolvable:
		return "UnschedulableAndUnresolvable"
	case Broken:
		return "Error"
	}
	return fmt.Sprintf("Code(%d)", uint8(c))
}

// Status is what one filter says of one node.
type Status struct {
	Code Code
	// Filter is the name of the filter that failed; empty on success, and
	// where no filter was run at all.
	Filter string
	// Reasons are texts for people. They are shared: do not change them.
	Reasons []string
}

// String gives the reasons, and the filter where there is one.
func (s Status) String() string {
	if s.Code == Success {
		return s.Code.String()
	}
	return string(s.appendText(nil))
}

func (s *Status) appendText(b []byte) []byte {
	if s.Filter != "" {
		b = append(b, s.Filter...)
		b = append(b, ": "...)
	}
	for i, reason := range s.Reasons {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, reason...)
	}
	return b
}

// Names of the built-in filters, in the order in which they run.
const (
	NodeUnschedulable  = "NodeUnschedulable"
	NodeName           = "NodeName"
	TaintToleration    = "TaintToleration"
	NodeAffinity       = "NodeAffinity"
	NodePorts          = "NodePorts"
	NodeResourcesFit   = "NodeResourcesFit"
	VolumeRestrictions = "VolumeRestrictions"
	NodeVolumeLimits   = "NodeVolumeLimits"
	VolumeBinding      = "VolumeBinding"
	VolumeZone         = "VolumeZone"
	PodTopologySpread  = "PodTopologySpread"
	InterPodAffinity   = "InterPodAffinity"
)

// What a node's failure is called where no other package says it (section 5).
const (
	reasonConflict     = "pod affinity terms conflict"
	reasonNotFiltered  = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
	reasonDisk         = "node(s) had no available disk"
	reasonOncePod      = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
	reasonVolumeLimit  = "node(s) exceed max volume count"
	reasonVolumeNode   = "node(s) didn't match PersistentVolume's node affinity"
	reasonVolumeZone   = "node(s) had no available volume zone"
	reasonSpread       = "node(s) didn't match pod topology spread constraints"
	reasonSpreadLabel  = reasonSpread + " (missing required label)"
	reasonAffinity     = "node(s) didn't match pod affinity rules"
	reasonAntiAffinity = "node(s) didn't match pod anti-affinity rules"
	reasonExistingAnti = "node(s) didn't satisfy existing pods anti-affinity rules"
	reasonNoVictims    = "No preemption victims found for incoming pod"
	reasonDropped      = "an extender dropped the node"
	reasonNoStatus     = "the node was not filtered"
	reasonContradicts  = "expected at least one victim pod on node"
)
