package structure

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
)

// Body measures the body of a declared function.
type Body struct {
	// At is the position of the function. Name is its name; for a method it begins with that of the
	// receiver's type.
	At, Name string
	// Lines counts the lines between the braces. Blank counts the empty ones, and Comments those with a
	// comment, alone or behind code.
	Lines, Blank, Comments int
	// Run is the length of the longest run of lines without a blank one.
	Run int
}

// Bodies lists the bodies of the functions of a package outside tests, in the order of files and lines. A
// body on the same line as its function counts as empty.
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

			// Index i of the list is line i+1, so lines[first:last] is what stands between the braces.
			b := Body{At: p.fset.Position(f.Pos()).String(), Name: methodName(f)}
			if first, last := p.fset.Position(f.Body.Lbrace).Line, p.fset.Position(f.Body.Rbrace).Line-1; first < last {
				b.count(lines[first:last])
			}
			bodies = append(bodies, b)
		}
	}
	return bodies, nil
}

// count adds lines of a body to the counts.
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

// line says whether one line of a file is blank, and whether it has a comment.
type line struct{ blank, comment bool }

// linesOf reads a file and says of each line whether it is blank and whether it has a comment. A line within
// a raw string is neither, whatever it consists of.
func linesOf(name string) ([]line, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}

	var lines []line
	for l := range strings.Lines(string(text)) {
		lines = append(lines, line{blank: strings.TrimSpace(l) == ""})
	}

	// The scanner finds the comments, and corrects the lines that are blank only within a string.
	fset := token.NewFileSet()
	file := fset.AddFile(name, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return lines, nil
		}

		// A token may span several lines. A comment at the end of the file may reach beyond the last one.
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

// methodName returns the name of a function. The name of a method begins with that of its receiver's type.
func methodName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	for {
		switch t := receiver.(type) {
		case *ast.StarExpr:
			receiver = t.X
			continue
		case *ast.IndexExpr:
			receiver = t.X
			continue
		case *ast.IndexListExpr:
			receiver = t.X
			continue
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// Longer returns the bodies with more than the given number of lines, the longest first.
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
