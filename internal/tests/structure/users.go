package structure

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Users finds the users of the exported names of a module's packages.
//
// A user is a file of another package, or a test of one. Tests of the same package are no users, nor are the
// tests at the top of the module, which list every name. Examples of the same package are users of a weaker
// kind: people copy them, but a name may exist for its example alone. A method that an interface requires
// needs no user of its own.
type Users struct {
	fset *token.FileSet
	from types.ImporterFrom
	// declared has the exported names by the positions of their declarations, and used has the positions of
	// those with users.
	declared map[string]Name
	used     map[string]bool
	// exampled has the positions of names that an example of their own package uses.
	exampled map[string]bool
	// wanted has the names of the methods that interfaces of the module require.
	wanted map[string]bool
}

// Name is an exported name: of a function, a type, a variable, a constant or a method.
type Name struct {
	// Folder is the folder of the package. Name is such as "New", or "Plan.String" for a method.
	Folder, Name string
	// Kind is func, method, type, var or const.
	Kind string
	// Exampled is set if an example of the same package uses the name.
	Exampled bool

	object types.Object
}

// NewUsers returns Users that know no packages yet.
func NewUsers() *Users {
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "source", nil).(types.ImporterFrom)
	return &Users{fset: fset, from: from, declared: map[string]Name{}, used: map[string]bool{}, exampled: map[string]bool{}, wanted: map[string]bool{}}
}

// Add reads the package in a folder of the module, with its tests. If the package is public, its exported
// names are among those that need users.
func (u *Users) Add(root, folder string, public bool) error {
	dir, err := filepath.Abs(filepath.Join(root, folder))
	if err != nil {
		return err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}

	parsed := map[string][]*ast.File{}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") {
			continue
		}
		f, err := parser.ParseFile(u.fset, filepath.Join(dir, file.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed[f.Name.Name] = append(parsed[f.Name.Name], f)
	}

	// A folder may have two packages: the second is that of its external tests.
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		all := parsed[name]
		plain := slices.DeleteFunc(slices.Clone(all), func(f *ast.File) bool {
			return strings.HasSuffix(u.fset.File(f.Pos()).Name(), "_test.go")
		})

		// Names are declared by the sources without tests, so that names from test files do not count.
		if public && len(plain) > 0 && name != "main" {
			checked, _ := u.check(dir, plain)
			u.declare(checked, folder)
		}

		if folder == "." {
			all = plain
		}

		_, info := u.check(dir, all)
		u.use(dir, all, info)
	}
	return nil
}

// check type-checks files as far as possible. It leaves out names that it cannot resolve, such as those that
// the tests of a package export to tests in other folders.
func (u *Users) check(dir string, files []*ast.File) (*types.Package, *types.Info) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: inFolder{u.from, dir}, Error: func(error) {}}
	checked, _ := config.Check(dir, u.fset, files, info)
	return checked, info
}

// inFolder resolves imports as a file in the folder dir would.
type inFolder struct {
	from types.ImporterFrom
	dir  string
}

func (i inFolder) Import(path string) (*types.Package, error) {
	return i.from.ImportFrom(path, i.dir, 0)
}

// place identifies an object by its position, which is the same if the package is read twice.
func (u *Users) place(o types.Object) string { return u.fset.Position(o.Pos()).String() }

// declare adds the exported names of a package.
func (u *Users) declare(p *types.Package, folder string) {
	for _, name := range p.Scope().Names() {
		o := p.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		u.declared[u.place(o)] = Name{Folder: folder, Name: name, Kind: kindOf(o), object: o}
		of, ok := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !ok || !isType {
			continue
		}
		for m := range of.Methods() {
			if m.Exported() {
				u.declared[u.place(m)] = Name{Folder: folder, Name: name + "." + m.Name(), Kind: "method", object: m}
			}
		}
	}
}

func kindOf(o types.Object) string {
	switch o.(type) {
	case *types.Func:
		return "func"
	case *types.TypeName:
		return "type"
	case *types.Const:
		return "const"
	}
	return "var"
}

// use records which names of other packages the files use, which of their own the examples use, and which
// methods the interfaces require.
func (u *Users) use(dir string, files []*ast.File, info *types.Info) {
	examples := map[*ast.FuncDecl]bool{}
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
				examples[f] = true
			}
		}
	}

	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			if i, ok := n.(*ast.InterfaceType); ok {
				for _, m := range i.Methods.List {
					for _, name := range m.Names {
						u.wanted[name.Name] = true
					}
				}
			}
			return true
		})
	}

	for id, o := range info.Uses {
		if o.Pkg() == nil || !o.Exported() {
			continue
		}
		at := u.place(o)
		if filepath.Dir(u.fset.Position(o.Pos()).Filename) != dir {
			u.used[at] = true
			continue
		}

		for f := range examples {
			if f.Pos() <= id.Pos() && id.Pos() < f.End() {
				u.exampled[at] = true
			}
		}
	}
}

// AddModule counts the files below a folder, which belong to another module, as users of every name that they
// select. It compares names alone, so it may find too many users, but never too few.
func (u *Users) AddModule(dir string) error {
	selected := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				selected[s.Sel.Name] = true
			}
			return true
		})
		return nil
	})
	for at, name := range u.declared {
		if selected[name.Name[strings.LastIndex(name.Name, ".")+1:]] {
			u.used[at] = true
		}
	}
	return err
}

// Without lists the names that only their own package uses, sorted by folder and name. It leaves out methods
// that an interface requires, and types that the declaration of another exported name mentions.
func (u *Users) Without() []Name {
	var out []Name
	mentioned := u.mentioned()
	for at, n := range u.declared {
		last := n.Name[strings.LastIndex(n.Name, ".")+1:]
		if !u.used[at] && !mentioned[at] && !wellKnown[last] && !(n.Kind == "method" && u.wanted[last]) {
			n.Exampled = u.exampled[at]
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b Name) int {
		return strings.Compare(fmt.Sprint(a.Folder, " ", a.Name), fmt.Sprint(b.Folder, " ", b.Name))
	})
	return out
}

// wellKnown has the methods that interfaces outside the module require.
var wellKnown = map[string]bool{
	"String": true, "Error": true, "Unwrap": true, "Is": true, "MarshalJSON": true, "UnmarshalJSON": true,
	"MarshalText": true, "UnmarshalText": true, "LogValue": true,
}

// mentioned has the positions of the types in the signatures, fields and values of declared names.
func (u *Users) mentioned() map[string]bool {
	out := map[string]bool{}
	for _, n := range u.declared {
		t := n.object.Type()
		if n.Kind == "type" {
			t = t.Underlying()
		}
		u.mention(out, t, 0)
	}
	return out
}

// mention adds the positions of the types that a type consists of. The depth is bounded, because a type may refer to
// itself.
func (u *Users) mention(out map[string]bool, t types.Type, depth int) {
	if depth > 8 {
		return
	}

	switch t := t.(type) {
	case *types.Named:
		out[u.place(t.Obj())] = true
	case *types.Alias:
		u.mention(out, types.Unalias(t), depth+1)

	case interface{ Elem() types.Type }:
		u.mention(out, t.Elem(), depth+1)
		if m, ok := t.(*types.Map); ok {
			u.mention(out, m.Key(), depth+1)
		}

	// Unexported fields are not part of what a package promises.
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				u.mention(out, f.Type(), depth+1)
			}
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				u.mention(out, v.Type(), depth+1)
			}
		}

	case *types.Interface:
		for m := range t.ExplicitMethods() {
			u.mention(out, m.Type(), depth+1)
		}
	}
}
