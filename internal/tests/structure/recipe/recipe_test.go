package main

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// Both recipes can be followed, and the properties that compare book and engine pass with them. A
// fault in the filter's or the rank's code is seen by these properties, though no line of a test is about it.
func TestRecipes(t *testing.T) {
	// Each build of the engine's tests takes long, so that a short run has the rank alone.
	for _, r := range recipes[seeded.InShort(1, 0):] {
		t.Run(r.name, func(t *testing.T) {
			require.NoError(t, r.holds(io.Discard, "../../../..", compared+"|^"+r.named+"$"))
			require.NoError(t, r.sees(io.Discard, "../../../..", r.faults[0], compared))
		})
	}
}

// Recipes that cannot be followed any more say where.
func TestRecipesThatDoNotHold(t *testing.T) {
	s := sources{"a.go": "one\ntwo\ntwo\n"}
	assert.EqualError(t, s.follow(".", []section{{file: "a.go", after: "three", text: "four\n"}}), `a.go has no line "three"`)
	assert.EqualError(t, s.follow(".", []section{{file: "a.go", after: "two", text: "four\n"}}), `a.go has the line "two" twice`)
	assert.EqualError(t, s.plant(fault{file: "a.go", plain: "two"}), `a.go has "two" 2 times`)
	assert.Error(t, s.follow(".", []section{{file: "none.go", after: "three"}}))

	require.NoError(t, s.follow(".", []section{{file: "a.go", after: "one", text: "and a half\n"}, {file: "b.go", text: "new\n"}}))
	assert.Equal(t, sources{"a.go": "one\nand a half\ntwo\ntwo\n", "b.go": "new\n"}, s)
}
