package structure

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Blank lines and comments are counted where a reader sees them: not within a text, and not outside bodies.
func TestBodies(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n\ngo 1.25\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package m\n\n"+
		"type list[T any] struct{}\n\n"+
		"// one is a function.\nfunc one() int { return 1 } // in one line\n\n"+
		"func (l *list[T]) longer() string {\n"+
		"\ta := one() // why\n"+
		"\n"+
		"\t// A reason,\n"+
		"\t// in two lines.\n"+
		"\t_ = a\n"+
		"\treturn `\n\n// no comment\n`\n"+
		"}\n\n"+
		"func empty() {\n}\n"), 0o644))
	p, err := NewReader().Read(dir)
	require.NoError(t, err)
	bodies, err := p.Bodies()
	require.NoError(t, err)
	for i := range bodies {
		bodies[i].At = filepath.Base(bodies[i].At)
	}
	assert.Equal(t, []Body{
		{At: "a.go:6:1", Name: "one"},
		{At: "a.go:8:1", Name: "list.longer", Lines: 9, Blank: 1, Comments: 3, Run: 7},
		{At: "a.go:20:1", Name: "empty"},
	}, bodies)
	assert.Equal(t, bodies[1:2], Longer(bodies, 8))
	assert.Empty(t, Longer(bodies, 9))
}
