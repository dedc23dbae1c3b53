package filter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/filter"
)

// lists are the folders whose lists of filters are no tables: that of the words and of the book,
// which knows nothing of entries, that of the entries themselves, and that of a scheduler's plugins,
// of which some are no filters. Tests beside them hold them to all filters.
var lists = []string{"preemption", "preemption/scheduler/config", "internal/filter"}

// Every table says something about every filter, and what lists most filters is a table: no place
// knows filters by name that a new one could be missing from.
func TestTablesHaveEveryFilter(t *testing.T) {
	tables := 0
	eachLiteral(t, func(place string, literal *ast.CompositeLit) {
		named := filtersOf(literal)
		switch {
		case isTable(literal):
			tables++
			assert.ElementsMatch(t, filter.Names(), named, "%s: a table has to have every filter once", place)
		case len(named) >= len(filter.Names())/2:
			assert.Contains(t, lists, path.Dir(place), "%s: this lists filters, and is no filter.Table", place)
		}
	})
	assert.GreaterOrEqual(t, tables, 2, "tables that were found")
}

// eachLiteral goes through the composite literals of the module that are no part of tests.
func eachLiteral(t *testing.T, see func(place string, literal *ast.CompositeLit)) {
	const root = "../.."
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		short, err := filepath.Rel(root, name)
		ast.Inspect(file, func(n ast.Node) bool {
			if literal, ok := n.(*ast.CompositeLit); ok {
				at := files.Position(literal.Pos())
				at.Filename = filepath.ToSlash(short)
				see(at.String(), literal)
			}
			return true
		})
		return err
	})
	require.NoError(t, err)
}

// isTable reports whether a literal is a filter.Table.
func isTable(literal *ast.CompositeLit) bool {
	generic, ok := literal.Type.(*ast.IndexExpr)
	if !ok {
		return false
	}
	selector, ok := generic.X.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Table"
}

// filtersOf lists the filters that the elements of a literal name, as keys, as values or as the
// first parts of their own elements.
func filtersOf(literal *ast.CompositeLit) (named []string) {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Key
		}
		if inner, ok := element.(*ast.CompositeLit); ok && len(inner.Elts) > 0 {
			element = inner.Elts[0]
		}
		if selector, ok := element.(*ast.SelectorExpr); ok {
			element = selector.Sel
		}
		if name, ok := element.(*ast.Ident); ok && slices.Contains(filter.Names(), name.Name) {
			named = append(named, name.Name)
		}
		if text, ok := element.(*ast.BasicLit); ok && slices.Contains(filter.Names(), strings.Trim(text.Value, `"`)) {
			named = append(named, strings.Trim(text.Value, `"`))
		}
	}
	return named
}
