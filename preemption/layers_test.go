package preemption

import (
	"cmp"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// layers of the package, the lowest first. A file belongs to the layer that its
// name begins with. What a file declares may be used by its own layer and by
// those above.
var layers = []string{"answer", "state", "filter", "config", "dryrun", "exhaustive", "search", "evaluator", "group"}

func layerOf(file string) int {
	name, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
	return slices.Index(layers, name)
}

// references returns for each file of the package the files whose declarations
// it uses, each with an example.
func references(t *testing.T) map[string]map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	dir, err := os.Getwd()
	require.NoError(t, err)
	pkg, err := config.Check(dir, fset, files, info)
	require.NoError(t, err)
	uses := map[string]map[string]string{}
	for _, f := range files {
		uses[fset.Position(f.Pos()).Filename] = map[string]string{}
	}
	for id, obj := range info.Uses {
		if obj.Pkg() != pkg || !declaredAtTop(obj, pkg) {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(obj.Pos()).Filename
		if from != to {
			uses[from][to] = max(uses[from][to], obj.Name())
		}
	}
	return uses
}

// declaredAtTop reports whether an object is a declaration of the package, or a
// method or field of one.
func declaredAtTop(obj types.Object, pkg *types.Package) bool {
	if obj.Parent() == pkg.Scope() {
		return true
	}
	switch o := obj.(type) {
	case *types.Func:
		return o.Signature().Recv() != nil
	case *types.Var:
		return o.IsField()
	}
	return false
}

// No layer refers upwards, so that the way of a question through the package
// leads down only.
func TestNoLayerRefersUpwards(t *testing.T) {
	uses := references(t)
	for _, from := range slices.Sorted(maps.Keys(uses)) {
		if from == "doc.go" {
			continue
		}
		if !assert.GreaterOrEqual(t, layerOf(from), 0, "%s belongs to no layer", from) {
			continue
		}
		for _, to := range slices.Sorted(maps.Keys(uses[from])) {
			assert.LessOrEqual(t, layerOf(to), layerOf(from), "%s uses %s of %s", from, uses[from][to], to)
		}
	}
}

// Files that refer to each other in a circle can only be understood together:
// no such circle has ten files or more.
func TestCirclesOfFilesAreSmall(t *testing.T) {
	for _, circle := range circles(references(t)) {
		assert.Less(t, len(circle), 10, "%v", circle)
	}
}

// circles returns the strongly connected components (Tarjan).
func circles(uses map[string]map[string]string) [][]string {
	index, low, on := map[string]int{}, map[string]int{}, map[string]bool{}
	var stack []string
	var out [][]string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack, on[v] = append(stack, v), true
		for w := range uses[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if on[w] {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] != index[v] {
			return
		}
		at := slices.Index(stack, v)
		circle := slices.Clone(stack[at:])
		for _, w := range circle {
			on[w] = false
		}
		stack = stack[:at]
		slices.Sort(circle)
		out = append(out, circle)
	}
	for _, v := range slices.Sorted(maps.Keys(uses)) {
		if index[v] == 0 {
			visit(v)
		}
	}
	slices.SortFunc(out, func(a, b []string) int { return cmp.Compare(len(b), len(a)) })
	return out
}
