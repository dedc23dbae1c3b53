package outrank_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bracketed is a word in brackets, as a doc link is written.
var bracketed = regexp.MustCompile(`(^|[^\w\])])\[\*?[A-Za-z_]\w*(\.[A-Za-z_]\w*){0,2}\]([^\w(\[]|$)`)

// documented is a package with what its comments say.
type documented struct {
	folder string
	fset   *token.FileSet
	files  []*ast.File
	doc    *doc.Package
}

// readDocumented returns the packages of the module, without their tests and without modules below. No test changes
// them, so that they are read once.
func readDocumented(t *testing.T) map[string]*documented {
	packages, err := documentedOnce()
	require.NoError(t, err)
	return packages
}

var documentedOnce = sync.OnceValues(func() (map[string]*documented, error) {
	all, err := listOnce()
	if err != nil {
		return nil, err
	}
	out := map[string]*documented{}
	for _, p := range all {
		folder := roomOf(p.ImportPath)
		d := &documented{folder: folder, fset: token.NewFileSet()}
		for _, name := range append(p.GoFiles, p.IgnoredGoFiles...) {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(d.fset, filepath.Join(folder, name), nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			d.files = append(d.files, file)
		}
		if len(d.files) == 0 {
			continue
		}
		d.doc, err = doc.NewFromFiles(d.fset, d.files, p.ImportPath, doc.AllDecls|doc.PreserveAST)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		out[p.ImportPath] = d
	}
	return out, nil
})

// go doc and pkg.go.dev print the comments of fields, of methods of an interface and of values of a
// group as they stand: a doc link there is a word in brackets.
func TestNoBracketsWhereNoLinkIs(t *testing.T) {
	for _, d := range readDocumented(t) {
		for _, file := range d.files {
			ast.Inspect(file, func(n ast.Node) bool {
				for _, group := range printedAsTheyStand(n) {
					if found := bracketed.FindString(group.Text()); found != "" {
						t.Errorf("%s: %q is printed as it stands", d.fset.Position(group.Pos()), strings.TrimSpace(found))
					}
				}
				_, body := n.(*ast.BlockStmt)
				return !body
			})
		}
	}
}

// printedAsTheyStand are the comments of a node in which nothing is a link.
func printedAsTheyStand(n ast.Node) (groups []*ast.CommentGroup) {
	add := func(of ...*ast.CommentGroup) {
		for _, group := range of {
			if group != nil {
				groups = append(groups, group)
			}
		}
	}
	switch n := n.(type) {
	case *ast.StructType:
		for _, f := range n.Fields.List {
			add(f.Doc, f.Comment)
		}
	case *ast.InterfaceType:
		for _, m := range n.Methods.List {
			add(m.Doc, m.Comment)
		}
	case *ast.GenDecl:
		for _, spec := range n.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && n.Lparen.IsValid() {
				add(v.Doc, v.Comment)
			}
		}
	}
	return groups
}

// Each link of a doc comment leads to a name that there is.
func TestDocLinksLeadSomewhere(t *testing.T) {
	all := readDocumented(t)
	for _, d := range all {
		for _, c := range d.comments() {
			text, parsed := c.text, d.doc.Parser().Parse(c.text)
			for _, block := range parsed.Content {
				inline(block, func(x comment.Text) {
					switch x := x.(type) {
					case comment.Plain:
						found := bracketed.FindString(string(x))
						if inside := word.FindString(found); found != "" && !d.resolves(inside, c.exported) {
							t.Errorf("%s: %q leads nowhere, in: %s", d.folder, strings.TrimSpace(found), head(text))
						}
					case *comment.DocLink:
						if to := all[x.ImportPath]; to != nil && x.Name != "" {
							assert.True(t, to.has(x.Recv, x.Name), "%s: [%s.%s.%s] leads nowhere, in: %s", d.folder, x.ImportPath, x.Recv, x.Name, head(text))
						}
					}
				})
			}
		}
	}
}

func head(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// docComment is a doc comment, and whether users see it.
type docComment struct {
	text     string
	exported bool
}

// comments are the doc comments in which links are links.
func (d *documented) comments() []docComment {
	out := []docComment{{d.doc.Doc, true}}
	values := func(vs []*doc.Value) {
		for _, v := range vs {
			out = append(out, docComment{v.Doc, slices.ContainsFunc(v.Names, ast.IsExported)})
		}
	}
	funcs := func(fs []*doc.Func) {
		for _, f := range fs {
			out = append(out, docComment{f.Doc, ast.IsExported(f.Name) && (f.Recv == "" || ast.IsExported(strings.TrimPrefix(f.Recv, "*")))})
		}
	}
	values(d.doc.Consts)
	values(d.doc.Vars)
	funcs(d.doc.Funcs)
	for _, typ := range d.doc.Types {
		out = append(out, docComment{typ.Doc, ast.IsExported(typ.Name)})
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return out
}

// word is what stands in brackets.
var word = regexp.MustCompile(`[A-Za-z_][\w.]*`)

// resolves reports whether a package has a name for what stands in brackets, one that users see where
// they see the brackets. Links to fields are links since Go 1.26, and before they are read all the same.
func (d *documented) resolves(name string, seen bool) bool {
	recv, member, is := strings.Cut(name, ".")
	if !is {
		return !seen && d.has("", name)
	}
	return d.has(recv, member) && !(seen && !(ast.IsExported(recv) && ast.IsExported(member)))
}

// has reports whether a package has a name, of a type where recv says so.
func (d *documented) has(recv, name string) bool {
	if recv == "" {
		for _, file := range d.files {
			if file.Scope.Lookup(name) != nil {
				return true
			}
		}
		return false
	}
	for _, typ := range d.doc.Types {
		if typ.Name != recv {
			continue
		}
		for _, m := range typ.Methods {
			if m.Name == name {
				return true
			}
		}
		return memberOf(typ.Decl, name)
	}
	return false
}

// memberOf reports whether the declaration of a type names a field or a method.
func memberOf(decl *ast.GenDecl, name string) (found bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			for _, id := range f.Names {
				found = found || id.Name == name
			}
			if id, ok := f.Type.(*ast.Ident); ok && len(f.Names) == 0 {
				found = found || id.Name == name
			}
		}
		return !found
	})
	return found
}

// inline visits the texts of a block.
func inline(block comment.Block, visit func(comment.Text)) {
	each := func(texts []comment.Text) {
		for _, x := range texts {
			visit(x)
		}
	}
	switch b := block.(type) {
	case *comment.Paragraph:
		each(b.Text)
	case *comment.Heading:
		each(b.Text)
	case *comment.List:
		for _, item := range b.Items {
			for _, inner := range item.Content {
				inline(inner, visit)
			}
		}
	case *comment.Code:
	default:
		panic(fmt.Sprintf("a block of another kind: %T", b))
	}
}
