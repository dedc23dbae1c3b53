package gen_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
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
		d := reference.DecideGroup(reference.GroupInput{Cluster: w.Cluster, Pods: w.Pods, Now: gen.Now})
		count("not a group", d.Err != nil)
		if d.Err != nil {
			continue
		}
		count("several groups", len(leaves) > 1)
		count("fits", d.Fit.Code == reference.Success)
		count("ongoing", d.Ongoing)
		count("never", !d.Eligible)
		count("no victims", d.Possible == 0)
		count("no place", d.After.Pod != "")
		count("a tree is placed", len(leaves) > 1 && len(d.Nominations) > 0)
		count("some have no place", len(d.Nominations) > 0 && len(d.Nominations) < len(w.Pods))
		count("nobody leaves after all", d.Nominations != nil && !d.Ongoing && len(d.Victims) == 0)
		count("violations", d.Violations > 0)
		count("disruptions", d.Disruptions > 0)
		for _, v := range d.Victims {
			count("a group leaves", v.Group != "" && !v.Composite)
			count("a composite group leaves", v.Composite)
			count("pods leave together", len(v.Pods) > 1)
			count("from several nodes", len(v.Pods) > 1 && v.Pods[0].NodeName != v.Pods[len(v.Pods)-1].NodeName)
			count("from several groups", slices.ContainsFunc(v.Pods, func(p *outrank.Pod) bool { return p.Group != v.Pods[0].Group }))
			count("a pod of a group leaves alone", v.Group == "" && v.Pods[0].Group != "")
			count("with another priority", v.Priority != v.Pods[0].PriorityValue())
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
