package state_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Rules that are asked in turn keep a table each, four of them: the one that is used again takes the place in front, and
// of more rules the one that was used longest ago goes.
func TestTablesOfPodsAreKept(t *testing.T) {
	s := snapshotOf(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}})
	rules := []string{"one", "two", "three"}
	for _, rule := range rules {
		assert.False(t, knows(s, rule), "rule %s", rule)
	}
	for range 3 {
		for _, rule := range rules {
			assert.True(t, knows(s, rule), "rule %s", rule)
		}
	}

	assert.False(t, knows(s, "four"))
	assert.True(t, knows(s, "one"), "there is room for four, and it is in front again")
	assert.False(t, knows(s, "five"), "a new one, for which two has to go")
	for _, rule := range []string{"three", "four", "one", "five"} {
		assert.True(t, knows(s, rule), "rule %s", rule)
	}
	assert.False(t, knows(s, "two"), "nobody asked for it since")
	assert.False(t, knows(s, "three"), "the one that made room for two")
	for _, rule := range []string{"one", "five", "two", "three"} {
		assert.True(t, knows(s, rule), "rule %s", rule)
	}
}

// knows asks a rule about the pods of all nodes, and reports whether its answers were still there.
func knows(s *state.Snapshot, rule string) bool {
	known := true
	at, release := state.TakeOfPods(s, rule, func(*state.NodeState, *int) { known = false })
	defer release()
	for _, n := range s.NodeStates {
		at(n)
	}
	return known
}
