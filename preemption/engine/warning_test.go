package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// The plan for a pod that is not in the snapshot warns of what no filter reads, of claims for devices and of claims of
// which only the name is known (rules 7.10.4 and 7.14.7).
func TestPlansWarnOfWhatIsNotRead(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "10")}}})
	require.NoError(t, err)
	for _, test := range []struct {
		name string
		pod  outrank.Pod
		want []string
	}{
		{"nothing", outrank.Pod{Volumes: []outrank.Volume{{Claim: "known", Driver: "d"}, {Claim: "p-v", Ephemeral: true}}}, nil},
		{"a claim", outrank.Pod{Volumes: []outrank.Volume{{Claim: "gone"}}}, []string{"spec.volumes"}},
		{"devices", outrank.Pod{ResourceClaims: []string{"gpu"}}, []string{"spec.resourceClaims"}},
		{"both", outrank.Pod{ResourceClaims: []string{"gpu"}, Volumes: []outrank.Volume{{Claim: "gone"}}}, []string{"spec.resourceClaims", "spec.volumes"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.pod.Name = "p"
			var eval engine.Evaluator
			plan, err := eval.Preempt(t.Context(), snap, preemption.Request{Pod: &test.pod})
			require.NoError(t, err)
			var fields []string
			for _, w := range plan.Warnings {
				fields = append(fields, w.Field)
			}
			assert.Equal(t, test.want, fields)
		})
	}
}
