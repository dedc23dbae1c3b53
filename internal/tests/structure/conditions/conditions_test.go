package main

import (
	"bytes"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// top is the library's folder.
const top = "../../../.."

// small is a package of a few conditions. Which of them its tests show is known.
const small = "testdata/small"

// smallMissing has what the tests of the small package do not show, without the folder.
var smallMissing = []string{
	"small.go:13: either: no test has `c` decide when it is false, in `a || b && c`",
	"small.go:21: few: no test has `n == 1` decide when it is true, in `case 1, 2`",
	"small.go:35: kind: no test has `case string` decide when it is true",
	"small.go:46: size: no test has `n == 0` decide when it is true",
	"small.go:54: within: no test has `limit > 1` decide when it is false, in `slices.ContainsFunc(xs, func(x int) bool { return x > 0 && x < limit }) && limit > 1`",
	"small.go:59: within: no test has `debug` decide when it is true",
	"small.go:66: set.unused: no test has `s != nil` decide when it is true, in `s != nil && slices.Contains(s.list, x)`",
	"small.go:66: set.unused: no test has `s != nil` decide when it is false, in `s != nil && slices.Contains(s.list, x)`",
	"small.go:66: set.unused: no test has `slices.Contains(s.list, x)` decide when it is true, in `s != nil && slices.Contains(s.list, x)`",
	"small.go:66: set.unused: no test has `slices.Contains(s.list, x)` decide when it is false, in `s != nil && slices.Contains(s.list, x)`",
}

// smallModule returns the folder of a module that has the library's name and the small package. What records is a
// package of the library, which this module could not import.
func smallModule(t *testing.T) string {
	root := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(root, small), os.DirFS("testdata/small")))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module github.com/outrank-go/outrank\n\ngo 1.25.0\n"), 0o600))
	return root
}

// The command finds what the tests of a package do not show, and nothing else.
func TestSmallPackage(t *testing.T) {
	decisions, err := measure(smallModule(t), []room{{folder: small}})
	require.NoError(t, err)

	var out bytes.Buffer
	assert.False(t, report(&out, decisions, &listing{}, false))
	said := strings.Split(strings.TrimSpace(strings.ReplaceAll(out.String(), small, "")), "\n")
	for i := range said {
		said[i] = strings.TrimPrefix(strings.Replace(said[i], ": .", ": ", 1), "/")
	}
	last := len(said) - 1
	assert.Equal(t, smallMissing, said[:last])
	assert.Equal(t, "15 decisions,   36 of   46 values of operands decide,   0 exceptions", strings.TrimSpace(said[last]))

	// With all of it listed nothing is missing. An entry that has no use is wrong, and so is one without a
	// reason.
	l := &listing{file: "exceptions.txt"}
	for _, d := range decisions {
		for i, operand := range d.operands {
			for _, value := range []bool{true, false} {
				if !d.shown(i, value) {
					l.entries = append(l.entries, &exception{place: place{small + "." + d.function, operand, value}, reason: "so"})
				}
			}
		}
	}
	out.Reset()
	assert.True(t, report(&out, decisions, l, true), out.String())

	l.entries = append(l.entries, &exception{place: place{small + ".both", "a", true}, reason: "so", line: 7})
	l.entries[0].reason = ""
	out.Reset()
	assert.False(t, report(&out, decisions, l, false))
	assert.Contains(t, out.String(), "exceptions.txt:7: `a` in "+small+".both decides when true, or is gone: the entry has no use\n")
	assert.Contains(t, out.String(), "exceptions.txt:0: there is no reason\n")
}

// An operand decides if nothing masks it.
func TestOutcome(t *testing.T) {
	leaf := func(i int) *node { return &node{operand: i} }
	and := func(l, r *node) *node { return &node{op: token.LAND, left: l, right: r} }
	or := func(l, r *node) *node { return &node{op: token.LOR, left: l, right: r} }
	not := func(n *node) *node { return &node{op: token.NOT, left: n} }
	for _, test := range []struct {
		name string
		tree *node
		// seen has a letter for each operand, and a dash for one that was left out.
		seen    string
		value   bool
		decides []int
	}{
		{"both of a && b", and(leaf(0), leaf(1)), "TT", true, []int{0, 1}},
		{"b masks a", and(leaf(0), leaf(1)), "TF", false, []int{1}},
		{"a short circuit masks nothing", and(leaf(0), leaf(1)), "F-", false, []int{0}},
		{"neither of a || b", or(leaf(0), leaf(1)), "FF", false, []int{0, 1}},
		{"b masks a here, too", or(leaf(0), leaf(1)), "FT", true, []int{1}},
		{"a || b && c, by c", or(leaf(0), and(leaf(1), leaf(2))), "FTF", false, []int{0, 2}},
		{"a || b && c, by b and c", or(leaf(0), and(leaf(1), leaf(2))), "FTT", true, []int{1, 2}},
		{"a && b || c, where c masks", or(and(leaf(0), leaf(1)), leaf(2)), "F-T", true, []int{2}},
		{"a && b || c, where all are false", or(and(leaf(0), leaf(1)), leaf(2)), "TFF", false, []int{1, 2}},
		{"!(a || b) || c", or(not(or(leaf(0), leaf(1))), leaf(2)), "T-F", false, []int{0, 2}},
		{"!(a && b)", not(and(leaf(0), leaf(1))), "TF", true, []int{1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var e evaluation
			for i, letter := range test.seen {
				e |= map[rune]evaluation{'-': 0, 'F': 2, 'T': 3}[letter] << (2 * i)
			}
			var decides []int
			for i := range test.seen {
				if test.tree.outcome(e, i).follows {
					decides = append(decides, i)
				}
			}
			assert.Equal(t, test.value, test.tree.outcome(e, 0).value)
			assert.Equal(t, test.decides, decides)
		})
	}
}

// The copies have the lines of the sources, and can be made of all that is measured.
func TestCopies(t *testing.T) {
	source := "package p\n\nfunc f(a, b bool) bool {\n\treturn a &&\n\t\tb\n}\n"
	decisions, text, err := recording("p/p.go", []byte(source), 3)
	require.NoError(t, err)
	require.Len(t, decisions, 1)
	assert.Equal(t, "a && b", decisions[0].text)
	assert.Equal(t, []string{"a", "b"}, decisions[0].operands)
	assert.Equal(t, 4, decisions[0].line)
	assert.Equal(t, strings.Count(source, "\n"), strings.Count(text, "\n"))
	assert.Contains(t, text, "conditionsSeen.End(3, conditionsSeen.Operand(0, a) &&\n\t\tconditionsSeen.Operand(1, b)) }()")

	_, _, err = recording("p/p.go", []byte("package p\nfunc f(n int) {\n\tswitch n {\n\tcase 1:\n\t\tfallthrough\n\tcase 2:\n\t}\n}\n"), 0)
	require.EqualError(t, err, "p/p.go:5: fallthrough is not followed")

	var files []string
	for _, r := range scope {
		of, err := r.sources(top)
		require.NoError(t, err)
		files = append(files, of...)
	}
	decisions, _, err = instrument(top, files, t.TempDir())
	require.NoError(t, err)
	assert.Greater(t, len(decisions), 800)
}

// Tests that fail are an error, and so are evaluations that cannot be read.
func TestMeasuresThatFail(t *testing.T) {
	root := smallModule(t)
	_, err := measure(root, []room{{folder: small, judges: []string{"nowhere"}}})
	require.ErrorContains(t, err, "the tests fail with conditions recorded")
	_, err = measure(root, []room{{folder: small, files: []string{"nothing.go"}}})
	require.ErrorIs(t, err, os.ErrNotExist)

	at := filepath.Join(t.TempDir(), "seen.txt")
	for _, text := range []string{"one\n", "1 2\n", "-1 2\n"} {
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
		require.ErrorContains(t, readSeen(at, []*decision{{}}), "is no evaluation of a decision")
	}
}

func TestListingsThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"    because\n":          ":1: a reason of no entry",
		"# fine\n\na.B\n":        ":3: want a function",
		"a.B `x`\n":              ":1: want a function",
		"a.B `x` perhaps\n":      `:1: strconv.ParseBool: parsing "perhaps"`,
		"a.B `x && `y`` truth\n": ":1: strconv.ParseBool",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "e.txt"), []byte(text), 0o600))
		_, err := readExceptions(dir, "e.txt")
		require.ErrorContains(t, err, want)
	}
	_, err := readExceptions(top, "nowhere.txt")
	require.Error(t, err)
}

// Every entry of the listing is about a room, and has a reason.
func TestListing(t *testing.T) {
	l, err := readExceptions(top, exceptionsFile)
	require.NoError(t, err)
	before := len(l.entries)
	require.NotZero(t, before)
	l.within(scope)
	assert.Len(t, l.entries, before, "an entry is about a folder that is not measured")
	for _, e := range l.entries {
		e.used = true
	}
	assert.Empty(t, l.problems())
}

func TestAsked(t *testing.T) {
	all, err := asked(scope, options{})
	require.NoError(t, err)
	assert.Len(t, all, len(scope))
	one, err := asked(scope, options{folders: []string{"resource"}})
	require.NoError(t, err)
	require.Len(t, one, 1)
	assert.Equal(t, "resource", one[0].folder)
	_, err = asked(scope, options{folders: []string{"nowhere"}})
	require.ErrorContains(t, err, "no folder nowhere")
	assert.Equal(t, []string{"a", "b", "c"}, judgesOf([]room{{folder: "b", judges: []string{"a"}}, {folder: "c", judges: []string{"a"}}}))
}
