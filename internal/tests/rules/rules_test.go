package rules

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the folder of go.mod.
func root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		require.NotEqual(t, above, dir, "no go.mod above this package")
		dir = above
	}
}

// each calls f for the files of the module whose name ends like this, with
// their path from the root.
func each(t *testing.T, ending string, f func(file string, text []byte)) {
	t.Helper()
	all, err := files(root(t))
	require.NoError(t, err)
	found := 0
	for _, one := range all {
		if strings.HasSuffix(one.path, ending) {
			found++
			f(one.path, one.text)
		}
	}
	require.NotZero(t, found, "no files *%s", ending)
}

// file is a file of the module, with its path from the root.
type file struct {
	path string
	text []byte
}

// read are the files of the module, once a test has asked for them.
var read []file

// files lists the files of the module that some test looks at. It skips hidden folders and the
// files that failing properties leave behind.
func files(top string) ([]file, error) {
	if read != nil {
		return read, nil
	}
	err := filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && at != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "rapid") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(at) != ".go" && !slices.Contains(prose, filepath.Ext(at)) {
			return nil
		}
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, at)
		read = append(read, file{filepath.ToSlash(name), text})
		return err
	})
	return read, err
}

// prose are the files that cite rules outside of comments: documentation, and
// scenarios with what they are for.
var prose = []string{".md", ".txt"}

// parsed maps each folder of the module to the names that its package declares, and lists the
// comments of all Go files. Every file is parsed once, for all tests.
var parsed struct {
	names    map[string][]string
	comments []comment
}

func parseAll(t *testing.T) {
	t.Helper()
	if parsed.names != nil {
		return
	}
	names := map[string][]string{}
	each(t, ".go", func(file string, source []byte) {
		tree, comments, err := parse(file, source)
		require.NoError(t, err)
		parsed.comments = append(parsed.comments, comments...)
		if !strings.HasSuffix(file, "_test.go") {
			names[path.Dir(file)] = append(names[path.Dir(file)], packageNames(tree)...)
		}
	})
	parsed.names = names
}

// passages lists whatever may cite: comments, and files of prose.
func passages(t *testing.T) []comment {
	t.Helper()
	parseAll(t)
	all := slices.Clone(parsed.comments)
	for _, ending := range prose {
		each(t, ending, func(file string, text []byte) { all = append(all, comment{file, string(text)}) })
	}
	return all
}

func readBook(t *testing.T) *book {
	t.Helper()
	b := newBook()
	each(t, "RULES.md", func(file string, text []byte) { b.read(file, string(text)) })
	return b
}

func TestNumbersOfRules(t *testing.T) {
	b := readBook(t)
	for _, problem := range append(b.problems, b.gaps()...) {
		t.Error(problem)
	}
}

func TestEveryCitationResolves(t *testing.T) {
	b := readBook(t)
	for _, c := range passages(t) {
		for _, n := range cited(c.text) {
			assert.NotEmpty(t, b.places[n], "%s cites %s, which is no rule", c.at, n)
			assert.False(t, b.withdrawn[n], "%s cites %s, which is withdrawn", c.at, n)
		}
	}
}
