package gen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/stretchr/testify/require"
)

// Every outcome of decisions for groups from v1.37 on occurs, and all drawn
// clusters are valid.
func TestWorkloadsReachEverything(t *testing.T) {
	seen := map[string]int{}
	for seed := range draws {
		shape := gen.Shape{Groups: 3, Budgets: 4, Nominated: 4}
		w := gen.Workloads(shape).Example(seed)
		assert.NoError(t, w.Cluster.Validate())
		count := func(what string, is bool) {
			if is {
				seen[what]++
			}
		}
		leaves := map[string]bool{}
		for _, p := range w.Pods {
			assert.NoError(t, p.Validate())
			leaves[p.Group] = true
		}
		req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now}
		first, err := preemption.PreemptGroup(w.Cluster, req, preemption.Config{})
		count("not a group", err != nil)
		if err != nil {
			continue
		}
		count("several groups", len(leaves) > 1)
		count("fits", first.Outcome == preemption.Fits)

		req.Refused = true
		d, err := preemption.PreemptGroup(w.Cluster, req, preemption.Config{})
		require.NoError(t, err)
		preempts := d.Outcome == preemption.Preempts
		count("ongoing", d.Ineligible == preemption.VictimsTerminating)
		count("never", d.Ineligible == preemption.PolicyNever)
		count("no victims", d.Outcome == preemption.NothingHelps && d.Unhelpful == nil)
		count("no place", d.Unhelpful != nil && d.Unhelpful.Pod != nil)
		count("a tree is placed", len(leaves) > 1 && preempts)
		count("some have no place", preempts && len(d.Placement) < len(w.Pods))
		count("nobody leaves after all", preempts && len(d.Victims) == 0)
		for unit := range d.Units() {
			first, last := unit[0], unit[len(unit)-1]
			count("violations", slices.ContainsFunc(unit, func(v preemption.Victim) bool { return len(v.Violated) > 0 }))
			count("disruptions", first.Pod.Group != "")
			count("a group leaves", first.Group != nil)
			count("a composite group leaves", first.Composite != nil)
			count("pods leave together", len(unit) > 1)
			count("from several nodes", first.Node != last.Node)
			count("from several groups", slices.ContainsFunc(unit, func(v preemption.Victim) bool { return v.Pod.Group != first.Pod.Group }))
			count("a pod of a group leaves alone", first.Group == nil && first.Composite == nil && first.Pod.Group != "")
			count("with another priority", first.Priority != first.Pod.PriorityValue())
		}
		count("pods say otherwise than their group", w.Cluster.Release.Gates()["PodGroupPreemptionPolicy"] && w.Pods[0].PreemptionPolicy == outrank.PreemptNever)
	}
	for _, what := range []string{
		"not a group", "several groups", "fits", "ongoing", "never", "no victims", "no place", "a tree is placed", "some have no place",
		"nobody leaves after all", "violations", "disruptions", "a group leaves", "a composite group leaves", "pods leave together",
		"from several nodes", "from several groups", "a pod of a group leaves alone", "with another priority",
	} {
		assert.GreaterOrEqual(t, seen[what], draws/500, what)
	}
}
