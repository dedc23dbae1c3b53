package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

// switches makes decisions of the cases of a switch. Those of one without a tag are conditions.
func (f *finder) switches(s *ast.SwitchStmt) {
	if s.Tag != nil {
		f.clauses(s.Body, s.Tag)
		return
	}
	for _, clause := range s.Body.List {
		for _, x := range clause.(*ast.CaseClause).List {
			f.whole(x)
		}
	}
}

// clauses makes a decision of each clause that compares the tag, or its type, with a list of values. Such a
// comparison cannot be replaced by a call. So the body of each clause records that the clauses before it did
// not match and that it did, and a default is added to a switch without one.
func (f *finder) clauses(body *ast.BlockStmt, tag ast.Expr) {
	var missed string
	var defaults *ast.CaseClause
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		if clause.List == nil {
			defaults = clause
			continue
		}
		matches, misses := f.clause(clause, tag)
		f.points[clause.Colon+1] += missed + matches
		missed += misses
	}

	// The default runs when no clause matches, wherever it stands.
	if defaults != nil {
		f.points[defaults.Colon+1] += missed
		return
	}
	f.points[body.Rbrace] += "default: " + missed
}

// clause makes a decision of a clause and returns what records that it matches, and that it does not. Where
// the tag can be asked once more, each value of a list is an operand.
func (f *finder) clause(clause *ast.CaseClause, tag ast.Expr) (matches, misses string) {
	d := f.add(clause)
	d.text = f.text(clause.Case, clause.Colon)
	at := f.number()
	if len(clause.List) == 1 || tag == nil || !plain(tag) {
		d.operands, d.tree = []string{d.text}, &node{}
		return fmt.Sprintf(" conditionsRecorded.Whole(%d, true);", at), fmt.Sprintf(" conditionsRecorded.Whole(%d, false);", at)
	}

	asked := f.text(tag.Pos(), tag.End())
	var parts []string
	for i, x := range clause.List {
		operand := &node{operand: i}
		if d.tree == nil {
			d.tree = operand
		} else {
			d.tree = &node{op: token.LOR, left: d.tree, right: operand}
		}
		d.operands = append(d.operands, asked+" == "+f.text(x.Pos(), x.End()))
		parts = append(parts, fmt.Sprintf("conditionsSeen.Operand(%d, %s)", i, d.operands[i]))
	}
	record := fmt.Sprintf(" func() { var conditionsSeen conditionsRecorded.Evaluation; conditionsSeen.End(%d, %s) }();", at, strings.Join(parts, " || "))
	return record, record
}

// plain reports whether an expression is a name or a field, which has no effects.
func plain(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plain(x.X)
	}
	return false
}
