package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// The large packages of this module keep to the bounds of the library's: no long circle of
// files, and most files in none. The test of the library does not reach a module of its own.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	folders, err := structure.Folders(".")
	require.NoError(t, err)
	reader, large := structure.NewReader(), 0
	for _, folder := range folders {
		lines, err := structure.Lines(folder)
		require.NoError(t, err)
		if lines <= structure.Large {
			continue
		}
		large++
		p, err := reader.Read(folder)
		require.NoError(t, err)
		now := p.Tangle()
		assert.True(t, now.Small(len(p.Files)), "%s has %d files: the largest circle has %d, and %d are in one: %v",
			folder, len(p.Files), now.Largest, now.Within, p.Circles())
	}
	assert.Positive(t, large, "no package was looked at")
}
