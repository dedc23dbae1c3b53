package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// top is the module's folder, and sample a package with a place for each kind of change.
const (
	top    = "../../../.."
	sample = "internal/tests/structure/mutants/testdata/sample"
)

// reader is shared by the tests, since the first package that it reads has the compiler asked about all.
var reader = structure.NewReader()

// stockOf returns the mutants of one package.
func stockOf(t *testing.T, folder string) *stock {
	t.Helper()
	root, err := filepath.Abs(top)
	require.NoError(t, err)
	s := &stock{root: root, texts: sources{}}
	require.NoError(t, s.add(reader, folder))
	return s
}

// changesOf lists the mutants of a function that the compiler accepts, "operator: the changed line".
func changesOf(s *stock, function string) (changes []string) {
	for _, m := range s.all {
		if m.key.function == function && s.accepted(m) {
			changes = append(changes, m.operator+": "+m.changed)
		}
	}
	slices.Sort(changes)
	return changes
}

func TestEveryKindOfChange(t *testing.T) {
	s := stockOf(t, sample)
	for function, want := range map[string][]string{
		"negated": {"negation: var negated = func(ok bool) bool { return ok }"},
		"list.add": {
			"comparison: if n <= 0 {", "comparison: if n > 0 {", "constant: if n < 1 {", "negation: if !(n < 0) {",
			"removed statement: _, _ = l, n", "removed statement: {}",
			"swapped arguments: none",
		},
		"between": {
			"comparison: func between(low, high, n int) bool { return low < n && n < high }",
			"comparison: func between(low, high, n int) bool { return low <= n && n <= high }",
			"comparison: func between(low, high, n int) bool { return low <= n && n > high }",
			"comparison: func between(low, high, n int) bool { return low >= n && n < high }",
			"dropped operand: func between(low, high, n int) bool { return low <= n }",
			"dropped operand: func between(low, high, n int) bool { return n < high }",
			"operator: func between(low, high, n int) bool { return low <= n || n < high }",
		},
		"swapped": {
			"constant: func swapped(low, high int) bool { return between(low, high, 8) }",
			"swapped arguments: func swapped(low, high int) bool { return between(high, low, 7) }",
			"swapped arguments: func swapped(low, high int) bool { return between(low, 7, high) }",
		},
		"most": {
			"bound: for i := range items[:max(len(items)-1, 0)] {", "min and max: top = min(top, items[i])",
			"removed statement: _, _, _ = top, items, i", "swapped arguments: none",
		},
		"firsts": {
			"bound: func firsts(items []int, n int) []int { return items[:(n)-1] }",
			"bound: func firsts(items []int, n int) []int { return items[:] }",
		},
		"found": {
			"bound: for _, item := range row[:max(len(row)-1, 0)] {", "bound: for _, row := range grid[:max(len(grid)-1, 0)] {",
			"constant: case 1, -1:", "constant: case 0, -2:", "constant: return false", "constant: return true",
			"dropped operand: case -1:", "dropped operand: case 0:", "operator: case 0, 1:",
			"removed statement: if false { continue rows }", "removed statement: {}",
		},
		"text": {
			`constant: func text(n int) string { return fmt.Sprint("n", " ", n+2) }`,
			`operator: func text(n int) string { return fmt.Sprint("n", " ", n-1) }`,
		},
	} {
		t.Run(function, func(t *testing.T) {
			want = slices.DeleteFunc(want, func(s string) bool { return strings.HasSuffix(s, ": none") })
			slices.Sort(want)
			assert.Equal(t, want, changesOf(s, function))
		})
	}
}

// The same seed draws the same mutants, and a larger number the same ones first.
func TestDraw(t *testing.T) {
	s := stockOf(t, sample)
	few, more := s.draw(s.all, 5, 1), s.draw(s.all, 9, 1)
	require.Len(t, more, 9)
	assert.Equal(t, few, more[:5])
	assert.NotEqual(t, few, s.draw(s.all, 5, 2))

	at := s.at(sample + "/sample.go:11")
	require.Len(t, at, 4)
	assert.Equal(t, []string{"list.add", sample + "/sample.go:11:5"}, []string{at[0].key.function, at[0].place()})
	assert.Empty(t, s.at(sample+"/sample.go:1"), "line 1 is not line 11")
}

func TestFoldersAndTopics(t *testing.T) {
	folders, err := foldersOf(top, []string{"pdb", "preemption/internal/...", "pdb"})
	require.NoError(t, err)
	assert.Equal(t, "pdb", folders[0])
	assert.Contains(t, folders, "preemption/internal/rank")
	_, err = foldersOf(top, []string{"nowhere"})
	require.ErrorContains(t, err, "there is no folder nowhere")
	_, err = topicsNamed("ranks,luck")
	require.ErrorContains(t, err, `"luck" is no topic`)
}

// Topics name files that there are, and those of one topic have mutants.
func TestTopicsHaveMutants(t *testing.T) {
	for _, about := range topics {
		for _, file := range about.files {
			assert.FileExists(t, filepath.Join(top, file), about.name)
		}
	}

	s := stockOf(t, "kubeletadmit")
	require.Greater(t, len(s.all), 1000)
	distance, err := topicsNamed("distance")
	require.NoError(t, err)
	drawn, err := s.drawAbout(distance, 12, 1)
	require.NoError(t, err)
	assert.Len(t, drawn, 12)
	_, err = s.drawAbout([]topic{{name: "luck", files: []string{"preemption/luck.go"}}}, 1, 1)
	require.ErrorContains(t, err, "preemption/luck.go, about luck, has no mutants")
}

// Entries can be found, and those about one package are about mutants that there are. The command asks this of all
// entries.
func TestEntries(t *testing.T) {
	entries, err := readReasons(filepath.Join(top, reasonsFile))
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprint(entriesByName(entries)), fmt.Sprint(entries), "entries stand in the order of folders and functions")

	const folder = "kubeletadmit"
	ofFolder := slices.DeleteFunc(entries, func(e *entry) bool { return e.folder != folder })
	require.NotEmpty(t, ofFolder)
	_, stale := stockOf(t, folder).reasonsFor(ofFolder)
	assert.Empty(t, stale, "an entry has to be about a mutant")
}

func entriesByName(entries []*entry) []*entry {
	return slices.SortedStableFunc(slices.Values(entries), func(a, b *entry) int { return strings.Compare(a.folder+" "+a.function, b.folder+" "+b.function) })
}
