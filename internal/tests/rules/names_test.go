package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Two names of a package that differ by case alone are read as one and the same.
func TestNamesDifferByMoreThanCase(t *testing.T) {
	parseAll(t)
	for folder, declared := range parsed.names {
		for _, pair := range equalButForCase(declared) {
			t.Errorf("%s declares both %s and %s", folder, pair[0], pair[1])
		}
	}
}

// packageNames returns the package-level names that a file declares, without
// methods.
func packageNames(tree *ast.File) []string {
	var names []string
	for _, decl := range tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return names
}

// equalButForCase returns the pairs of different names that are equal in lower
// case, each pair once.
func equalButForCase(names []string) [][2]string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	byFold := map[string]string{}
	var pairs [][2]string
	for _, name := range names {
		if other, ok := byFold[strings.ToLower(name)]; ok {
			pairs = append(pairs, [2]string{other, name})
		}
		byFold[strings.ToLower(name)] = name
	}
	return pairs
}

func TestNamesThatDifferByCaseAreFound(t *testing.T) {
	const source = "package p\n\ntype Place int\n\nvar place, other = 1, 2\n\nconst OTHER = 3\n\nfunc f() {}\n\nfunc (Place) Other() {}\n"
	tree, err := parser.ParseFile(token.NewFileSet(), "p.go", source, 0)
	require.NoError(t, err)
	names := packageNames(tree)
	assert.ElementsMatch(t, []string{"Place", "place", "other", "OTHER", "f"}, names)
	assert.Equal(t, [][2]string{{"OTHER", "other"}, {"Place", "place"}}, equalButForCase(names))
}
