package structure

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Package is the source of one package without its tests.
type Package struct {
	// Name is the name that the package declares. Files are the names of its files, sorted.
	Name  string
	Files []string
	// Lines counts the lines of all files, and Tests the test files.
	Lines, Tests int

	fset  *token.FileSet
	asts  []*ast.File
	types *types.Package
	info  *types.Info
	from  types.Importer
}

// Reader reads packages. It takes imports from the export data in the compiler's cache, so that only the
// package itself is type-checked. Several goroutines must not use it at once.
type Reader struct {
	fset *token.FileSet
	from types.Importer
	// exported maps import paths to files with export data. modules has the root folders of the modules whose
	// packages exported already holds.
	exported map[string]string
	modules  map[string]bool
}

// NewReader returns a reader that resolves imports with the go command.
func NewReader() *Reader {
	r := &Reader{fset: token.NewFileSet(), exported: map[string]string{}, modules: map[string]bool{}}
	r.from = importer.ForCompiler(r.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(r.exported[path]) })
	return r
}

// compile lets the go command compile the module that contains a folder, as far as its cache does not have
// it, and records where the export data is.
func (r *Reader) compile(dir string) error {
	root, err := moduleOf(dir)
	if err != nil || r.modules[root] {
		return err
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./...")
	list.Dir, list.Stderr = root, os.Stderr
	text, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", root, err)
	}
	for line := range strings.Lines(string(text)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		r.exported[path] = file
	}
	r.modules[root] = true
	return nil
}

// moduleOf returns the root folder of the module that contains a folder.
func moduleOf(dir string) (string, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for ; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is in no module", dir)
		}
	}
}

// Read reads the package in a folder. It returns nil if the folder has no Go files outside tests. Files for
// other platforms are left out.
func (r *Reader) Read(dir string) (*Package, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}

	p := &Package{fset: r.fset, from: r.from, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			p.Tests++
			continue
		}
		// Files for another platform would declare the same names once more.
		if built, err := build.Default.MatchFile(dir, filepath.Base(name)); err != nil || !built {
			if err != nil {
				return nil, err
			}
			continue
		}

		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(r.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.add(file, filepath.Base(name), strings.Count(string(text), "\n"))
	}
	if len(p.asts) == 0 {
		return nil, nil
	}
	slices.Sort(p.Files)

	// Only the types of imports need the go command, which is slow.
	if slices.ContainsFunc(p.asts, func(f *ast.File) bool { return len(f.Imports) > 0 }) {
		if err := r.compile(dir); err != nil {
			return nil, err
		}
	}

	config := types.Config{Importer: r.from}
	if p.types, err = config.Check(p.Name, r.fset, p.asts, p.info); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return p, nil
}

// add adds a parsed file with this name and number of lines.
func (p *Package) add(file *ast.File, name string, lines int) {
	p.Name = file.Name.Name
	p.Files, p.asts = append(p.Files, name), append(p.asts, file)
	p.Lines += lines
}

// Imports returns the paths of the imports of all files, sorted.
func (p *Package) Imports() (paths []string) {
	for _, f := range p.asts {
		for _, i := range f.Imports {
			paths = append(paths, strings.Trim(i.Path.Value, `"`))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// file returns the name of the file that contains a position.
func (p *Package) file(at token.Pos) string { return filepath.Base(p.fset.Position(at).Filename) }

// References returns, for each file, the other files whose declarations it uses, each with one of these
// declarations.
func (p *Package) References() map[string]map[string]string {
	uses := map[string]map[string]string{}
	for _, name := range p.Files {
		uses[name] = map[string]string{}
	}
	for id, object := range p.info.Uses {
		if object.Pkg() != p.types || !p.declares(object) {
			continue
		}
		if from, to := p.file(id.Pos()), p.file(object.Pos()); from != to {
			uses[from][to] = max(uses[from][to], object.Name())
		}
	}
	return uses
}

// declares reports whether the package declares the object at its top level, or as a method or field.
func (p *Package) declares(object types.Object) bool {
	if object.Parent() == p.types.Scope() {
		return true
	}
	switch o := object.(type) {
	case *types.Func:
		return o.Signature().Recv() != nil
	case *types.Var:
		return o.IsField()
	}
	return false
}

// Exported counts the exported names: declarations, and the methods and fields of exported
// types that the package itself declares.
func (p *Package) Exported() (n int) {
	for _, file := range p.asts {
		for _, d := range file.Decls {
			n += exportedIn(d)
		}
	}
	return n
}

func exportedIn(d ast.Decl) (n int) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			return 1
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				n += exportedOf(s.Names)
			case *ast.TypeSpec:
				if s.Name.IsExported() {
					n += 1 + members(s.Type)
				}
			}
		}
	}
	return n
}

// members counts the exported fields of a struct type, or the exported methods of an interface type.
func members(t ast.Expr) (n int) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return 0
	}
	for _, f := range list.List {
		n += exportedOf(f.Names)
	}
	return n
}

func exportedOf(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}

// receiver returns the name of the type that a method belongs to.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}

// Struct is a struct type with the number of fields that its methods can use: its own and those of the
// structs that it embeds.
type Struct struct {
	Name   string
	Fields int
}

// WidestStruct returns the struct type with the most fields. Of several it returns the first by name.
func (p *Package) WidestStruct() (widest Struct) {
	scope := p.types.Scope()
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if n := fieldsOf(t.Type(), p.types, map[types.Type]bool{}); n > widest.Fields {
				widest = Struct{name, n}
			}
		}
	}
	return widest
}

// fieldsOf counts fields. An embedded struct of the same package counts as its fields.
func fieldsOf(t types.Type, in *types.Package, seen map[types.Type]bool) (n int) {
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || seen[t] {
		return 0
	}
	seen[t] = true
	for i := range s.NumFields() {
		f := s.Field(i)
		if f.Embedded() && f.Pkg() == in {
			if inner := fieldsOf(f.Type(), in, seen); inner > 0 {
				n += inner
				continue
			}
		}
		n++
	}
	return n
}

// Doors returns how many distinct exported names the package uses of each other package: declarations, fields
// and methods. Only packages whose path begins with below count.
func (p *Package) Doors(below string) map[string]int {
	seen := map[types.Object]bool{}
	width := map[string]int{}
	for _, object := range p.info.Uses {
		switch o := object.(type) {
		case *types.Func:
			object = o.Origin()
		case *types.Var:
			object = o.Origin()
		}
		of := object.Pkg()
		if of == nil || of == p.types || !object.Exported() || !strings.HasPrefix(of.Path(), below) || seen[object] {
			continue
		}
		if _, ok := object.(*types.PkgName); ok {
			continue
		}
		seen[object] = true
		width[of.Path()]++
	}
	return width
}
