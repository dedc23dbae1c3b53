package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Package engine is a door: of its own it has what holds the state and the configuration, and what only the
// engine can do. The words are those of package preemption, and what decides stands in the rooms behind it.
func TestDoor(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var exported []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			exported = append(exported, exportedBy(declared)...)
		}
	}
	slices.Sort(exported)
	assert.Equal(t, []string{"Changes", "ErrMark", "ErrStale", "ErrUnsound", "Evaluator", "Mark", "New", "NewSnapshot", "Snapshot"}, exported)
}

// exportedBy lists the exported names that a declaration makes, without methods.
func exportedBy(d ast.Decl) (names []string) {
	add := func(id *ast.Ident) {
		if id.IsExported() {
			names = append(names, id.Name)
		}
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			add(d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				add(spec.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					add(id)
				}
			}
		}
	}
	return names
}
