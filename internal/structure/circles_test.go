package structure_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/structure"
)

// Files that refer to each other in a circle can only be understood together: in a large
// package no circle is long, and most files are in none. A module of its own has a test like
// this one, since its imports are found in it alone.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	const root = "../.."
	folders, err := structure.Folders(root)
	require.NoError(t, err)
	reader, large := structure.NewReader(), 0
	for _, folder := range folders {
		lines, err := structure.Lines(filepath.Join(root, folder))
		require.NoError(t, err)
		if lines <= structure.Large {
			continue
		}
		large++
		p, err := reader.Read(filepath.Join(root, folder))
		require.NoError(t, err)
		now := p.Tangle()
		assert.True(t, now.Small(len(p.Files)), "%s has %d files: the largest circle has %d, and %d are in one: %v",
			folder, len(p.Files), now.Largest, now.Within, p.Circles())
	}
	assert.Greater(t, large, 10, "hardly a package is large")
}
