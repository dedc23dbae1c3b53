package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// others are the operators that take the place of one.
var others = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GTR}, token.LEQ: {token.LSS, token.GEQ},
	token.GTR: {token.GEQ, token.LSS}, token.GEQ: {token.GTR, token.LEQ},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD},
	token.AND: {token.OR}, token.OR: {token.AND},
}

// operators collects other operators, and conditions with one operand alone.
func (f *finder) operators(n *ast.BinaryExpr) {
	kind := "operator"
	switch n.Op {
	case token.ADD:
		// Texts can be added, but not subtracted.
		if t, ok := f.pkg.TypeOf(n).Underlying().(*types.Basic); !ok || t.Info()&types.IsNumeric == 0 {
			return
		}
	case token.LAND, token.LOR:
		f.replace("dropped operand", n, f.text(n.X))
		f.replace("dropped operand", n, f.text(n.Y))
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		kind = "comparison"
	}
	for _, op := range others[n.Op] {
		f.replaceToken(kind, n.OpPos, n.Op, op)
	}
}

// negations collects the expression without its negation.
func (f *finder) negations(n *ast.UnaryExpr) {
	switch n.Op {
	case token.NOT:
		f.replace("negation", n, f.text(n.X))
	case token.SUB:
		f.replace("operator", n, f.text(n.X))
	}
}

// condition collects the negated condition. Comparisons for equality, and negations, have it already.
func (f *finder) condition(e ast.Expr) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.EQL || e.Op == token.NEQ {
			return
		}
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return
		}
	}
	f.replace("negation", e, "!("+f.text(e)+")")
}

// loopCondition collects the negated condition of a loop.
func (f *finder) loopCondition(n *ast.ForStmt) {
	if n.Cond != nil {
		f.condition(n.Cond)
	}
}

// cases collects a case without one of its values, and a condition that is negated.
func (f *finder) cases(n *ast.CaseClause) {
	if len(n.List) == 1 {
		// In a switch over a value, the negation of a case is refused by the compiler.
		if t, ok := f.pkg.TypeOf(n.List[0]).(*types.Basic); ok && t.Info()&types.IsBoolean != 0 {
			f.condition(n.List[0])
		}
		return
	}
	for i := range n.List {
		if i == 0 {
			f.add("dropped operand", n.List[0].Pos(), n.List[1].Pos(), "")
			continue
		}
		f.add("dropped operand", n.List[i-1].End(), n.List[i].End(), "")
	}
}
