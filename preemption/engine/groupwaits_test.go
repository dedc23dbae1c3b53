package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// A group waits for pods that it could evict itself, and for no others (rule
// 12.9.7).
func TestGroupWaitsForItsPossibleVictims(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")}, Pods: []*outrank.Pod{
		pod("spared", 1, "1", on("n1"), leaving(outrank.PreemptionByScheduler)), pod("b", 2, "1", on("n2")),
	}}
	spares := func(_, victim *outrank.Pod) (string, bool) { return "", victim.Name != "spared" }
	for _, test := range []struct {
		name      string
		config    preemption.Config
		nominated string // as the snapshot knows it, of a pod that says n1
		want      string
	}{
		{"a possible victim leaves", preemption.Config{}, "n1", "not-eligible (not eligible due to a terminating pod on the nominated node.)"},
		{"the caller spares it", preemption.Config{Eligibility: preemption.Eligibility{Take: spares}}, "n1", "preempt [default/b] violations 0; gang-0 on n2"},
		{"the snapshot knows of another nomination", preemption.Config{}, "n2", "preempt [default/spared] violations 0; gang-0 on n1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := newSnapshot(t, withGroups(c))
			pods := gang(1, nominated("n1"))
			require.NoError(t, errOf(snap.PutPod(pods[0])))
			require.NoError(t, snap.Nominate(pods[0].Key(), test.nominated))
			plan, err := newEvaluator(t, test.config).PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, test.want, say(plan))
		})
	}
}
