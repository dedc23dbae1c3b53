package gen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
)

func TestPreemptorGroupIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods := gen.PreemptorGroup(gen.Full()).Draw(t, "group")
		names := map[string]bool{}
		for _, p := range pods {
			if err := p.Validate(); err != nil {
				t.Fatalf("PreemptorGroup: %v", err)
			}
			if p.GroupKey() != pods[0].GroupKey() || p.PriorityValue() != pods[0].PriorityValue() || p.PreemptionPolicy != pods[0].PreemptionPolicy {
				t.Fatalf("%s and %s are no group", pods[0].Key(), p.Key())
			}
			names[string(p.Key())] = true
		}
		if len(names) != len(pods) || len(pods) > 4 {
			t.Fatalf("%d pods with %d names", len(pods), len(names))
		}
	})
}

// What decisions for groups can come to turns up.
func TestGroupsReachEverything(t *testing.T) {
	seen := map[string]int{}
	for seed := range draws {
		shape := gen.Shape{Groups: 2, Budgets: 4, Nominated: 4}
		c, pods := gen.Cluster(shape).Example(seed), gen.PreemptorGroup(shape).Example(seed)
		c.Release = outrank.V1_36
		d := reference.DecideGroup(reference.GroupInput{Cluster: c, Pods: pods, Now: gen.Now})
		count := func(what string, is bool) {
			if is {
				seen[what]++
			}
		}
		count("fits", d.Before.Pod == "")
		count("nothing helps", d.After.Pod != "")
		count("message "+d.EligibleMessage, true)
		count("several victims", len(d.Victims) > 1)
		count("some stay", len(d.Victims) > 0 && len(d.Victims) < d.Possible)
		count("violations", d.Violations > 0)
		count("cleared", len(d.ClearedNominations) > 0)
		for _, v := range d.Victims {
			count("a group leaves", v.Group != "")
			count("pods leave together", len(v.Pods) > 1)
			count("from several nodes", len(v.Pods) > 1 && v.Pods[0].NodeName != v.Pods[1].NodeName)
			count("a pod of a group leaves alone", v.Group == "" && v.Pods[0].Group != "")
		}
	}
	for _, what := range []string{
		"fits", "nothing helps", "message ", "message not eligible due to preemptionPolicy=Never.",
		"message not eligible due to a terminating pod on the nominated node.",
		"several victims", "some stay", "violations", "cleared",
		"a group leaves", "pods leave together", "from several nodes", "a pod of a group leaves alone",
	} {
		assert.GreaterOrEqual(t, seen[what], draws/100, what)
	}
}
