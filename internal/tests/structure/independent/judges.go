package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tests knows the tests of some packages, and which names each of them mentions.
type tests struct {
	dir string
	// of has the tests of each folder that was asked about.
	of map[string]*testFiles
	// upon maps the name of a side to the packages that import, directly or not, something that only that
	// side owns.
	upon map[string]map[string]bool
}

// testFiles are the tests of one folder.
type testFiles struct {
	// declared has the names that each function, type or variable mentions, by its name. What a method
	// mentions counts for its type.
	declared map[string][]mention
	isTest   map[string]bool
	upon     map[string]map[string]bool
	err      error
}

// mention is a name that a test mentions, with the import path of its package. The path is empty for names of
// the test files themselves.
type mention struct{ path, name string }

// newTests asks the go command which packages import which.
func newTests(dir string) (*tests, error) {
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")
	list.Dir, list.Stderr = dir, os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, err
	}

	t := &tests{dir, map[string]*testFiles{}, map[string]map[string]bool{book.name: {}, engine.name: {}}}
	for line := range strings.Lines(string(text)) {
		paths := strings.Fields(line)
		for _, s := range []side{book, engine} {
			t.upon[s.name][paths[0]] = slices.ContainsFunc(paths[1:], func(path string) bool { return s.ownsName(path, "") })
		}
	}
	return t, nil
}

// problems lists the judges of a fault that are no tests, or that ask the book or the engine although they
// must not.
func (t *tests) problems(e entry, f fault) (said []string) {
	if len(f.judges) == 0 {
		return []string{fmt.Sprintf("line %d names no judge for %s", f.line, e.name)}
	}
	for _, j := range f.judges {
		test, _, _ := strings.Cut(withoutFolder(j.name), "/")
		files := t.in(folderOf(j.name))
		if files.err != nil {
			said = append(said, files.err.Error())
			continue
		}

		at := fmt.Sprintf("line %d: %s, the judge of %s, ", f.line, j.name, e.name)
		ofBook, ofEngine := files.asks(book, test, map[string]bool{}), files.asks(engine, test, map[string]bool{})

		switch asked := cmp.Or(ofBook, ofEngine); {
		case !files.isTest[test]:
			said = append(said, at+"is no test")
		case j.replays && ofBook != "" && ofEngine != "":
			said = append(said, at+fmt.Sprintf("mentions %s and %s, and has to replay decisions by one of the two", ofBook, ofEngine))
		case !j.replays && asked != "":
			said = append(said, at+fmt.Sprintf("mentions %s, and has to judge without the book and without the engine", asked))
		}
	}
	return said
}

// asks returns a name of a side, or of a package that imports it, that a test mentions, itself or through
// other declarations of its files. It is empty if the test does not ask that side.
func (f *testFiles) asks(s side, name string, seen map[string]bool) string {
	if seen[name] {
		return ""
	}
	seen[name] = true
	for _, m := range f.declared[name] {
		if m.path == "" {
			if asked := f.asks(s, m.name, seen); asked != "" {
				return asked
			}
			continue
		}
		full := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(m.path, module), "/"), root) + "." + m.name
		if s.ownsName(m.path, full) || f.upon[s.name][m.path] {
			return full
		}
	}
	return ""
}

// in returns the tests of a folder, and reads them on the first call.
func (t *tests) in(folder string) *testFiles {
	if f := t.of[folder]; f != nil {
		return f
	}
	f := &testFiles{declared: map[string][]mention{}, isTest: map[string]bool{}, upon: t.upon}
	t.of[folder] = f

	names, err := filepath.Glob(filepath.Join(t.dir, folder, "*_test.go"))
	if err != nil {
		f.err = err
		return f
	}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			f.err = err
			return f
		}

		// A test of the package itself may mention names of the package without a qualifier.
		path := ""
		if !strings.HasSuffix(file.Name.Name, "_test") {
			path = module + "/" + folder
		}
		f.add(file, path)
	}
	return f
}

// add records what a file declares. The path is that of the package if the file belongs to it, and otherwise
// empty.
func (f *testFiles) add(file *ast.File, path string) {
	imports := map[string]string{}
	for _, i := range file.Imports {
		at := strings.Trim(i.Path.Value, `"`)
		name := at[strings.LastIndex(at, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = at
	}

	note := func(name string, n ast.Node) {
		f.declared[name] = append(f.declared[name], mentions(n, imports, path)...)
	}

	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				f.isTest[d.Name.Name] = strings.HasPrefix(d.Name.Name, "Test")
				note(d.Name.Name, d)
				continue
			}

			// A method counts for its type, because a test that makes a value of the type may have any of
			// them called.
			ast.Inspect(d.Recv, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					note(id.Name, d)
				}
				return true
			})

		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, id := range s.Names {
						note(id.Name, s)
					}
				case *ast.TypeSpec:
					note(s.Name.Name, s)
				}
			}
		}
	}
}

// mentions lists the names in a declaration. A name without a qualifier may be one of the test files or one
// of the package that they are in, so it counts as both. Local names, and names of fields and methods, do not
// count.
func mentions(n ast.Node, imports map[string]string, path string) (all []mention) {
	own := locals(n)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			if ok && imports[x.Name] != "" && !own[x.Name] {
				all = append(all, mention{imports[x.Name], n.Sel.Name})
				return false
			}

			// The name behind the dot is a field or a method.
			all = append(all, mentions(n.X, imports, path)...)
			return false

		case *ast.KeyValueExpr:
			// So is a key of a struct literal.
			if _, ok := n.Key.(*ast.Ident); ok {
				all = append(all, mentions(n.Value, imports, path)...)
				return false
			}

		case *ast.Ident:
			all = append(all, mention{"", n.Name})
			if path != "" {
				all = append(all, mention{path, n.Name})
			}
		}
		return true
	})
	return slices.DeleteFunc(all, func(m mention) bool { return own[m.name] && (m.path == "" || m.path == path) })
}

// locals returns the names of the parameters and variables inside a declaration.
func locals(n ast.Node) map[string]bool {
	names := map[string]bool{}
	define := func(e ast.Expr) {
		if id, ok := e.(*ast.Ident); ok {
			names[id.Name] = true
		}
	}

	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					define(e)
				}
			}

		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				define(n.Key)
				define(n.Value)
			}

		case *ast.ValueSpec:
			for _, id := range n.Names {
				define(id)
			}

		// Parameters and results are fields of the function's type.
		case *ast.Field:
			for _, id := range n.Names {
				define(id)
			}
		}
		return true
	})
	return names
}
