package preemption

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Profile is what a profile of a KubeSchedulerConfiguration can change about the built-in
// filters (group 7.18). The zero value is the default profile. Package
// schedulerconfig reads it from a file.
type Profile struct {
	// Schedulers are the schedulerNames of all profiles: nominations of other schedulers' pods count
	// nowhere (rule 7.16.3). Empty means that all count, which is right where there are no other
	// scheduler's pending pods.
	Schedulers []string
	// Off names plugins that are switched off: built-in filters, which are asked neither about nodes
	// nor before the first node, and DefaultPreemption, without which no pod may preempt.
	Off []string
	// OffOnNodes names built-in filters of which only the question about nodes is
	// switched off. What they say before the first node still counts (group
	// 7.15): the nodes that NodeAffinity narrows the search to, and the pods that
	// VolumeBinding and VolumeZone refuse. For all others it is the same as Off.
	OffOnNodes []string
	// AddedAffinity is what a node has to meet for any pod, beside the pod's own
	// demands; nil for nothing. A selector without terms matches no node.
	AddedAffinity *outrank.NodeSelector
	// IgnoredResources are extended resources that NodeResourcesFit does not look
	// at, and IgnoredResourceGroups what stands before the slash in the names of
	// more of them ("example.com"). Names of other resources have no effect.
	IgnoredResources      []resource.Name
	IgnoredResourceGroups []string
	// DefaultConstraints are the constraints of pods that have none of their own. They
	// carry no selector: SpreadSelector says which pods count. Only those of
	// DoNotSchedule matter here.
	DefaultConstraints []outrank.TopologySpreadConstraint
	// SpreadSelector returns what the services of a pod and the controller that
	// made it select, all of it together; nil or empty for a pod that has neither,
	// to which no default constraint applies. It is asked once in an attempt, for
	// the preemptor, and must be there if DefaultConstraints has a constraint of
	// DoNotSchedule. Several goroutines may call it at once.
	SpreadSelector func(pod *outrank.Pod) *outrank.LabelSelector
}

// The plugins of kube-scheduler that matter here: the built-in filters, as [Status.Filter] and [Status.ExcludedBy] have them, in
// the order in which v1.36 runs them (rule 7.1.4).
const (
	// NodeUnschedulable turns pods away from a cordoned node that do not tolerate
	// that (group 7.2).
	NodeUnschedulable = "NodeUnschedulable"
	// NodeName turns a pod away that asks for another node by name (group 7.3). From v1.37
	// on no other node is filtered at all (rule 7.15.8).
	NodeName = "NodeName"
	// TaintToleration turns pods away from a node with a taint of effect NoSchedule
	// or NoExecute that they do not tolerate (group 7.4).
	TaintToleration = "TaintToleration"
	// NodeAffinity turns a pod away from nodes that its node selector or its
	// required node affinity does not match. Where every term names nodes by
	// metadata.name, no other node is filtered at all (group 7.5, rules 7.15.1 to
	// 7.15.3).
	NodeAffinity = "NodeAffinity"
	// NodePorts turns a pod away from a node on which a host port that it wants is
	// taken (group 7.6).
	NodePorts = "NodePorts"
	// DeferredPodScheduling is asked about a pod on a node whose resize in place is
	// deferred, and about no other (group 7.19). The gate
	// InPlacePodVerticalScalingSchedulerPreemption brings it.
	DeferredPodScheduling = "DeferredPodScheduling"
	// NodeResourcesFit turns a pod away from a node without a free slot, or with
	// less of a resource left than the pod asks for (group 7.7).
	NodeResourcesFit = "NodeResourcesFit"
	// VolumeRestrictions turns a pod away from a node with a pod that mounts a disk
	// which the two cannot share, and from every node while a claim that allows a
	// single pod is in use (group 7.8).
	VolumeRestrictions = "VolumeRestrictions"
	// NodeVolumeLimits turns a pod away from a node that cannot attach as many
	// volumes of a driver as there would be (group 7.9).
	NodeVolumeLimits = "NodeVolumeLimits"
	// VolumeBinding turns a pod away from nodes on which one of its volumes cannot
	// be used (group 7.10).
	VolumeBinding = "VolumeBinding"
	// VolumeZone turns a pod away from nodes outside the zone or region of one of
	// its volumes (group 7.11).
	VolumeZone = "VolumeZone"
	// PodTopologySpread turns a pod away from a node where more pods like it would
	// be than a constraint of the pod allows (group 7.12).
	PodTopologySpread = "PodTopologySpread"
	// InterPodAffinity turns a pod away from nodes that its own pod affinity and
	// anti-affinity, or the anti-affinity of running pods, do not allow (group
	// 7.13).
	InterPodAffinity = "InterPodAffinity"
	// NodeDeclaredFeatures turns a pod away from nodes that do not declare a feature
	// that it needs (group 7.14).
	NodeDeclaredFeatures = "NodeDeclaredFeatures"
	// DefaultPreemption is preemption itself, which Profile.Off names where no pod may preempt.
	DefaultPreemption = "DefaultPreemption"
)
