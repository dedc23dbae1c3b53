package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two stays in one package are no return, and a package that was left and is entered again is one.
func TestReport(t *testing.T) {
	calls := []call{
		{"door/a.go", "F", 20}, {"door/a.go", "G", 20}, {"door/b.go", "H", 20},
		{"state/c.go", "I", 20}, {"door/a.go", "J", 20}, {"state/d.go", "K", 20},
	}
	var out strings.Builder
	report(&out, calls, false)
	assert.Equal(t, `door/a.go
door/b.go
state/c.go
door/a.go  (return)
state/d.go  (return)
6 functions, 5 stays in 4 files, 2 returns
`, out.String())
}

func TestShortFunctionsAreReadWhereTheyAreCalled(t *testing.T) {
	calls := longer([]call{{"a.go", "F", 15}, {"a.go", "G", 16}}, 15)
	assert.Equal(t, []call{{"a.go", "G", 16}}, calls)
}

func TestNoteCalls(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	require.NoError(t, os.WriteFile(file, []byte("package a\n\ntype t[K any] struct{}\n\nfunc (*t[K]) Ask() {\n\tf()\n}\n\nfunc f() {}\n"), 0o644))

	begins, err := noteCalls(file, "a.go", "t.Ask")
	require.NoError(t, err)
	assert.True(t, begins)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), `func (*t[K]) Ask() {defer waytrace.Begin("a.go\tt.Ask\t3")();`)
	assert.Contains(t, string(text), `func f() {waytrace.Call("a.go\tf\t1");}`)
}
