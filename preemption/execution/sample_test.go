package execution_test

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

var now = time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC)

// sample is two full nodes.
func sample() *outrank.Cluster {
	pod := func(name, node string, priority int32) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: node, Priority: outrank.Priority(priority), StartTime: now.Add(-time.Hour),
			Labels:     map[string]string{"app": name},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		}
	}
	node := func(name string) *outrank.Node {
		return &outrank.Node{Name: name, Allocatable: resource.MustList("cpu", "2", "pods", "110")}
	}
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods:  []*outrank.Pod{pod("web", "n1", 100), pod("batch", "n1", 10), pod("db", "n2", 500), pod("cache", "n2", 50)},
	}
}

func urgent() *outrank.Pod {
	return &outrank.Pod{
		Name: "urgent", Priority: outrank.Priority(1000),
		Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
	}
}

// must is for examples alone.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
