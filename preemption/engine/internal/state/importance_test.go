package state_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// Ties in the order of importance, and starts that are missing or yet to come.
func TestOrderOfImportance(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(name string, seconds int) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: "n", StartTime: now.Add(time.Duration(seconds) * time.Second)}
	}
	none := &outrank.Pod{Name: "none", NodeName: "n"}
	s := snapshotOf(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{
		none, at("future", 10), at("b-old", -10), at("a-old", -10), {Name: "top", NodeName: "n", Priority: outrank.Priority(1)},
	}})
	var buf []*state.PodState
	names := func(now time.Time) string {
		return keysOf(s.NodeState("n").Possible(1, rank.InstantOf(now), &buf))
	}
	assert.Equal(t, "default/a-old default/b-old default/none default/future", names(now), "a missing start is now")
	assert.Equal(t, "default/a-old default/b-old default/future default/none", names(now.Add(time.Hour)))
	assert.Equal(t, "default/none default/a-old default/b-old default/future", names(now.Add(-time.Hour)))
}

// keysOf lists pods by their keys.
func keysOf(pods []*state.PodState) string {
	var keys []string
	for _, p := range pods {
		keys = append(keys, string(p.Pod.Key()))
	}
	return strings.Join(keys, " ")
}
