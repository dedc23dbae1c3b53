package handedout_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/internal/handedout"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

func pod(name string, priority int32, cpu string) *outrank.Pod {
	return &outrank.Pod{
		Name: name, Priority: &priority,
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}},
	}
}

// A node of 6 CPUs has a with 4 and b with 1. Two pods of 2 CPUs ask for room, which are
// nominated there, whether the cluster knows that or only they say it: b can stay.
func TestPreemptGroup(t *testing.T) {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	for name, known := range map[string]bool{"known": true, "unknown": false} {
		a, b := pod("a", 1, "4"), pod("b", 2, "1")
		a.NodeName, b.NodeName = "n", "n"
		pods := []*outrank.Pod{pod("t1", 10, "2"), pod("t2", 10, "2")}
		cluster := &outrank.Cluster{
			Release: release, Pods: []*outrank.Pod{a, b},
			Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "6", "pods", "10")}},
		}
		for _, p := range pods {
			p.NominatedNodeName = "n"
			if known {
				cluster.Pods = append(cluster.Pods, p)
			}
		}
		snap, err := engine.NewSnapshot(cluster)
		require.NoError(t, err)
		e, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		request := preemption.GroupRequest{Pods: pods, Refused: true, Place: func(context.Context, preemption.Draft, []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
			return []preemption.Assignment{{Pod: pods[0], Node: "n"}, {Pod: pods[1], Node: "n"}}, nil, nil
		}}
		require.True(t, handedout.Nominated(snap, pods), name)
		require.False(t, handedout.Nominated(snap, pods[:1]), name)
		whole, err := e.PreemptGroup(t.Context(), snap, request)
		require.NoError(t, err)
		require.Equal(t, "[default/b on n default/a on n]", fmt.Sprint(whole.Victims), name)
		plan, err := handedout.PreemptGroup(t.Context(), e, snap, request)
		require.NoError(t, err)
		assert.Equal(t, "[default/a on n]", fmt.Sprint(plan.Victims), name)
		assert.Equal(t, "n", pods[0].NominatedNodeName, "the caller's pod stays as it is")
	}
}
