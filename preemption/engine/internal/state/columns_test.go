package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

func TestThirdColumn(t *testing.T) {
	pod := func(names ...string) *outrank.Pod {
		l := resource.List{}
		for _, n := range names {
			l[resource.Name(n)] = resource.New(1)
		}
		return &outrank.Pod{Name: "p", Containers: []outrank.Container{{Requests: l}}}
	}
	node := func(names ...string) *outrank.Node {
		return &outrank.Node{Name: "n", Allocatable: pod(names...).Containers[0].Requests}
	}
	for _, test := range []struct {
		name  string
		pods  []*outrank.Pod
		nodes []*outrank.Node
		want  resource.Name
	}{
		{"nothing else is asked for", []*outrank.Pod{pod("cpu", "memory")}, nil, resource.EphemeralStorage},
		{"most pods ask for storage", []*outrank.Pod{pod("ephemeral-storage"), pod("ephemeral-storage"), pod("a.b/gpu")}, nil, resource.EphemeralStorage},
		{"most pods ask for a device", []*outrank.Pod{pod("ephemeral-storage"), pod("a.b/gpu"), pod("a.b/gpu")}, nil, "a.b/gpu"},
		{"as many: storage", []*outrank.Pod{pod("ephemeral-storage"), pod("a.b/gpu")}, nil, resource.EphemeralStorage},
		{"as many: by name", []*outrank.Pod{pod("a.b/x"), pod("a.b/gpu")}, nil, "a.b/gpu"},
		{"without pods, what nodes offer besides storage", nil, []*outrank.Node{node("cpu", "ephemeral-storage", "pods", "a.b/gpu"), node("cpu", "ephemeral-storage")}, "a.b/gpu"},
		{"pods are not a resource that is counted", nil, []*outrank.Node{node("cpu", "pods")}, resource.EphemeralStorage},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &outrank.Cluster{Pods: test.pods, Nodes: test.nodes}
			assert.Equal(t, test.want, state.ColumnsFor(c).Names[2])
		})
	}
}
