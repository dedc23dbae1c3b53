package seeded_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/seeded"
)

func TestMain(m *testing.M) { seeded.Run(m, 10) }

// Two looks at the same property see the same cases, as many as were asked for, in a short
// run, too.
func TestRun(t *testing.T) {
	var seen [2][]int
	for i := range seen {
		rapid.Check(t, func(t *rapid.T) { seen[i] = append(seen[i], rapid.Int().Draw(t, "x")) })
	}
	assert.Len(t, seen[0], 10)
	assert.Equal(t, 10, seeded.Checks())
	assert.Equal(t, seen[0], seen[1])
}
