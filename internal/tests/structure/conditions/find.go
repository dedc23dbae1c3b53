package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// finder collects the decisions of one file, and the texts to insert for recording them.
type finder struct {
	fset   *token.FileSet
	source []byte
	// first is the number of the first decision of the file.
	first     int
	file      string
	function  string
	decisions []*decision
	// before and after have the texts to insert around an expression. inside marks && and || that belong to
	// a decision which has been found already.
	before, after map[ast.Node]string
	inside        map[ast.Node]bool
	// points are insertions that stand at a position, in the bodies of clauses.
	points map[token.Pos]string
	err    error
}

// visit looks at one node. Each node comes after those that contain it.
func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		f.function = functionName(n)
	case *ast.IfStmt:
		f.whole(n.Cond)
	case *ast.ForStmt:
		f.whole(n.Cond)
	case *ast.SwitchStmt:
		f.switches(n)
	case *ast.TypeSwitchStmt:
		f.clauses(n.Body, nil)
	case *ast.BranchStmt:
		if n.Tok == token.FALLTHROUGH {
			f.fail(n, "fallthrough is not followed")
		}
	case *ast.BinaryExpr:
		if combines(n.Op) && !f.inside[n] {
			f.expression(n)
		}
	}
}

// fail keeps the first error, with its place.
func (f *finder) fail(n ast.Node, why string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s:%d: %s", f.file, f.fset.Position(n.Pos()).Line, why)
	}
}

// functionName returns the name of a function, with that of its receiver's type before a dot.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return of.(*ast.Ident).Name + "." + f.Name.Name
}

// combines reports whether an operator makes a decision of two.
func combines(op token.Token) bool { return op == token.LAND || op == token.LOR }

// whole takes the condition of a statement, which counts even if it is a single operand.
func (f *finder) whole(cond ast.Expr) {
	if cond != nil && !f.inside[ast.Unparen(cond)] {
		f.expression(cond)
	}
}

// expression makes a decision of an expression. The operands record into a variable of a function literal,
// so that decisions inside of each other, recursion and goroutines do not mix their evaluations.
func (f *finder) expression(x ast.Expr) {
	d := f.add(x)
	var operands []ast.Expr
	d.tree = f.treeOf(x, d, &operands)
	if len(operands) == 1 {
		f.before[x], f.after[x] = fmt.Sprintf("conditionsRecorded.Whole(%d, ", f.number()), ")"
		return
	}
	if len(operands) > mostOperands {
		f.fail(x, "a condition has too many operands")
		return
	}

	f.before[x] = fmt.Sprintf("func() bool { var conditionsSeen conditionsRecorded.Evaluation; return conditionsSeen.End(%d, ", f.number())
	f.after[x] = ") }()"
	for i, operand := range operands {
		f.before[operand] += fmt.Sprintf("conditionsSeen.Operand(%d, ", i)
		f.after[operand] = ")" + f.after[operand]
	}
}

// add appends a decision about a node.
func (f *finder) add(n ast.Node) *decision {
	d := &decision{
		file: f.file, folder: folderOf(f.file), line: f.fset.Position(n.Pos()).Line,
		function: f.function, text: f.text(n.Pos(), n.End()),
	}
	f.decisions = append(f.decisions, d)
	return d
}

// number returns the number of the decision that was added last.
func (f *finder) number() int { return f.first + len(f.decisions) - 1 }

// text returns the source between two positions in one line.
func (f *finder) text(from, to token.Pos) string {
	text := string(f.source[f.fset.Position(from).Offset:f.fset.Position(to).Offset])
	return strings.Join(strings.Fields(text), " ")
}

// treeOf returns the tree of an expression, and appends its operands to those of the decision.
func (f *finder) treeOf(x ast.Expr, d *decision, operands *[]ast.Expr) *node {
	switch inner := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		if combines(inner.Op) {
			f.inside[inner] = true
			left := f.treeOf(inner.X, d, operands)
			return &node{op: inner.Op, left: left, right: f.treeOf(inner.Y, d, operands)}
		}

	case *ast.UnaryExpr:
		// The opposite of a single operand is an operand itself.
		if b, ok := ast.Unparen(inner.X).(*ast.BinaryExpr); ok && inner.Op == token.NOT && combines(b.Op) {
			return &node{op: token.NOT, left: f.treeOf(inner.X, d, operands)}
		}
	}
	d.operands = append(d.operands, f.text(x.Pos(), x.End()))
	*operands = append(*operands, x)
	return &node{operand: len(*operands) - 1}
}
