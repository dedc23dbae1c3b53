package structure_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// Files that refer to each other in a circle can only be understood together. How many do is a
// measure of a large package, which is told and fails nothing: in package preemption all chapters are
// methods of one attempt.
func TestCirclesOfFiles(t *testing.T) {
	const root = "../../.."
	folders, err := structure.Folders(root)
	require.NoError(t, err)
	large := 0
	for _, folder := range folders {
		lines, err := structure.Lines(filepath.Join(root, folder))
		require.NoError(t, err)
		if lines <= structure.Large {
			continue
		}
		large++
		p, err := module.Read(filepath.Join(root, folder))
		require.NoError(t, err)
		now := p.Tangle()
		if !now.Small(len(p.Files)) {
			t.Logf("%s has %d files: the largest circle has %d, and %d are in one: %v", folder, len(p.Files), now.Largest, now.Within, p.Circles())
		}
	}
	assert.Greater(t, large, 10, "hardly a package is large")
}
