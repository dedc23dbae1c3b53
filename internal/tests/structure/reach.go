package structure

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// Finding is something that was found in the source: its position, and what it is.
type Finding struct {
	At, Text string
}

// far is the least number of steps that makes a reach.
const far = 3

// Reaches lists the places where code takes three steps or more from a variable, as in
// w.search.attempt.config. Steps go through fields; the last may lead to a method. A local name for a field
// of a field counts as the reach that it replaces: after a := w.search.attempt, each a.config is one.
func (p *Package) Reaches() []Finding {
	var found []Finding
	for _, file := range p.asts {
		walk := reachWalk{fset: p.fset, info: p.info, steps: map[types.Object]int{}, within: map[ast.Expr]bool{}}
		ast.Inspect(file, walk.visit)
		found = append(found, walk.found...)
	}
	return found
}

// reachWalk finds the reaches of one file.
type reachWalk struct {
	fset *token.FileSet
	info *types.Info
	// steps has the number of steps that a local name stands for.
	steps map[types.Object]int
	// within has the selectors that are part of a longer one, and do not count again.
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

// name records a local name for a field of a field.
func (w *reachWalk) name(name, value ast.Expr) {
	id, ok := name.(*ast.Ident)
	if !ok || w.info.Defs[id] == nil {
		return
	}
	if steps, ok := w.through(value); ok && steps >= far-1 {
		w.steps[w.info.Defs[id]] = steps
	}
}

// look records a selector if it is a reach and not part of a longer one.
func (w *reachWalk) look(s *ast.SelectorExpr) {
	if w.within[s] || w.info.Selections[s] == nil {
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
		w.found = append(w.found, Finding{w.fset.Position(s.Pos()).String(), types.ExprString(s)})
	}
}

// through counts the steps through fields from a variable to the value of an expression. It reports false if
// the expression is anything else.
func (w *reachWalk) through(e ast.Expr) (steps int, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		v, ok := w.info.Uses[e].(*types.Var)
		return w.steps[v], ok
	case *ast.SelectorExpr:
		if s := w.info.Selections[e]; s != nil && s.Kind() == types.FieldVal {
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

// Crowded lists the functions with more than most parameters beside a context, and the structs with more than
// mostBools bool fields. Functions are declarations, methods of interfaces, function types and literals.
func (p *Package) Crowded(most, mostBools int) []Finding {
	var found []Finding
	for _, file := range p.asts {
		names := map[ast.Node]string{}

		// A function type is met behind what gives it a name.
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

// parameters counts the parameters of a function, without a context.
func parameters(f *ast.FuncType) (n int) {
	for _, field := range f.Params.List {
		if types.ExprString(field.Type) != "context.Context" {
			n += max(1, len(field.Names))
		}
	}
	return n
}

// bools counts the bool fields of a struct type.
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
