package structure_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/structure"
)

// Files that refer to each other in a circle can only be understood together: in a large
// package no circle is long, and most files are in none. The packages that are not there
// yet stand in a table with their numbers, which may only shrink. A module of its own has a
// test like this one, since its imports are found in it alone.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	const root, table = "../..", "testdata/circles.txt"
	folders, err := structure.Folders(root)
	require.NoError(t, err)
	known := circlesIn(t, table)
	reader := structure.NewReader()
	for _, folder := range folders {
		lines, err := structure.Lines(filepath.Join(root, folder))
		require.NoError(t, err)
		if lines <= structure.Large {
			continue
		}
		p, err := reader.Read(filepath.Join(root, folder))
		require.NoError(t, err)
		now := p.Tangle()
		was, listed := known[folder]
		delete(known, folder)
		small := now.Small(len(p.Files))
		line := fmt.Sprintf("%s %d %d", folder, now.Largest, now.Within)
		switch {
		case !listed:
			assert.True(t, small, "%s has %d files: the largest circle has %d, and %d are in one: %v",
				folder, len(p.Files), now.Largest, now.Within, p.Circles())
		case small:
			assert.Fail(t, "no longer needed", "%s: take the line of %s out", table, folder)
		case now.Largest > was.Largest || now.Within > was.Within:
			assert.Fail(t, "a circle has grown", "%s: the largest circle has %d files where it had %d, and %d where it were %d are in one: %v",
				folder, now.Largest, was.Largest, now.Within, was.Within, p.Circles())
		case now != was:
			assert.Fail(t, "circles have shrunk", "%s: the line is now %q", table, line)
		}
	}
	assert.Empty(t, known, "%s has packages that are not there, or have become small", table)
}

// circlesIn reads the table.
func circlesIn(t *testing.T, name string) map[string]structure.Tangle {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	known := map[string]structure.Tangle{}
	for s := bufio.NewScanner(file); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "#") {
			var folder string
			var c structure.Tangle
			_, err := fmt.Sscan(line, &folder, &c.Largest, &c.Within)
			require.NoError(t, err, "%s: %s", name, line)
			known[folder] = c
		}
	}
	return known
}
