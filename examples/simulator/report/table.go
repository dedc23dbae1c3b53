package report

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// Table is a list of rows with aligned columns, which are separated by two blanks. The zero value is an empty
// table.
type Table struct {
	// Right has the columns, counted from 0, that are aligned on the right.
	Right map[int]bool
	rows  [][]string
}

// Add appends a row. Invisible characters are shown as escapes.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = screen.Safe(cell)
	}
	t.rows = append(t.rows, row)
}

// Write writes the rows. It ignores errors of the writer, so w should be a buffer.
func (t *Table) Write(w io.Writer) {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}

	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.Right[i] {
				cell, gap = gap+cell, ""
			}
			b.WriteString(cell + gap)
		}
		_, _ = io.WriteString(w, strings.TrimRight(b.String(), " ")+"\n")
	}
}
