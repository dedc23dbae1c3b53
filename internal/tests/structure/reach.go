package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Finding is a place in the source with what was found there.
type Finding struct {
	At, Text string
}

// far is the number of steps from which on a reach counts.
const far = 3

// Reaches lists where code takes three steps or more from a variable, as in
// w.search.attempt.config: through fields, the last one perhaps to a method. A local name
// for a field of a field counts as the reach that it replaces: after a := w.search.attempt,
// each a.config is one.
func (p *Package) Reaches() []Finding {
	var found []Finding
	for _, file := range p.asts {
		walk := reachWalk{of: p, steps: map[types.Object]int{}, within: map[ast.Expr]bool{}}
		ast.Inspect(file, walk.visit)
		found = append(found, walk.found...)
	}
	return found
}

// reachWalk goes through one file.
type reachWalk struct {
	of *Package
	// steps has how many steps through fields a local name stands for.
	steps map[types.Object]int
	// within are selectors that belong to a longer one.
	within map[ast.Expr]bool
	found  []Finding
}

func (w *reachWalk) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
			for i := range n.Lhs {
				w.name(n.Lhs[i], n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		if len(n.Names) == len(n.Values) {
			for i := range n.Names {
				w.name(n.Names[i], n.Values[i])
			}
		}
	case *ast.SelectorExpr:
		w.look(n)
	}
	return true
}

// name notes a local name for a field of a field.
func (w *reachWalk) name(name, value ast.Expr) {
	id, ok := name.(*ast.Ident)
	if !ok || w.of.info.Defs[id] == nil {
		return
	}
	if steps, ok := w.through(value); ok && steps >= far-1 {
		w.steps[w.of.info.Defs[id]] = steps
	}
}

// look counts a selector that is not part of a longer one.
func (w *reachWalk) look(s *ast.SelectorExpr) {
	if w.within[s] || w.of.info.Selections[s] == nil {
		return
	}
	for x := s.X; ; {
		inner, ok := x.(*ast.SelectorExpr)
		if !ok {
			break
		}
		w.within[inner] = true
		x = inner.X
	}
	if steps, ok := w.through(s.X); ok && steps+1 >= far {
		w.found = append(w.found, Finding{w.of.fset.Position(s.Pos()).String(), types.ExprString(s)})
	}
}

// through counts the steps through fields from a variable to what an expression says. It
// reports false for anything else.
func (w *reachWalk) through(e ast.Expr) (steps int, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := w.of.info.Uses[e].(*types.Var)
		return w.steps[v], ok
	case *ast.SelectorExpr:
		if s := w.of.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
			steps, ok := w.through(e.X)
			return steps + 1, ok
		}
	case *ast.ParenExpr:
		return w.through(e.X)
	case *ast.StarExpr:
		return w.through(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return w.through(e.X)
		}
	}
	return 0, false
}

// Crowded lists functions with more parameters than most beside a context, and structs with
// more fields that are bools than mostBools. A function is a declaration, a method of an
// interface, a type or a literal.
func (p *Package) Crowded(most, mostBools int) []Finding {
	var found []Finding
	for _, file := range p.asts {
		names := map[ast.Node]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				names[n.Type] = n.Name.Name
			case *ast.Field:
				// A field or a method of an interface; several fields may share a type.
				if len(n.Names) > 0 {
					names[n.Type] = n.Names[0].Name
				}
			case *ast.TypeSpec:
				names[n.Type] = n.Name.Name
				if bools := p.bools(n); bools > mostBools {
					found = append(found, Finding{p.fset.Position(n.Pos()).String(), fmt.Sprintf("%s has %d bools", n.Name.Name, bools)})
				}
			case *ast.FuncType:
				if params := parameters(n); params > most {
					found = append(found, Finding{p.fset.Position(n.Pos()).String(), fmt.Sprintf("%s has %d parameters", cmp.Or(names[n], "a function"), params)})
				}
			}
			return true
		})
	}
	return found
}

// parameters counts the parameters of a function beside a context.
func parameters(f *ast.FuncType) (n int) {
	for _, field := range f.Params.List {
		if types.ExprString(field.Type) != "context.Context" {
			n += max(1, len(field.Names))
		}
	}
	return n
}

// bools counts the fields of a struct that are bools.
func (p *Package) bools(spec *ast.TypeSpec) (n int) {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return 0
	}
	for _, field := range s.Fields.List {
		for _, name := range field.Names {
			if v, ok := p.info.Defs[name].(*types.Var); ok && types.Identical(v.Type().Underlying(), types.Typ[types.Bool]) {
				n++
			}
		}
	}
	return n
}
