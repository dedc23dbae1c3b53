package preemption

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
