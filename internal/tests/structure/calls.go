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

// Calls knows who calls whom among some packages of a module and all of the module that
// they import.
//
// It finds too many calls rather than too few. A function whose name is mentioned counts as
// called, and so does what the initial value of a mentioned variable mentions. A call through
// an interface goes to every type that has methods of these names and that some function
// which is reached has a value of. A value that is handed to a parameter of an interface
// type may have the methods of that interface called. What reflection finds is not seen, but
// for the methods by which values become text.
type Calls struct {
	module string
	fset   *token.FileSet
	info   *types.Info
	// units are the functions and variables by the objects that they declare, and named the same
	// by their names.
	units map[types.Object]*Unit
	named map[string]*Unit
	// inits are the functions named init of each package, which run where anything of it does.
	inits map[*types.Package][]*Unit
	// loaded are the packages whose source was read.
	loaded map[string]*types.Package
}

// Unit is a function, a method or a variable of a package.
type Unit struct {
	// Name is such as "outrank.NewKey", "resource.Name.Counted" or "preemption/engine.New": the
	// folder in the module, the type of a method, the name. The root's folder is the name of its package.
	Name string
	// Variable is set for a variable.
	Variable bool
	// Path is the import path of the package, File the place of the source.
	Path, File string
	// Begin and End are offsets in the file. They enclose the whole declaration.
	Begin, End int

	nodes []ast.Node
	of    *types.Package
}

// listedPackage is a package as the go command lists it.
type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	Module                  *struct {
		Path string
		Main bool
	}
}

// ReadCalls reads the packages at some import paths, and what they import of their module,
// which is the one that a folder is in.
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
	exported := map[string]string{}
	for _, p := range listed {
		exported[p.ImportPath] = p.Export
	}
	from := &sourceFirst{
		loaded: c.loaded,
		others: importer.ForCompiler(c.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exported[path]) }),
	}

	// The go command lists a package behind all that it imports.
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

// sourceFirst imports what was read from source, so that a function is one object for all who
// call it, and everything else as the compiler left it.
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

// read checks a package and notes what it declares.
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

func (c *Calls) addFunction(of *types.Package, d *ast.FuncDecl) {
	u := c.unit(of, d, []ast.Node{d})
	name := d.Name.Name
	switch {
	case d.Recv != nil:
		name = receiver(d.Recv.List[0].Type) + "." + name
	case name == "init":
		// A package may have several, of which none can be called.
		name += "." + strings.TrimSuffix(filepath.Base(u.File), ".go")
		c.inits[of] = append(c.inits[of], u)
	}
	u.Name = c.nameOf(of, name)
	c.units[c.info.Defs[d.Name]], c.named[u.Name] = u, u
}

// addVariables notes variables, each with the values of the whole declaration.
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

func (c *Calls) unit(of *types.Package, at ast.Node, nodes []ast.Node) *Unit {
	begin, end := c.fset.Position(at.Pos()), c.fset.Position(at.End())
	return &Unit{Path: of.Path(), File: begin.Filename, Begin: begin.Offset, End: end.Offset, nodes: nodes, of: of}
}

// nameOf is the name of a declaration with the folder of its package.
func (c *Calls) nameOf(of *types.Package, name string) string {
	folder := strings.TrimPrefix(strings.TrimPrefix(of.Path(), c.module), "/")
	return cmp.Or(folder, of.Name()) + "." + name
}

// Unit returns the function or variable of this name, nil where there is none.
func (c *Calls) Unit(name string) *Unit { return c.named[name] }

// Exported lists the exported functions of a package and the exported methods of its exported
// types, those of embedded types included. The package has to be among those that were read.
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
