package outrank_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// declared are the structs and methods of the packages that answer, by package and name, as in
// "preemption.Plan".
type declared struct {
	structs map[string]*ast.StructType
	methods map[string]bool // "preemption.Plan.String"
}

func (d *declared) read(folder string, file *ast.File) {
	pkg := path.Base(filepath.ToSlash(folder))
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil {
				d.methods[typeName(pkg, decl.Recv.List[0].Type)+"."+decl.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
					if fields, ok := s.Type.(*ast.StructType); ok {
						d.structs[pkg+"."+s.Name.Name] = fields
					}
				}
			}
		}
	}
}

// typeName names a type as it stands in a package.
func typeName(pkg string, t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return typeName(pkg, t.X)
	case *ast.IndexExpr:
		return typeName(pkg, t.X)
	case *ast.SelectorExpr:
		return t.X.(*ast.Ident).Name + "." + t.Sel.Name
	case *ast.Ident:
		return pkg + "." + t.Name
	}
	return ""
}

// An answer with fields of its own has its own JSON, text and error, and none
// promoted from an answer that it embeds, which would leave its fields out.
func TestNoJSONIsPromoted(t *testing.T) {
	all := declared{map[string]*ast.StructType{}, map[string]bool{}}
	err := filepath.WalkDir("preemption", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			all.read(filepath.Dir(path), file)
		}
		return err
	})
	require.NoError(t, err)
	checked := 0
	for name, fields := range all.structs {
		pkg, _, _ := strings.Cut(name, ".")
		for _, f := range fields.Fields.List {
			if len(f.Names) > 0 || len(fields.Fields.List) == 1 {
				continue
			}
			embedded := typeName(pkg, f.Type)
			for _, method := range []string{"MarshalJSON", "String", "Error"} {
				if all.methods[embedded+"."+method] {
					checked++
					assert.True(t, all.methods[name+"."+method], "%s has the %s of %s, which leaves out its other fields", name, method, embedded)
				}
			}
		}
	}
	require.Positive(t, checked)
}
