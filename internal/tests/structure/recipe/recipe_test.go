package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each recipe can be followed: all lines stand where it says, and each fault finds its text.
func TestRecipesCanBeFollowed(t *testing.T) {
	for _, r := range recipes {
		for _, f := range r.faults {
			sections, err := readRecipe("testdata/" + r.name + ".txt")
			require.NoError(t, err)
			s := sources{}
			require.NoError(t, s.follow("../../../..", sections), r.name)
			require.NoError(t, s.plant(f), "%s: %s", r.name, f.name)
		}
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
