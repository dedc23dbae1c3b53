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

// What holds for a package that is large: from so many lines on, how many files a circle
// may have, and which part of all files may be in one.
const (
	large         = 2000
	largestCircle = 5
	inCircles     = 4 // one file of so many
)

// Files that refer to each other in a circle can only be understood together: in a large
// package no circle is long, and most files are in none. The packages that are not there
// yet stand in a table with their numbers, which may only shrink.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	const root, table = "../..", "testdata/circles.txt"
	folders, err := structure.Folders(root)
	require.NoError(t, err)
	known := circlesIn(t, table)
	reader := structure.NewReader()
	for _, folder := range folders {
		if linesIn(t, filepath.Join(root, folder)) <= large {
			continue
		}
		p, err := reader.Read(filepath.Join(root, folder))
		require.NoError(t, err)
		largest, within := 1, 0
		for _, circle := range p.Circles() {
			largest, within = max(largest, len(circle)), within+len(circle)
		}
		now := circles{largest, within}
		was, listed := known[folder]
		delete(known, folder)
		small := largest <= largestCircle && within*inCircles <= len(p.Files)
		line := fmt.Sprintf("%s %d %d", folder, now.largest, now.within)
		switch {
		case !listed:
			assert.True(t, small, "%s has %d files: the largest circle has %d, and %d are in one: %v",
				folder, len(p.Files), largest, within, p.Circles())
		case small:
			assert.Fail(t, "no longer needed", "%s: take the line of %s out", table, folder)
		case now.largest > was.largest || now.within > was.within:
			assert.Fail(t, "a circle has grown", "%s: the largest circle has %d files where it had %d, and %d where it were %d are in one: %v",
				folder, now.largest, was.largest, now.within, was.within, p.Circles())
		case now != was:
			assert.Fail(t, "circles have shrunk", "%s: the line is now %q", table, line)
		}
	}
	assert.Empty(t, known, "%s has packages that are not there, or have become small", table)
}

// circles is how many files the largest circle of a package has, and how many are in any.
type circles struct{ largest, within int }

// circlesIn reads the table.
func circlesIn(t *testing.T, name string) map[string]circles {
	t.Helper()
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	known := map[string]circles{}
	for s := bufio.NewScanner(file); s.Scan(); {
		if line := s.Text(); line != "" && !strings.HasPrefix(line, "#") {
			var folder string
			var c circles
			_, err := fmt.Sscan(line, &folder, &c.largest, &c.within)
			require.NoError(t, err, "%s: %s", name, line)
			known[folder] = c
		}
	}
	return known
}

// linesIn counts the lines of the Go files of a folder outside tests.
func linesIn(t *testing.T, dir string) (lines int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines += strings.Count(string(text), "\n")
	}
	return lines
}
