package release

import (
	"fmt"
	"maps"
	"slices"
)

// gate is a feature gate of Kubernetes.
type gate struct {
	name string
	// in has the gate's state in each release that has the gate.
	in []state
}

// state is the state of a gate in one release.
type state struct {
	release Release
	// on says that the gate is on by default.
	on bool
	// follows says that this library implements both settings. If not, the gate can only have its
	// default.
	follows bool
}

// gates are the gates that affect preemption. The bits of a [Release] depend on the index of a gate, so a gate
// must keep its place, and a new one goes to the end.
var gates = [...]gate{
	{"GenericWorkload", []state{{V1_36, false, false}, {V1_37, false, true}}},
	{"CompositePodGroup", []state{{V1_37, false, true}}},
	{"PodGroupPreemptionPolicy", []state{{V1_37, false, true}}},
	{"InPlacePodVerticalScalingSchedulerPreemption", []state{{V1_37, false, true}}},
	{"GangScheduling", []state{{V1_36, false, false}}},
	{"WorkloadAwarePreemption", []state{{V1_36, false, false}}},
	{"TopologyAwareWorkloadScheduling", []state{{V1_36, false, false}, {V1_37, false, true}}},
	{"NodeDeclaredFeatures", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"InPlacePodLevelResourcesVerticalScaling", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"PodLevelResources", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"PodLevelResourcesFixKubeletQOSClass", []state{{V1_37, true, true}}},
	{"VolumeLimitScaling", []state{{V1_36, false, false}, {V1_37, true, true}}},
	{"HugepageAwareEviction", []state{{V1_37, true, false}}},
	{asyncPreemption, []state{{V1_36, true, true}, {V1_37, true, true}}},
	{"SchedulerPopFromBackoffQ", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"OpportunisticBatching", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"NominatedNodeNameForExpectation", []state{{V1_36, true, false}, {V1_37, true, false}}},
	{"InterPodAffinityHostnameFastPath", []state{{V1_37, false, false}}},
	{"SchedulerPreQueueingHints", []state{{V1_37, false, false}}},
	{"SchedulerAsyncAPICalls", []state{{V1_36, false, false}, {V1_37, false, false}}},
	{"DRANodeAllocatableResources", []state{{V1_36, false, false}, {V1_37, false, false}}},
	{"TaintTolerationComparisonOperators", []state{{V1_36, false, false}, {V1_37, false, false}}},
}

// find returns the index of the gate with this name.
func find(name string) (index int, ok bool) {
	index = slices.IndexFunc(gates[:], func(g gate) bool { return g.name == name })
	return index, index >= 0
}

// at returns the state of the gate in a release, nil if the release does not have it.
func (g *gate) at(r Release) *state {
	for i := range g.in {
		if g.in[i].release == r.plain() {
			return &g.in[i]
		}
	}
	return nil
}

// byDefault reports whether the gate is on by default in a release.
func (g *gate) byDefault(r Release) bool {
	s := g.at(r)
	return s != nil && s.on
}

// settable reports whether the gate may differ from its default in a release.
func (g *gate) settable(r Release) bool {
	s := g.at(r)
	return s != nil && s.follows
}

// With returns the release with gates set by their names. The error is about the first gate, by name, that
// is not known, that the release does not have, or whose setting this library does not implement.
func (r Release) With(set map[string]bool) (Release, error) {
	if !r.Known() {
		return 0, fmt.Errorf("%v is not known", r)
	}

	// The bit of a gate says that the gate differs from its default. A gate that is set to its default clears
	// the bit, so that equal settings are equal values.
	r = r.OrDefault()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		i, ok := find(name)
		if !ok {
			return 0, fmt.Errorf("feature gate %.60q: not known", name)
		}

		s := gates[i].at(r)
		switch bit := Release(1) << (gateShift + i); {
		case s == nil:
			return 0, fmt.Errorf("feature gate %q: %v has no such gate", name, r.plain())
		case set[name] == s.on:
			r &^= bit
		case !s.follows:
			return 0, fmt.Errorf("feature gate %q: %t is not followed for %v", name, set[name], r.plain())
		default:
			r |= bit
		}
	}
	return r, nil
}

// GateStates maps the name of each gate of the release to whether it is on.
func (r Release) GateStates() map[string]bool {
	states := map[string]bool{}
	for i := range gates {
		if s := gates[i].at(r); s != nil {
			states[gates[i].name] = s.on != r.turned(i)
		}
	}
	return states
}

// HasGroups reports whether groups of pods can preempt in the release, if the gate GenericWorkload is on (rule
// 12.9.1).
func (r Release) HasGroups() bool {
	i, ok := find("GenericWorkload")
	return ok && gates[i].settable(r.OrDefault())
}

// on reports whether a gate is on. It is false for a gate that the release does not have.
func (r Release) on(name string) bool {
	i, ok := find(name)
	return ok && gates[i].at(r) != nil && gates[i].byDefault(r) != r.turned(i)
}

// asyncPreemption is the name of the gate that [Release.Asynchronous] looks at.
const asyncPreemption = "SchedulerAsyncPreemption"

// Asynchronous reports whether a plan is executed while the scheduler goes on with other attempts. If every
// victim is being deleted already, nothing is executed then (rule 14.2.6).
func (r Release) Asynchronous() bool {
	if !r.Known() {
		r = Default
	}
	return r.OrDefault().on(asyncPreemption)
}
