package seeded_test

import (
	"flag"
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

// A test can ask for more cases than its package, and the next one sees as many as before.
func TestAtLeast(t *testing.T) {
	before := seeded.Checks()
	more := before + 11
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "rapid.checks" {
			more = before // the command line has the last word
		}
	})
	t.Run("more", func(t *testing.T) {
		seeded.AtLeast(t, before+11)
		assert.Equal(t, more, seeded.Checks())
	})
	t.Run("fewer", func(t *testing.T) {
		seeded.AtLeast(t, before-11)
		assert.Equal(t, before, seeded.Checks())
	})
	assert.Equal(t, before, seeded.Checks())
}
