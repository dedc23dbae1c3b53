package state_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Of more tables than a snapshot keeps, the one that goes is the one that was used longest ago, and not the one that
// was made first.
func TestTheTableUsedLongestAgoGoes(t *testing.T) {
	s := snapshotOf(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}})
	use := func(i int) (known bool) {
		known = true
		s.AnswersTo(context.Background(), state.AnswersKey{Key: fmt.Sprint(i)}, 1, func(*state.NodeState) preemption.Status {
			known = false
			return preemption.Status{}
		})
		return known
	}
	for i := range state.MostTables {
		assert.False(t, use(i))
	}
	assert.True(t, use(0))

	assert.False(t, use(state.MostTables), "a new one, for which another has to go")
	assert.Len(t, s.Answers.Tables, state.MostTables)
	assert.True(t, use(0), "it was asked for again")
	assert.False(t, use(1), "nobody asked for it since it was made")
}
