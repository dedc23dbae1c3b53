package report

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// Table has rows of cells in aligned columns, two blanks apart. The zero value
// is empty and ready.
type Table struct {
	// Right names the columns, counted from 0, that line up at their right end.
	Right map[int]bool
	rows  [][]string
}

// Add puts a row below the others. Invisible characters are shown as escapes.
func (t *Table) Add(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = screen.Safe(cell)
	}
	t.rows = append(t.rows, row)
}

// Write writes the rows. Errors are left to the writer: a buffer has none.
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
