package structure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The text decides what is drawn, and lines that come before it do not.
func TestDraw(t *testing.T) {
	dir := t.TempDir()
	write := func(before string) {
		source := before + "package m\n\n// One is first.\nfunc One() {\n\t_ = 1\n\t// within\n}\n\n// Two is second.\nfunc (t *T) Two() {}\n\n// T is a type.\ntype T struct{}\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(source), 0o644))
	}
	write("")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte("// Not this.\npackage m\n"), 0o644))
	texts := func(by string, n int) (texts []string) {
		drawn, err := DrawComments(dir, n, by)
		require.NoError(t, err)
		for _, d := range drawn {
			texts = append(texts, d.Text)
		}
		return texts
	}
	assert.ElementsMatch(t, []string{"One is first.", "within", "Two is second.", "T is a type."}, texts("a", 9))
	assert.Len(t, texts("a", 2), 2)
	orders := map[string]bool{}
	for _, by := range []string{"a", "b", "c", "d"} {
		orders[texts(by, 1)[0]] = true
	}
	assert.Greater(t, len(orders), 1, "whatever the text")

	before := texts("a", 4)
	write("\n\n\n")
	assert.Equal(t, before, texts("a", 4))

	long, err := DrawFunctions(dir, 9, 1, "a")
	require.NoError(t, err)
	require.Len(t, long, 1)
	assert.Equal(t, "One has 2 lines", long[0].Text)
}
