package structure

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
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

// Calls is the call graph of some packages of a module and of everything in the module that they import.
//
// It has too many calls rather than too few. A function whose name is mentioned counts as called, and so does
// everything that the initial value of a mentioned variable mentions. A call through an interface goes to
// every type that has methods of these names and of which some reached function has a value. A value that is
// passed to a parameter of an interface type may have the methods of that interface called. Calls by
// reflection are not seen, except for the methods by which values become text.
type Calls struct {
	module string
	fset   *token.FileSet
	info   *types.Info
	// units maps the declared objects to the functions and variables that they declare; named maps their
	// names to the same units.
	units map[types.Object]*Unit
	named map[string]*Unit
	// inits are the init functions of each package, which run as soon as anything of the package does.
	inits map[*types.Package][]*Unit
	// loaded are the packages that were read from source, by import path.
	loaded map[string]*types.Package
}

// Unit is a function, a method or a variable of a package.
type Unit struct {
	// Name is such as "outrank.NewKey", "resource.Name.Counted" or "preemption/engine.New": the folder in the
	// module, the type of a method, the name. For the root package, the name of the package stands in place
	// of the folder.
	Name string
	// Variable tells a variable from a function or method.
	Variable bool
	// Path is the import path of the package, and File the path of the source file.
	Path, File string
	// Begin and End are byte offsets in the file. They enclose the whole declaration.
	Begin, End int

	// nodes is the source that runs: the function, or the initial values of the variable. It belongs to the
	// package of.
	nodes []ast.Node
	of    *types.Package
}

// listedPackage is one package in the output of go list.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct {
		Path string
		Main bool
	}
}

// ReadCalls reads the packages with the given import paths, and what they import of their module. The module
// is the one that contains the folder dir.
func ReadCalls(dir string, paths ...string) (*Calls, error) {
	root, err := moduleOf(dir)
	if err != nil {
		return nil, err
	}
	listed, err := listDeps(root, paths)
	if err != nil {
		return nil, err
	}

	c := &Calls{
		fset: token.NewFileSet(), units: map[types.Object]*Unit{}, named: map[string]*Unit{},
		inits: map[*types.Package][]*Unit{}, loaded: map[string]*types.Package{},
		info: &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		},
	}

	// Packages of the module are imported as they were read from source. All others come from what the
	// compiler left in its cache.
	exported := map[string]string{}
	for _, p := range listed {
		exported[p.ImportPath] = p.Export
	}
	from := &sourceFirst{
		loaded: c.loaded,
		others: importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) }),
	}

	// The go command lists a package behind everything that it imports, so imports are read before they are
	// needed.
	for _, p := range listed {
		if p.Module == nil || !p.Module.Main {
			continue
		}
		c.module = p.Module.Path
		if err := c.read(p, from); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// listDeps asks the go command for some packages and everything that they import.
func listDeps(root string, paths []string) ([]listedPackage, error) {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Module"}, paths...)...)
	list.Dir, list.Stderr = root, os.Stderr
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", root, err)
	}
	var listed []listedPackage
	for all := json.NewDecoder(strings.NewReader(string(text))); ; {
		var p listedPackage
		switch err := all.Decode(&p); {
		case errors.Is(err, io.EOF):
			return listed, nil
		case err != nil:
			return nil, err
		}
		listed = append(listed, p)
	}
}

// sourceFirst imports packages that were read from source as they are, so that a function is one object for
// all who call it. Everything else comes from the compiler's export data.
type sourceFirst struct {
	loaded map[string]*types.Package
	others types.Importer
}

// Import implements [types.Importer].
func (s *sourceFirst) Import(path string) (*types.Package, error) {
	if p := s.loaded[path]; p != nil {
		return p, nil
	}
	return s.others.Import(path)
}

// read type-checks a package and records what it declares.
func (c *Calls) read(p listedPackage, from types.Importer) error {
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(c.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}

	config := types.Config{Importer: from}
	checked, err := config.Check(p.ImportPath, c.fset, files, c.info)
	if err != nil {
		return fmt.Errorf("%s: %w", p.ImportPath, err)
	}
	c.loaded[p.ImportPath] = checked

	for _, file := range files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.addFunction(checked, d)

			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok && d.Tok == token.VAR {
						c.addVariables(checked, s)
					}
				}
			}
		}
	}
	return nil
}

// addFunction records a function or a method.
func (c *Calls) addFunction(of *types.Package, d *ast.FuncDecl) {
	u := c.unit(of, d, []ast.Node{d})
	name := d.Name.Name
	switch {
	case d.Recv != nil:
		name = receiver(d.Recv.List[0].Type) + "." + name
	case name == "init":
		// A package may have several init functions. Nobody can call them, so the file tells them apart.
		name += "." + strings.TrimSuffix(filepath.Base(u.File), ".go")
		c.inits[of] = append(c.inits[of], u)
	}
	u.Name = c.nameOf(of, name)
	c.units[c.info.Defs[d.Name]], c.named[u.Name] = u, u
}

// addVariables records the variables of a declaration. Each counts as using the values of all of them,
// because one call may give values to several.
func (c *Calls) addVariables(of *types.Package, s *ast.ValueSpec) {
	for _, id := range s.Names {
		v, ok := c.info.Defs[id].(*types.Var)
		if !ok {
			continue
		}
		u := c.unit(of, s, nil)
		for _, value := range s.Values {
			u.nodes = append(u.nodes, value)
		}
		u.Name, u.Variable = c.nameOf(of, id.Name), true
		c.units[v], c.named[u.Name] = u, u
	}
}

// unit returns a unit without a name.
func (c *Calls) unit(of *types.Package, at ast.Node, nodes []ast.Node) *Unit {
	begin, end := c.fset.Position(at.Pos()), c.fset.Position(at.End())
	return &Unit{Path: of.Path(), File: begin.Filename, Begin: begin.Offset, End: end.Offset, nodes: nodes, of: of}
}

// nameOf returns the name of a declaration as Unit.Name has it.
func (c *Calls) nameOf(of *types.Package, name string) string {
	folder := strings.TrimPrefix(strings.TrimPrefix(of.Path(), c.module), "/")
	return cmp.Or(folder, of.Name()) + "." + name
}

// Unit returns the function or variable with this name, or nil.
func (c *Calls) Unit(name string) *Unit { return c.named[name] }

// Exported lists the exported functions of a package and the exported methods of its exported types, with
// those of embedded types. The package must be one that was read.
func (c *Calls) Exported(path string) (names []string, err error) {
	p := c.loaded[path]
	if p == nil {
		return nil, fmt.Errorf("package %s was not read", path)
	}
	for _, name := range p.Scope().Names() {
		switch o := p.Scope().Lookup(name).(type) {
		case *types.Func:
			if o.Exported() {
				names = append(names, c.units[o].Name)
			}
		case *types.TypeName:
			if !o.Exported() || types.IsInterface(o.Type()) {
				continue
			}
			for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
				if u := c.units[m.Obj().(*types.Func).Origin()]; u != nil && m.Obj().Exported() {
					names = append(names, u.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
