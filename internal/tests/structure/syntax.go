package structure

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
)

// Function is a function or method with a body, or a function literal in the initial value of a variable of
// the package.
type Function struct {
	// Name is such as "New" or "Plan.String". A literal has the name of its variable.
	Name string
	// File is the path of the file that contains it.
	File string
	Body *ast.BlockStmt
	// Results reports whether it returns anything.
	Results bool
}

// Functions lists the functions of the package, file by file. Literals inside functions belong to these.
func (p *Package) Functions() (all []Function) {
	for _, file := range p.asts {
		name := p.fset.Position(file.Pos()).Filename
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					all = append(all, Function{nameOfFunction(d), name, d.Body, d.Type.Results != nil})
				}
			case *ast.GenDecl:
				all = append(all, literals(d, name)...)
			}
		}
	}
	return all
}

// nameOfFunction returns the name of a function, with the type in front if it is a method.
func nameOfFunction(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	return receiver(d.Recv.List[0].Type) + "." + d.Name.Name
}

// literals lists the function literals in the values of a declaration.
func literals(d *ast.GenDecl, file string) (all []Function) {
	for _, s := range d.Specs {
		values, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		ast.Inspect(values, func(n ast.Node) bool {
			literal, ok := n.(*ast.FuncLit)
			if ok {
				all = append(all, Function{values.Names[0].Name, file, literal.Body, literal.Type.Results != nil})
			}
			return !ok
		})
	}
	return all
}

// Offset returns the byte offset of a position in its file.
func (p *Package) Offset(at token.Pos) int { return p.fset.Position(at).Offset }

// Line returns the line and the column of a position.
func (p *Package) Line(at token.Pos) (line, column int) {
	position := p.fset.Position(at)
	return position.Line, position.Column
}

// TypeOf returns the type of an expression, or nil.
func (p *Package) TypeOf(e ast.Expr) types.Type { return p.info.TypeOf(e) }

// ObjectOf returns the object that an identifier denotes, or nil.
func (p *Package) ObjectOf(id *ast.Ident) types.Object { return p.info.ObjectOf(id) }

// Outside reports whether the package itself, and no function of it, declares the object.
func (p *Package) Outside(o types.Object) bool {
	return o.Parent() == nil || o.Parent() == types.Universe || o.Parent() == p.types.Scope() || o.Pkg() != p.types
}

// Accepts returns why the compiler would refuse the package if one of its files had another text, nil if it
// would not. An import that the text no longer uses counts as nothing.
func (p *Package) Accepts(name, text string) error {
	changed, err := parser.ParseFile(p.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := []*ast.File{changed}
	for _, file := range p.asts {
		if p.fset.Position(file.Pos()).Filename != name {
			files = append(files, file)
		}
	}

	var hard error
	config := types.Config{Importer: p.from, Error: func(err error) {
		if hard == nil && !unusedImport(err, changed) {
			hard = err
		}
	}}
	_, _ = config.Check(p.Name, p.fset, files, nil)
	return hard
}

// unusedImport reports whether an error is about an import that the file does not use.
func unusedImport(err error, file *ast.File) bool {
	at, ok := err.(types.Error)
	if !ok || !at.Soft {
		return false
	}
	for _, i := range file.Imports {
		if i.Pos() <= at.Pos && at.Pos < i.End() {
			return true
		}
	}
	return false
}
