package question

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
)

// paper collects lines for people. Texts among the arguments are made safe for a terminal,
// so that they come from the cluster as they are and never twice through here.
type paper struct{ strings.Builder }

func (p *paper) line(format string, args ...any) {
	for i, a := range args {
		switch v := a.(type) {
		case string:
			args[i] = screen.Safe(v)
		case outrank.Key:
			args[i] = screen.Safe(string(v))
		}
	}
	fmt.Fprintf(p, format+"\n", args...)
}

// block adds lines of a text that is safe already, indented.
func (p *paper) block(indent int, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.WriteString(strings.Repeat(" ", indent) + screen.Safe(line) + "\n")
	}
}

// to writes everything at once.
func (p *paper) to(w io.Writer) error {
	_, err := io.WriteString(w, p.String())
	return err
}

// sheet is rows of cells in aligned columns, the first of them headings. A row with a single
// cell keeps to no column.
type sheet [][]string

func (s *sheet) row(cells ...string) {
	for i := range cells {
		cells[i] = screen.Safe(cells[i])
	}
	*s = append(*s, cells)
}

// write puts the sheet on paper; columns with nothing below their heading are left out.
func (s sheet) write(p *paper) {
	var widths []int
	var filled []bool
	for at, row := range s {
		if len(row) == 1 {
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths, filled = append(widths, 0), append(filled, false)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			filled[i] = filled[i] || at > 0 && cell != ""
		}
	}
	for _, row := range s {
		if len(row) == 1 {
			p.WriteString("       " + row[0] + "\n")
			continue
		}
		var line strings.Builder
		for i, cell := range row {
			if filled[i] {
				line.WriteString("  " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
			}
		}
		p.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// plural counts things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// names lists the first few of some names.
func names[T ~string](list []T, limit int) string {
	shown := list[:min(len(list), max(limit, 1))]
	texts := make([]string, len(shown))
	for i := range shown {
		texts[i] = string(shown[i])
	}
	text := strings.Join(texts, ", ")
	if more := len(list) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// bounded is how many of n things are shown; a limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}
