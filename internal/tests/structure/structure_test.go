package structure_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func TestPackage(t *testing.T) {
	p, err := module.Read("testdata/small")
	require.NoError(t, err)
	assert.Equal(t, "small", p.Name)
	assert.Equal(t, []string{"a.go", "b.go", "c.go"}, p.Files)
	assert.Equal(t, 31, p.Lines)
	assert.Zero(t, p.Tests)
	assert.Equal(t, [][]string{{"a.go", "b.go"}}, p.Circles())
	assert.Equal(t, 5, p.Exported(), "Outer, C, Sum, Other, Two")
	assert.Equal(t, structure.Struct{Name: "Outer", Fields: 4}, p.WidestStruct())
	uses := p.References()
	assert.Equal(t, map[string]string{"b.go": "one"}, uses["a.go"])
	assert.Equal(t, map[string]string{"a.go": "Outer", "c.go": "ends"}, uses["b.go"])
	assert.Empty(t, uses["c.go"])
}

func TestNoPackage(t *testing.T) {
	dir := t.TempDir()
	p, err := structure.NewReader().Read(dir)
	require.NoError(t, err)
	assert.Nil(t, p)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\nvar x int = \"\"\n"), 0o600))
	_, err = structure.NewReader().Read(dir)
	require.ErrorContains(t, err, dir)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package"), 0o600))
	_, err = structure.NewReader().Read(dir)
	require.Error(t, err)
}

func TestDoors(t *testing.T) {
	p, err := module.Read(".")
	require.NoError(t, err)
	doors := p.Doors("go/")
	assert.Positive(t, doors["go/token"])
	assert.NotContains(t, doors, "strings")
}
