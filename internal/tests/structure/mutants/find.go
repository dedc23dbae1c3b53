package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// finder collects the mutants of one function.
type finder struct {
	pkg      *structure.Package
	folder   string
	function structure.Function
	source   string
	// skipped are nodes in which a change would change nothing, such as the capacity of a new slice.
	skipped map[ast.Node]bool
	found   []*mutant
}

// findIn returns all mutants of a package, in the order of the source. Some of them the compiler refuses.
func findIn(pkg *structure.Package, folder string, texts sources) (all []*mutant, err error) {
	for _, function := range pkg.Functions() {
		f := finder{pkg: pkg, folder: folder, function: function, skipped: map[ast.Node]bool{}}
		if f.source, err = texts.read(function.File); err != nil {
			return nil, err
		}
		ast.Inspect(function.Body, f.look)

		found := different(f.found)
		slices.SortStableFunc(found, func(m, n *mutant) int { return cmp.Or(m.begin-n.begin, m.end-n.end) })
		all = append(all, found...)
	}
	numbered(all)
	return all, nil
}

// look collects the mutants at one node.
func (f *finder) look(n ast.Node) bool {
	if f.skipped[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.BinaryExpr:
		f.operators(n)
	case *ast.UnaryExpr:
		f.negations(n)
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		f.loopCondition(n)
	case *ast.CaseClause:
		f.cases(n)
		f.statements(n.Body)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.IncDecStmt:
		f.step(n)
	case *ast.BasicLit:
		f.constant(n)
	case *ast.Ident:
		f.truth(n)
	case *ast.CallExpr:
		f.call(n)
	case *ast.SliceExpr:
		f.bounds(n)
	case *ast.RangeStmt:
		f.lastRound(n)
	case *ast.ArrayType:
		if n.Len != nil {
			f.skipped[n.Len] = true
		}
	}
	return true
}

// text returns the source of a node.
func (f *finder) text(n ast.Node) string {
	return f.source[f.pkg.Offset(n.Pos()):f.pkg.Offset(n.End())]
}

// replace adds the mutant that has another text in place of a node.
func (f *finder) replace(operator string, n ast.Node, text string) {
	f.add(operator, n.Pos(), n.End(), text)
}

// replaceToken adds the mutant that has another token at a position.
func (f *finder) replaceToken(operator string, at token.Pos, plain, changed token.Token) {
	f.add(operator, at, at+token.Pos(len(plain.String())), changed.String())
}

// add adds the mutant that has another text between two positions.
func (f *finder) add(operator string, from, to token.Pos, text string) {
	begin, end := f.pkg.Offset(from), f.pkg.Offset(to)
	m := &mutant{operator: operator, begin: begin, end: end, text: text, pkg: f.pkg, function: f.function}
	m.file = filepath.ToSlash(filepath.Join(f.folder, filepath.Base(f.function.File)))
	m.line, m.column = f.pkg.Line(from)
	m.key = key{folder: f.folder, function: f.function.Name}
	m.plain, m.changed = linesAround(f.source, begin, end, text)
	f.found = append(f.found, m)
}
