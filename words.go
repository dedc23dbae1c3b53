package outrank

import (
	"slices"

	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/resource"
)

// The words that the API server allows in fields; it refuses all others (rule 26.1.1). An empty
// field is also allowed unless the field is required.
var (
	taintEffects = []TaintEffect{NoSchedule, PreferNoSchedule, NoExecute}
	// The last two tolerate nothing (rule 26.1.2).
	tolerationOperators   = []TolerationOperator{TolerationEqual, TolerationExists, "Lt", "Gt"}
	nodeInclusions        = []NodeInclusionPolicy{NodeHonor, NodeIgnore}
	unsatisfiablePolicies = []UnsatisfiablePolicy{DoNotSchedule, ScheduleAnyway}
	preemptionPolicies    = []PreemptionPolicy{PreemptLowerPriority, PreemptNever}
	unhealthyPolicies     = []UnhealthyPodEvictionPolicy{IfHealthyBudget, AlwaysAllow}
	qosClasses            = []QOSClass{BestEffort, Burstable, Guaranteed}
	protocols             = []string{"TCP", "UDP", "SCTP"}
	systems               = []string{"linux", "windows"}
)

// tolerations refuses a toleration with an unknown word, and one without a key whose operator
// is not Exists.
func (v *validator) tolerations(ts []Toleration, spec *apis.Path) {
	list := spec.Field("tolerations")
	for i := range ts {
		if t := &ts[i]; !t.faultless() {
			at := list.At(i)
			checkWord(v, t.Operator, tolerationOperators, place{&at, "operator"})
			checkWord(v, t.Effect, taintEffects, place{&at, "effect"})
			if t.keyless() && apis.IsWord(t.Operator, tolerationOperators) {
				operator := at.Field("operator")
				v.add(&operator, "without a key it has to be %s", TolerationExists)
			}
		}
	}
}

// faultless reports whether the validator has nothing to say about the toleration.
func (t *Toleration) faultless() bool {
	return apis.IsWord(t.Operator, tolerationOperators) && apis.IsWord(t.Effect, taintEffects) && !t.keyless()
}

// keyless reports whether the toleration lacks the key that its operator needs (rule 26.1.7).
func (t *Toleration) keyless() bool { return t.Key == "" && t.Operator != TolerationExists }

// taints refuses taints without an effect, or with an unknown one.
func (v *validator) taints(ts []Taint, spec *apis.Path) {
	list := spec.Field("taints")
	for i := range ts {
		if ts[i].faultless() {
			continue
		}
		at := list.At(i)
		effect := at.Field("effect")
		if ts[i].Effect == "" {
			v.add(&effect, "missing")
		} else {
			v.add(&effect, "%s", apis.NoWord(ts[i].Effect, taintEffects))
		}
	}
}

// faultless reports whether the taint has a known effect.
func (t *Taint) faultless() bool { return slices.Contains(taintEffects, t.Effect) }

// faultless recognizes most valid pods, without allocating. Where it returns false, the
// validator decides: the pod has a problem, or something that is not checked here, such as
// affinity, topology spread or volumes.
func (p *Pod) faultless() bool {
	if p == nil || p.Name == "" || !apis.IsWord(p.PreemptionPolicy, preemptionPolicies) || !apis.IsWord(p.QOSClass, qosClasses) || !apis.IsWord(p.OS, systems) {
		return false
	}
	for i := range p.Tolerations {
		if !p.Tolerations[i].faultless() {
			return false
		}
	}

	a := &p.Affinity
	return a.NodeAffinity == nil && p.Preferences == nil && len(a.PodAffinity)+len(a.PodAntiAffinity)+len(p.TopologySpreadConstraints)+len(p.Volumes) == 0 &&
		(p.Resources == nil || faultlessLevel(p.Resources.Requests) && faultlessLevel(p.Resources.Limits)) &&
		!hasNegative(p.Overhead) && faultless(p.Containers) && faultless(p.InitContainers) && p.hostPorts() <= mostListed && p.amounts() <= mostListed
}

// faultlessLevel reports whether a list may be the pod-level requests or limits of a pod (rule
// 26.2.3).
func faultlessLevel(l resource.List) bool {
	for name := range l {
		if !podLevel(name) {
			return false
		}
	}
	return !hasNegative(l)
}

// faultless recognizes most valid nodes, as Pod.faultless does for pods. It leaves nodes with
// attach limits or missing drivers to the validator.
func (n *Node) faultless() bool {
	if n == nil || n.Name == "" || len(n.AttachLimits) > 0 || len(n.MissingDrivers) > 0 {
		return false
	}
	for i := range n.Taints {
		if !n.Taints[i].faultless() {
			return false
		}
	}
	return !hasNegative(n.Allocatable) && short(n.Allocatable)
}

// faultless reports whether the resources and ports of the containers have no problems.
func faultless(cs []Container) bool {
	for i := range cs {
		c := &cs[i]
		if hasNegative(c.Requests) || hasNegative(c.Limits) {
			return false
		}
		for _, p := range c.Ports {
			if p.HostPort < 0 || p.HostPort > 65535 || !apis.IsWord(p.Protocol, protocols) {
				return false
			}
		}
	}
	return true
}
