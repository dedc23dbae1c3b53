package preemption

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/resource"
)

// Profile holds the changes that a profile of a KubeSchedulerConfiguration can make to the built-in
// filters (group 7.18). The zero value is the default profile. Package preemption/scheduler/config reads
// one from a file.
type Profile struct {
	// Schedulers are the schedulerNames of all profiles. Nominations of pods of other schedulers count
	// nowhere (rule 7.16.3). Empty means that all nominations count.
	Schedulers []string
	// Off names plugins that are switched off. A built-in filter is then asked neither about nodes nor
	// before the first node; without DefaultPreemption no pod may preempt.
	Off []string
	// OffOnNodes names built-in filters that are not asked about nodes. What they say before the first
	// node still counts (group 7.15): the nodes that NodeAffinity narrows the search to, and the pods that
	// VolumeBinding and VolumeZone refuse. For any other filter it is the same as Off.
	OffOnNodes []string
	// AddedAffinity must match a node for any pod, beside the pod's own demands; nil adds nothing. A
	// selector without terms matches no node.
	AddedAffinity *outrank.NodeSelector
	// IgnoredResources are extended resources that NodeResourcesFit does not look at. Other names have no
	// effect.
	IgnoredResources []resource.Name
	// IgnoredResourceGroups are parts of names before the slash, as "example.com". NodeResourcesFit does
	// not look at extended resources with such a name.
	IgnoredResourceGroups []string
	// DefaultConstraints are the constraints of pods that have none of their own. They carry no selector:
	// SpreadSelector says which pods count. Only constraints of DoNotSchedule matter here.
	DefaultConstraints []outrank.TopologySpreadConstraint
	// SpreadSelector returns one selector for all that the services of a pod and the controller that made
	// it select. Nil and an empty selector mean that no default constraint applies to the pod. It is asked
	// about the preemptor alone, once in an attempt, and must be set if DefaultConstraints has a constraint
	// of DoNotSchedule. Several goroutines may call it at once.
	SpreadSelector func(pod *outrank.Pod) *outrank.LabelSelector
}

// The plugins of kube-scheduler that matter here. First come the built-in filters, in the order in which
// v1.36 runs them (rule 7.1.4); [Status].Filter and [Status].ExcludedBy have these names.
const (
	// NodeUnschedulable turns down a cordoned node, unless the pod tolerates that (group 7.2).
	NodeUnschedulable = "NodeUnschedulable"
	// NodeName turns down every node but the one that the pod asks for by name (group 7.3). From v1.37 on
	// no other node is filtered at all (rule 7.15.8).
	NodeName = "NodeName"
	// TaintToleration turns down a node with a taint of the effect NoSchedule or NoExecute that the pod
	// does not tolerate (group 7.4).
	TaintToleration = "TaintToleration"
	// NodeAffinity turns down a node that the pod's node selector or its required node affinity does not
	// match (group 7.5). Where every term names nodes by metadata.name, no other node is filtered at all
	// (rules 7.15.1 to 7.15.3).
	NodeAffinity = "NodeAffinity"
	// NodePorts turns down a node on which a host port of the pod is taken (group 7.6).
	NodePorts = "NodePorts"
	// DeferredPodScheduling is asked about a pod whose node has deferred its resize in place, and about no
	// other (group 7.19). It exists with the gate InPlacePodVerticalScalingSchedulerPreemption.
	DeferredPodScheduling = "DeferredPodScheduling"
	// NodeResourcesFit turns down a node with no place for one more pod, or with less of a resource left
	// than the pod asks for (group 7.7).
	NodeResourcesFit = "NodeResourcesFit"
	// VolumeRestrictions turns down a node where another pod mounts a disk that the two cannot share, and
	// every node while a claim of the pod that allows a single pod is in use (group 7.8).
	VolumeRestrictions = "VolumeRestrictions"
	// NodeVolumeLimits turns down a node that cannot attach the pod's new volumes of a driver in addition to
	// the volumes that it has (group 7.9).
	NodeVolumeLimits = "NodeVolumeLimits"
	// VolumeBinding turns down a node on which one of the pod's volumes cannot be used (group 7.10).
	VolumeBinding = "VolumeBinding"
	// VolumeZone turns down a node outside the zone or region of one of the pod's volumes (group 7.11).
	VolumeZone = "VolumeZone"
	// PodTopologySpread turns down a node whose domain would have more matching pods than a constraint of
	// the pod allows (group 7.12).
	PodTopologySpread = "PodTopologySpread"
	// InterPodAffinity turns down a node that the pod's own affinity or anti-affinity to other pods, or the
	// anti-affinity of running pods, does not allow (group 7.13).
	InterPodAffinity = "InterPodAffinity"
	// NodeDeclaredFeatures turns down a node that does not declare a feature that the pod needs (group
	// 7.14).
	NodeDeclaredFeatures = "NodeDeclaredFeatures"
	// DefaultPreemption is preemption itself. It is not a filter; Profile.Off names it where no pod may
	// preempt.
	DefaultPreemption = "DefaultPreemption"
)

// check checks the settings of a profile.
func (p *Profile) check(ps *configProblems) {
	for i, name := range p.Schedulers {
		if name == "" {
			ps.add(fmt.Sprintf("Profile.Schedulers[%d]", i), "empty; a pod that names no scheduler is %s's", outrank.DefaultScheduler)
		}
	}
	p.checkOff(ps)
	p.checkAffinity(ps)
	p.checkConstraints(ps)
}

// checkOff checks the names of plugins that are switched off. DefaultPreemption is not asked about nodes, so it
// can only be off altogether.
func (p *Profile) checkOff(ps *configProblems) {
	for i, name := range p.Off {
		if name != DefaultPreemption && !slices.Contains(builtInFilters, name) {
			ps.add(fmt.Sprintf("Profile.Off[%d]", i), "there is no plugin %q here", name)
		}
	}
	for i, name := range p.OffOnNodes {
		if !slices.Contains(builtInFilters, name) {
			ps.add(fmt.Sprintf("Profile.OffOnNodes[%d]", i), "there is no built-in filter %q", name)
		}
	}
}

// checkConstraints checks the default constraints. A constraint of DoNotSchedule needs a SpreadSelector, which
// says which pods it counts (rule 7.18.8).
func (p *Profile) checkConstraints(ps *configProblems) {
	hard := false // whether there is one of DoNotSchedule
	for i := range p.DefaultConstraints {
		at, c := fmt.Sprintf("Profile.DefaultConstraints[%d].", i), &p.DefaultConstraints[i]
		if c.MaxSkew < 1 {
			ps.add(at+"MaxSkew", "%d is less than 1", c.MaxSkew)
		}
		if c.TopologyKey == "" {
			ps.add(at+"TopologyKey", "missing")
		}
		if c.LabelSelector != nil {
			ps.add(at+"Selector", "default constraints have none: SpreadSelector says which pods count")
		}

		switch c.WhenUnsatisfiable {
		case "", outrank.DoNotSchedule:
			hard = true
		case outrank.ScheduleAnyway:
		default:
			ps.add(at+"WhenUnsatisfiable", "there is no policy %q", c.WhenUnsatisfiable)
		}
	}
	if p.SpreadSelector == nil && hard {
		ps.add("Profile.SpreadSelector", "missing: which pods DefaultConstraints count depends on it")
	}
}

// checkAffinity checks AddedAffinity. One without terms is valid and matches no node.
func (p *Profile) checkAffinity(ps *configProblems) {
	if p.AddedAffinity == nil || len(p.AddedAffinity.NodeSelectorTerms) == 0 {
		return
	}

	// The rules for a pod's own node affinity apply, so it is validated as part of a pod. Only the name of the
	// field has to be replaced.
	const list = "Profile.AddedAffinity.nodeSelectorTerms"
	pod := outrank.Pod{Name: "any", Affinity: outrank.Affinity{NodeAffinity: p.AddedAffinity}}
	var wrong *outrank.InputError
	if errors.As(pod.Validate(), &wrong) {
		for i := range wrong.Problems {
			_, field, _ := strings.Cut(wrong.Problems[i].Field, "nodeSelectorTerms")
			ps.add(list+field, "%s", wrong.Problems[i].Text)
		}
		return
	}

	// A pod may carry a term that no node can match (rule 7.5.9). kube-scheduler does not start with such
	// a term in its configuration (rule 7.18.3).
	for i := range p.AddedAffinity.NodeSelectorTerms {
		if text := fit.TermProblem(&p.AddedAffinity.NodeSelectorTerms[i]); text != "" {
			ps.add(fmt.Sprintf("%s[%d]", list, i), "%s", text)
		}
	}
}
