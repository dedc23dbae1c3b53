package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// withUnits is v1.37 with units of victims, and composite groups among them.
func withUnits(t require.TestingT) outrank.Release {
	r, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true})
	require.NoError(t, err)
	return r
}

// dumpUnits writes down what a snapshot knows of units.
func dumpUnits(s *engine.Snapshot) string {
	var lines []string
	stateOf(s).Units.Groups.Each(func(key string, g *state.GroupState) {
		lines = append(lines, fmt.Sprintf("members of %s: %s, fate %+v\n", key, dumpPods(g.Pods), g.Fate))
	})
	stateOf(s).Units.Each(func(u *state.WholeUnit) {
		lines = append(lines, fmt.Sprintf("unit %s: %p %p %d of %v: %s\n", u.Name, u.Group, u.Composite, u.Priority, u.Groups, dumpPods(u.Pods)))
	})
	stateOf(s).Units.Below.Each(func(key string, groups []string) {
		lines = append(lines, fmt.Sprintf("below %s: %v\n", key, groups))
	})
	stateOf(s).PodStates.Each(func(p *state.PodState) {
		if g, ok := stateOf(s).Units.Groups.Get(p.Class.Group); ok && p.Running && stateOf(s).NodeState(p.At.Name).Node != nil && !slices.Contains(g.Pods, p) {
			lines = append(lines, fmt.Sprintf("%s is missing from its group\n", p.Pod.Key()))
		}
	})
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func drawGroup(t *rapid.T, name string) *outrank.PodGroup {
	g := &outrank.PodGroup{Name: name, Parent: drawParent(t)}
	g.DisruptionMode = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawComposite(t *rapid.T, name string) *outrank.CompositePodGroup {
	g := &outrank.CompositePodGroup{Name: name, Parent: drawParent(t)}
	g.DisruptionMode = rapid.SampledFrom([]outrank.DisruptionMode{outrank.DisruptPodGroup, outrank.DisruptPod}).Draw(t, "disruption")
	g.Priority = rapid.SampledFrom([]*int32{nil, outrank.Priority(0), outrank.Priority(7)}).Draw(t, "priority")
	return g
}

func drawParent(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "c0", "c1", "c2", "c3"}).Draw(t, "parent")
}

// possibleUnits counts the units that could be victims of a group: what leaves together, of lower priority
// or, where another rule says so, of any but the group itself, and all of whose pods may be taken.
func possibleUnits(e *engine.Evaluator, snap *engine.Snapshot, req preemption.GroupRequest) int {
	own := func(p *outrank.Pod) string {
		g, ok := snap.Group(p.GroupKey())
		if !ok {
			return "group " + string(p.GroupKey())
		}
		top, levels := "group "+string(g.Key()), outrank.MaxGroupLevels-1
		for c, ok := snap.Composite(g.ParentKey()); ok && levels > 0 && stateOf(snap).Rules.CompositeUnits; c, ok = snap.Composite(c.ParentKey()) {
			top, levels = "composite "+string(c.Key()), levels-1
		}
		return top
	}
	rule := e.Config().Eligibility
	asked := rule.Take != nil || rule.AnyPriority
	allowed := func(p *outrank.Pod) bool {
		if asked && p.Group != "" && own(p) == own(req.Pods[0]) {
			return false
		}
		for _, preemptor := range req.Pods {
			if rule.Take != nil {
				if _, ok := rule.Take(preemptor, p); !ok {
					return false
				}
			}
		}
		return true
	}

	units := map[string]bool{} // whether they may leave
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			unit := "pod " + string(p.Key())
			switch g, c := snap.LeavesWith(p); {
			case c != nil:
				unit = "composite " + string(c.Key())
			case g != nil:
				unit = "group " + string(g.Key())
			}
			before, seen := units[unit]
			units[unit] = (before || !seen) && allowed(p) && (rule.AnyPriority || snap.CountsAs(p) < req.Pods[0].PriorityValue())
		}
	}
	may := 0
	for _, ok := range units {
		if ok {
			may++
		}
	}
	return may
}

// podsOf lists the pods of victims.
func podsOf(victims []preemption.Victim) []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range victims {
		pods = append(pods, victims[i].Pod)
	}
	return pods
}

// unitText names victims that leave together.
func unitText(unit []preemption.Victim) string {
	first, size := &unit[0], fmt.Sprintf(" (%d pods)", len(unit))
	switch {
	case first.Composite != nil:
		return string(first.Composite.Key()) + size
	case first.Group != nil:
		return string(first.Group.Key()) + size
	}
	return string(first.Pod.Key())
}
