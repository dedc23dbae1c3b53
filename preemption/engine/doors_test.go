package engine_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/structure"
)

// The largest that a room of the engine may be, outside tests.
const (
	mostFiles = 45
	mostLines = 8000
)

// rooms are the folders of the engine: the door, its words and what is behind it.
func rooms(t *testing.T) []string {
	t.Helper()
	folders := []string{".", "decision"}
	err := filepath.WalkDir("internal", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return err
	})
	require.NoError(t, err)
	return folders
}

// What crosses from one room of the engine to another is a list of exported names. It may
// only become shorter: testdata/doors.txt has its length for each two rooms.
func TestDoorsOnlyShrink(t *testing.T) {
	const below = "github.com/outrank-go/outrank/preemption/"
	reader, got := structure.NewReader(), map[string]int{}
	for _, folder := range rooms(t) {
		p, err := reader.Read(folder)
		require.NoError(t, err)
		if p == nil {
			continue
		}
		assert.LessOrEqual(t, len(p.Files), mostFiles, "files of %s", folder)
		assert.LessOrEqual(t, p.Lines, mostLines, "lines of %s", folder)
		for path, width := range p.Doors(below) {
			got[filepath.ToSlash(folder)+" "+strings.TrimPrefix(path, below)] = width
		}
	}
	text, err := os.ReadFile("testdata/doors.txt")
	require.NoError(t, err)
	want := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var from, to string
		var width int
		_, err := fmt.Sscan(line, &from, &to, &width)
		require.NoError(t, err, "%s", line)
		want[from+" "+to] = width
	}
	var now strings.Builder
	for _, border := range slices.Sorted(maps.Keys(got)) {
		fmt.Fprintln(&now, border, got[border])
		t.Log(border, got[border])
		assert.LessOrEqual(t, got[border], want[border], "%s: more names cross than before", border)
	}
	if !t.Failed() {
		assert.Equal(t, string(text), now.String(), "fewer names cross: testdata/doors.txt is to say so")
	}
}
