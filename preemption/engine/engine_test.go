package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// quoted finds the names of the code in ENGINE.md.
var quoted = regexp.MustCompile("`([A-Za-z_][A-Za-z0-9_.]*)`")

// ENGINE.md explains the code to somebody who changes it. Every name in it is
// one that the package, its words, the engine, the solvers or their tests declare.
func TestEngineNamesExist(t *testing.T) {
	text, err := os.ReadFile("ENGINE.md")
	require.NoError(t, err)
	declared := declaredNames(t)
	found := quoted.FindAllStringSubmatch(string(text), -1)
	assert.Greater(t, len(found), 100)
	for _, match := range found {
		for part := range strings.SplitSeq(match[1], ".") {
			assert.True(t, declared[part], "ENGINE.md names %s, and nothing here is called %s", match[1], part)
		}
	}
}

// declaredNames are the names of functions, methods, types, fields, constants
// and variables of all files in the folder, in those below it that the engine consists of,
// in those of the solvers, and in that of the filters' entries.
func declaredNames(t *testing.T) map[string]bool {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.go", "../*.go", "internal/*/*.go", "../internal/*/*.go", "../../internal/exact/*.go", "../../internal/packing/*.go", "../../internal/filter/*.go"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, found...)
	}
	names := map[string]bool{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(tree, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.FuncDecl:
				names[x.Name.Name] = true
				return false
			case *ast.TypeSpec:
				names[x.Name.Name] = true
			case *ast.Field:
				for _, id := range x.Names {
					names[id.Name] = true
				}
			case *ast.ValueSpec:
				for _, id := range x.Names {
					names[id.Name] = true
				}
			}
			return true
		})
	}
	return names
}
