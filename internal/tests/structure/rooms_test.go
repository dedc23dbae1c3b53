package structure_test

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// preemption is the folder of the book, below which the engine is.
const preemption = "../../../preemption"

// The largest that a room of the engine may be, outside tests.
const (
	mostFiles = 50
	mostLines = 8500
)

// module reads packages of this module. The tests share it, since what it reads first are the results of the compiler
// for all of them.
var module = structure.NewReader()

// rooms returns the folders of the engine and the words that it shares with the book.
func rooms(t *testing.T) []string {
	t.Helper()
	folders := []string{preemption, preemption + "/engine"}
	for _, root := range []string{preemption + "/internal", preemption + "/engine/internal"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				folders = append(folders, path)
			}
			return err
		})
		require.NoError(t, err)
	}
	return folders
}

// A room can be read by itself, so none is too large. What crosses from one to another is a list
// of exported names, whose length -v prints.
func TestRoomsAreSmall(t *testing.T) {
	const below = "github.com/outrank-go/outrank/preemption"
	for _, folder := range rooms(t) {
		p, err := module.Read(folder)
		require.NoError(t, err)
		if p == nil {
			continue
		}
		assert.LessOrEqual(t, len(p.Files), mostFiles, "files of %s", folder)
		assert.LessOrEqual(t, p.Lines, mostLines, "lines of %s", folder)
		doors := p.Doors(below)
		for _, path := range slices.Sorted(maps.Keys(doors)) {
			t.Logf("%s needs %d names of preemption%s", folder, doors[path], strings.TrimPrefix(path, below))
		}
	}
}

// The large packages of the largest program keep to the bounds of the engine's rooms: no long circle of files,
// and most files in none.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	const whatif = "../../../examples/kubectl-whatif"
	folders, err := structure.Folders(whatif)
	require.NoError(t, err)

	reader, large := structure.NewReader(), 0
	for _, folder := range folders {
		at := filepath.Join(whatif, folder)
		lines, err := structure.Lines(at)
		require.NoError(t, err)
		if lines <= structure.Large {
			continue
		}

		large++
		p, err := reader.Read(at)
		require.NoError(t, err)
		now := p.Tangle()
		assert.True(t, now.Small(len(p.Files)), "%s has %d files: the largest circle has %d, and %d are in one: %v",
			folder, len(p.Files), now.Largest, now.Within, p.Circles())
	}
	assert.Positive(t, large, "no package was looked at")
}
