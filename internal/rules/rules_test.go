package rules

import (
	"io/fs"
	"os"
	"path/filepath"
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
// their path from the root. It skips hidden folders and the files that failing
// properties leave behind.
func each(t *testing.T, ending string, f func(file string, text []byte)) {
	t.Helper()
	top := root(t)
	found := 0
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "rapid") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(d.Name(), ending) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := filepath.Rel(top, path)
		found++
		f(filepath.ToSlash(file), text)
		return err
	})
	require.NoError(t, err)
	require.NotZero(t, found, "no files *%s", ending)
}

// prose are the files that cite rules outside of comments: documentation, and
// scenarios with what they are for.
var prose = []string{".md", ".txt"}

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
	check := func(at, text string) {
		for _, n := range cited(text) {
			assert.NotEmpty(t, b.places[n], "%s cites %s, which is no rule", at, n)
			assert.False(t, b.withdrawn[n], "%s cites %s, which is withdrawn", at, n)
		}
	}
	each(t, ".go", func(file string, source []byte) {
		comments, err := commentsOf(file, source)
		require.NoError(t, err)
		for _, c := range comments {
			check(c.at, c.text)
		}
	})
	for _, ending := range prose {
		each(t, ending, func(file string, text []byte) { check(file, string(text)) })
	}
}
