package tenancy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// Ads has borrowed 2 cpu with pods of 3: only Kueue lets a whole one go (rules 24.5.2 to
// 24.5.4). With pods of 2 all do, and YuniKorn spares those above the preemptor.
func TestStyles(t *testing.T) {
	for _, tt := range []struct {
		size                   string
		keeps, kueue, yunikorn string
	}{
		{"3", "", "ads-1", ""},
		{"2", "ads-1", "ads-1", "ads-1"},
	} {
		for style, want := range map[tenancy.Style]string{tenancy.KeepsItsOwn: tt.keeps, tenancy.Kueue: tt.kueue, tenancy.YuniKorn: tt.yunikorn} {
			rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: style}))
			var config preemption.Config
			rules.Use(&config)
			cluster := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "6", "pods", "9")}}}
			cluster.Pods = append(cluster.Pods, running("ads-1", "ads", tt.size, 0), running("ads-2", "ads", tt.size, 5))
			if tt.size == "2" {
				cluster.Pods = append(cluster.Pods, running("ads-3", "ads", tt.size, 9))
			}
			eval := must(preemption.NewEvaluator(config))
			plan, err := eval.Preempt(context.Background(), must(preemption.NewSnapshot(cluster)), pending("search-1", "search", tt.size, 0), now)
			require.NoError(t, err)
			got := ""
			if plan.Outcome == preemption.Preempt {
				got = plan.Victims[0].Pod.Name
			}
			assert.Equal(t, want, got, "style %d, pods of %s", style, tt.size)
		}
	}
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf, Style: tenancy.YuniKorn}))
	asker := pending("a", "search", "1", 5)
	assert.Equal(t, string(tenancy.Reclaimed), rules.MayTake(asker, running("b", "ads", "1", 5)))
	assert.Empty(t, rules.MayTake(asker, running("b", "ads", "1", 6)), "above the preemptor")
	assert.Empty(t, rules.MayTake(asker, running("b", "search", "1", 0)), "of its own queue")
}

// A preemptor of a queue that is not there is an error that names it.
func TestUnknownQueue(t *testing.T) {
	rules := must(tenancy.New(tenancy.Options{Tree: must(tenancy.NewTree(shop())), QueueOf: queueOf}))
	var config preemption.Config
	rules.Use(&config)
	_, err := must(preemption.NewEvaluator(config)).Preempt(context.Background(), lent(), pending("lost", "none", "1", 5), now)
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, `pod default/lost: queue: there is no queue "none"`)
}
