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
