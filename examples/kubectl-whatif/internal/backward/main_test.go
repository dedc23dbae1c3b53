package backward_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func TestMain(m *testing.M) { seeded.Run(m, 100) }

// set is a setting about a cluster.
func set(t require.TestingT, c *outrank.Cluster) question.Setting {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	return question.Setting{Cluster: c, Snapshot: snap, Evaluator: eval, Now: now}
}

func node(name string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("pods", "10", "cpu", "4", "memory", "8Gi")}
}

// pod is on a node, or waits where that is empty.
func pod(name, on string, priority int32, cpu string, more ...func(*outrank.Pod)) *outrank.Pod {
	p := &outrank.Pod{
		Namespace: "shop", Name: name, UID: "uid-" + name, NodeName: on, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Name: "main", Requests: resource.MustList("cpu", cpu)}},
	}
	if on != "" {
		p.StartTime, p.Ready, p.Owner = now.Add(-time.Hour), true, outrank.Owner{Kind: "ReplicaSet", Name: name}
	}
	for _, f := range more {
		f(p)
	}
	return p
}

func labelled(value string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.Labels = map[string]string{"app": value, "pod-template-hash": "x"} }
}
