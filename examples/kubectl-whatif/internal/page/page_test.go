package page

import (
	"context"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/clustergen"
	"github.com/outrank-go/outrank/preemption/explain"
)

// decided is the input for a pod in a cluster.
func decided(t require.TestingT, c *outrank.Cluster, pod *outrank.Pod) Input {
	eval, err := preemption.NewEvaluator(preemption.Config{})
	require.NoError(t, err)
	snap, err := preemption.NewSnapshot(c)
	require.NoError(t, err)
	now := clustergen.Now()
	e, err := eval.Explain(context.Background(), snap, pod, now)
	require.NoError(t, err)
	r, err := explain.Explanation(context.Background(), eval, snap, preemption.Request{Pod: pod, Now: now}, e, explain.Options{})
	require.NoError(t, err)
	return Input{Source: "a generated cluster", Snapshot: snap, Explanation: e, Report: r, Now: now}
}
