package seeded_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/seeded"
)

func TestMain(m *testing.M) { seeded.Run(m, 100) }

// Two looks at the same property see the same cases, as many as were asked for, or two fifths of
// them in a short run.
func TestRun(t *testing.T) {
	var seen [2][]int
	for i := range seen {
		rapid.Check(t, func(t *rapid.T) { seen[i] = append(seen[i], rapid.Int().Draw(t, "x")) })
	}
	checks := 100
	if testing.Short() {
		checks = 40
	}
	assert.Len(t, seen[0], checks)
	assert.Equal(t, checks, seeded.Checks())
	assert.Equal(t, seen[0], seen[1])
}
