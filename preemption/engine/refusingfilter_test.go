package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// refusing is a filter that refuses every pod before any node is asked.
type refusing struct{ name, reason string }

func (f refusing) filter() *preemption.Filter {
	return &preemption.Filter{Name: f.name, Start: f.start}
}
func (f refusing) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	if f.reason == "" {
		return nil, nil
	}
	return preemption.Refuse(preemption.Unschedulable.Because(f.reason)), nil
}

// Rule 7.15.10: a filter of the caller refuses the pod, and every node has its reason, also one
// that is short of a resource. The first of them counts, and a built-in refusal before it.
func TestFilterRefuses(t *testing.T) {
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "1", "pods", "10")}
	}
	pod := func(name, on string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: on, Priority: outrank.Priority(priority), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{pod("low", "n1", 1)}}))
	web := pod("web", "", 10)
	lost := pod("lost", "", 10)
	lost.Volumes = []outrank.Volume{{Claim: "data", State: outrank.ClaimLost}}
	for _, test := range []struct {
		name    string
		pod     *outrank.Pod
		filters []*preemption.Filter
		want    string
	}{
		{"nobody", web, []*preemption.Filter{refusing{"quiet", ""}.filter()}, ""},
		{"one", web, []*preemption.Filter{refusing{"quiet", ""}.filter(), refusing{"devices", "no claim"}.filter(), refusing{"late", "too late"}.filter()}, "devices: no claim"},
		{"a built-in one before", lost, []*preemption.Filter{refusing{"devices", "no claim"}.filter()}, `VolumeBinding: persistentvolumeclaim "data" bound to non-existent persistentvolume ""`},
	} {
		t.Run(test.name, func(t *testing.T) {
			eval := must(engine.New(preemption.Config{Filters: test.filters}))
			ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: test.pod, Now: now})
			require.NoError(t, err)
			plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: test.pod, Now: now})
			require.NoError(t, err)
			assert.Equal(t, ex.Outcome, plan.Outcome)
			if test.want == "" {
				assert.Equal(t, preemption.Fits, plan.Outcome)
				return
			}
			assert.Equal(t, preemption.NothingHelps, plan.Outcome)
			assert.Equal(t, test.want, plan.Refused.String())
			for _, n := range ex.Nodes {
				assert.Equal(t, test.want, n.Status.String(), n.Node)
				assert.Equal(t, preemption.UnschedulableAndUnresolvable, n.Status.Code)
				assert.False(t, n.AfterRemoval != nil)
			}
		})
	}
}
