package structure

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
)

// Body is the body of a declared function, as a reader meets it.
type Body struct {
	// At is where the function begins, and Name is its name, a method's behind that of its receiver.
	At, Name string
	// Lines are those between the braces. Of them Blank are empty, and Comments have a comment and nothing
	// else, or one behind the code.
	Lines, Blank, Comments int
	// Run is the most lines in a row without a blank one.
	Run int
}

// Bodies lists the bodies of the functions of a package outside tests, in the order of files and lines. Bodies of
// one line, which stand beside their function, have none.
func (p *Package) Bodies() ([]Body, error) {
	var bodies []Body
	for _, file := range p.asts {
		lines, err := linesOf(p.fset.Position(file.Pos()).Filename)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}

			// A line stands in the list one below its number.
			b := Body{At: p.fset.Position(f.Pos()).String(), Name: methodName(f)}
			if first, last := p.fset.Position(f.Body.Lbrace).Line, p.fset.Position(f.Body.Rbrace).Line-1; first < last {
				b.count(lines[first:last])
			}
			bodies = append(bodies, b)
		}
	}
	return bodies, nil
}

// count counts the lines of a body.
func (b *Body) count(lines []line) {
	run := 0
	for _, l := range lines {
		b.Lines++
		if l.comment {
			b.Comments++
		}
		if run++; l.blank {
			b.Blank++
			run = 0
		}
		b.Run = max(b.Run, run)
	}
}

// line is a line of a file.
type line struct{ blank, comment bool }

// linesOf reads a file, and finds the lines that have a comment. A line within a text in backquotes is
// neither blank nor a comment, whatever it consists of.
func linesOf(name string) ([]line, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}

	var lines []line
	for l := range strings.Lines(string(text)) {
		lines = append(lines, line{blank: strings.TrimSpace(l) == ""})
	}

	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return lines, nil
		}
		first := file.Line(pos) - 1
		for i := range strings.Count(literal, "\n") + 1 {
			switch {
			case tok == token.COMMENT:
				lines[min(first+i, len(lines)-1)].comment = true
			case tok == token.STRING:
				lines[first+i].blank = false
			}
		}
	}
}

// methodName names a function, a method behind the name of its receiver.
func methodName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
			continue
		case *ast.IndexExpr:
			of = t.X
			continue
		case *ast.IndexListExpr:
			of = t.X
			continue
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// Longer returns the bodies of more than so many lines, the longest first.
func Longer(bodies []Body, lines int) []Body {
	var longer []Body
	for _, b := range bodies {
		if b.Lines > lines {
			longer = append(longer, b)
		}
	}
	slices.SortStableFunc(longer, func(a, b Body) int { return b.Lines - a.Lines })
	return longer
}
