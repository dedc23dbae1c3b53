package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

const removed = "removed statement"

// statements collects the list of statements without one of them: without a call, an assignment, a break, a
// continue or an early return.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt, *ast.ReturnStmt, *ast.DeferStmt, *ast.IncDecStmt:
			f.remove(s)
		case *ast.AssignStmt:
			// What is declared is needed further down.
			if s.Tok != token.DEFINE {
				f.remove(s)
			}
		case *ast.BranchStmt:
			switch {
			case s.Tok != token.BREAK && s.Tok != token.CONTINUE:
			case s.Label != nil:
				// The compiler refuses a label that nothing mentions.
				f.replace(removed, s, "if false { "+f.text(s)+" }")
			default:
				f.remove(s)
			}
		}
	}
}

// remove adds the mutant without a statement. Local variables in it are mentioned all the same, because the
// compiler refuses one that nothing else mentions.
func (f *finder) remove(s ast.Stmt) {
	text := "{}"
	if locals := f.locals(s); len(locals) > 0 {
		text = strings.Repeat("_, ", len(locals)-1) + "_ = " + strings.Join(locals, ", ")
	}
	f.replace(removed, s, text)
}

// locals lists the local variables that a statement mentions. Those that it declares itself, in a function
// literal, are left out.
func (f *finder) locals(s ast.Stmt) (names []string) {
	ast.Inspect(s, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := f.pkg.ObjectOf(id).(*types.Var)
		if !ok || v.IsField() || f.pkg.Outside(v) || id.Name == "_" {
			return true
		}
		if inside := s.Pos() <= v.Pos() && v.Pos() < s.End(); !inside && !slices.Contains(names, id.Name) {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}
