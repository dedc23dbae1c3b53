package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// assignment collects -= for += and the reverse.
func (f *finder) assignment(n *ast.AssignStmt) {
	t := f.pkg.TypeOf(n.Lhs[0])
	if t == nil || !isNumber(t) {
		return
	}
	switch n.Tok {
	case token.ADD_ASSIGN:
		f.replaceToken("operator", n.TokPos, n.Tok, token.SUB_ASSIGN)
	case token.SUB_ASSIGN:
		f.replaceToken("operator", n.TokPos, n.Tok, token.ADD_ASSIGN)
	}
}

// isNumber reports whether values of a type can be subtracted.
func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// step collects -- for ++ and the reverse.
func (f *finder) step(n *ast.IncDecStmt) {
	other := token.INC
	if n.Tok == token.INC {
		other = token.DEC
	}
	f.replaceToken("operator", n.TokPos, n.Tok, other)
}

// constant collects an integer that is one higher.
func (f *finder) constant(n *ast.BasicLit) {
	if n.Kind != token.INT {
		return
	}
	if value, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
		f.replace("constant", n, strconv.FormatInt(value+1, 10))
	}
}

// truth collects false for true and the reverse.
func (f *finder) truth(n *ast.Ident) {
	switch f.pkg.ObjectOf(n) {
	case types.Universe.Lookup("true"):
		f.replace("constant", n, "false")
	case types.Universe.Lookup("false"):
		f.replace("constant", n, "true")
	}
}

// call collects max for min and the reverse, and calls with two arguments of one type swapped.
func (f *finder) call(n *ast.CallExpr) {
	switch name := f.builtin(n.Fun); name {
	case "min":
		f.replace("min and max", n.Fun, "max")
	case "max":
		f.replace("min and max", n.Fun, "min")
	case "make":
		// A capacity changes no answer, and neither does the room that a new map has.
		last := len(n.Args) - 1
		if _, isMap := f.pkg.TypeOf(n).Underlying().(*types.Map); last == 2 || isMap && last == 1 {
			f.skipped[n.Args[last]] = true
		}
	case "":
		f.swaps(n)
	}
}

// builtin returns the name of a builtin function, empty for any other expression.
func (f *finder) builtin(e ast.Expr) string {
	id, ok := e.(*ast.Ident)
	if !ok {
		return ""
	}
	if _, ok := f.pkg.ObjectOf(id).(*types.Builtin); !ok {
		return ""
	}
	return id.Name
}

// symmetric are functions of the standard library for which the order of two arguments counts nothing.
var symmetric = map[string]bool{"slices.Equal": true, "bytes.Equal": true, "maps.Equal": true, "strings.EqualFold": true, "slices.Grow": true}

// swaps collects a call with two neighbouring arguments of one type swapped. Calls that make texts for people
// are left out: golden files judge these.
func (f *finder) swaps(n *ast.CallExpr) {
	name := f.text(n.Fun)
	if name == "slices.Grow" && len(n.Args) == 2 {
		f.skipped[n.Args[1]] = true
	}
	if symmetric[name] || strings.HasPrefix(name, "fmt.") || f.isConversion(n) {
		return
	}
	for i := 1; i < len(n.Args); i++ {
		a, b := n.Args[i-1], n.Args[i]
		if types.Identical(f.pkg.TypeOf(a), f.pkg.TypeOf(b)) && f.text(a) != f.text(b) {
			between := f.source[f.pkg.Offset(a.End()):f.pkg.Offset(b.Pos())]
			f.add("swapped arguments", a.Pos(), b.End(), f.text(b)+between+f.text(a))
		}
	}
}

// isConversion reports whether a call converts a value to a type.
func (f *finder) isConversion(n *ast.CallExpr) bool {
	_, isFunction := f.pkg.TypeOf(n.Fun).Underlying().(*types.Signature)
	return !isFunction
}

// bounds collects slices without one of their bounds, or with one of them moved. A bound that is a number is
// a constant, and has its mutant already.
func (f *finder) bounds(n *ast.SliceExpr) {
	const kind = "bound"
	if n.Max != nil {
		f.add(kind, n.High.End(), n.Max.End(), "")
	}
	if n.Low != nil {
		f.replace(kind, n.Low, "")
		if !isLiteral(n.Low) {
			f.replace(kind, n.Low, "("+f.text(n.Low)+")+1")
		}
	}
	if n.High != nil && n.Max == nil {
		f.replace(kind, n.High, "")
		if !isLiteral(n.High) {
			f.replace(kind, n.High, "("+f.text(n.High)+")-1")
		}
	}
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}

// lastRound collects a loop that leaves out the last round.
func (f *finder) lastRound(n *ast.RangeStmt) {
	const kind = "bound"
	text := f.text(n.X)
	switch t := f.pkg.TypeOf(n.X).Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger != 0 {
			f.replace(kind, n.X, "("+text+")-1")
		}
	case *types.Slice:
		// The text stands there twice, so that nothing may be called in it.
		if !strings.Contains(text, "(") && !strings.Contains(text, "{") {
			f.replace(kind, n.X, text+"[:max(len("+text+")-1, 0)]")
		}
	}
}
