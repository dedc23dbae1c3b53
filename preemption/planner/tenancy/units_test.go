package tenancy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// groupsOn is v1.37 with groups that preempt.
var groupsOn = must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))

// six is a node full of 6 cpu of ads, which owns 4, in pods of these sizes. They are a group
// that leaves whole if mode says so.
func six(mode outrank.DisruptionMode, sizes ...string) *outrank.Cluster {
	c := &outrank.Cluster{
		Release: groupsOn,
		Nodes:   []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "6", "pods", "9")}},
		Groups: []*outrank.PodGroup{
			{Name: "rank", Policy: outrank.GangPolicy, MinCount: 1, Priority: outrank.Priority(9)},
			{Name: "batch", DisruptionMode: mode, Priority: outrank.Priority(0)},
		},
	}
	for i, size := range sizes {
		p := running(string(rune('a'+i)), "ads", size, 0)
		p.Group = "batch"
		c.Pods = append(c.Pods, p)
	}
	return c
}

// In the style of Kueue the last workload may bring a queue below what is its own,
// and pods that leave together are one workload, for a gang and for a single pod (rule 24.5.3).
func TestUnitsAreWorkloads(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mode    outrank.DisruptionMode
		sizes   []string
		victims int // in the style of Kueue
	}{
		{"one pod of 6", outrank.DisruptPod, []string{"6"}, 1},
		{"a unit of two pods of 3", outrank.DisruptPodGroup, []string{"3", "3"}, 2},
		{"two pods of 3, of which the last has no more than the queue's own", outrank.DisruptPod, []string{"3", "3"}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for style, victims := range map[tenancy.Style]int{"": 0, tenancy.Kueue: tt.victims} {
				rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: style}))
				var config preemption.Config
				rules.Use(&config)
				eval, snap := must(engine.New(config)), must(engine.NewSnapshot(six(tt.mode, tt.sizes...)))
				member := pending("rank-0", "search", "4", 9)
				member.Group = "rank"
				group, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: []*outrank.Pod{member}, Now: now})
				require.NoError(t, err)
				require.Len(t, group.Victims, victims, "style %d: %v %v", style, group.Outcome, group.Unhelpful)
				if victims > 0 {
					require.NoError(t, eval.Verify(context.Background(), snap, group))
				}
				plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: pending("search-1", "search", "4", 9), Now: now})
				require.NoError(t, err)
				require.Len(t, plan.Victims, victims, "style %d: %v %v", style, plan.Outcome, plan.Unhelpful)
			}
		})
	}
}
