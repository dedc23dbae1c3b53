package filter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/filter"
)

// A constant that is not in the list would be known to nobody.
func TestNamesHasEveryConstant(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "filter.go", nil, 0)
	require.NoError(t, err)
	var constants []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if text, ok := spec.Values[0].(*ast.BasicLit); ok {
			value, err := strconv.Unquote(text.Value)
			require.NoError(t, err)
			assert.Equal(t, spec.Names[0].Name, value)
			constants = append(constants, value)
		}
		return true
	})
	assert.Equal(t, constants, filter.Names())
}

func TestNamesIsTheCallers(t *testing.T) {
	filter.Names()[0] = "another"
	assert.Equal(t, filter.NodeUnschedulable, filter.Names()[0])
}
