package tenancy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
)

// Pods that are planned together take back what their queue lent, and no more: ads has borrowed
// 2 cpu, so that the third pod has no place.
func TestJointPlansKeepQuotas(t *testing.T) {
	for _, style := range []tenancy.Style{"", tenancy.Kueue} {
		cluster, _ := gang(0)
		cluster.Groups = nil
		var pods []*outrank.Pod
		for i := range 3 {
			pods = append(pods, pending(fmt.Sprint("query-", i), "search", "1", 10))
		}
		rules, err := tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: style})
		require.NoError(t, err)
		var config preemption.Config
		rules.Use(&config)
		snap, err := engine.NewSnapshot(cluster)
		require.NoError(t, err)
		eval, err := engine.New(config)
		require.NoError(t, err)
		plan, err := joint.Preempt(context.Background(), eval, snap, joint.Request{Pods: pods, Now: now})
		require.NoError(t, err)
		placed := 0
		for _, at := range plan.Placements {
			if at.Node != "" {
				placed++
			}
		}
		assert.Equal(t, 2, placed, "%v: %v", style, plan)
		require.Len(t, plan.Victims, 2, "%v: %v", style, plan)
		for _, v := range plan.Victims {
			assert.Equal(t, "ads", v.Pod.Labels["queue"])
			assert.NotEmpty(t, v.Rule)
		}
	}
}
