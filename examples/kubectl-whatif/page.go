package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// page writes lines of text. Every string that it is given is made safe first:
// names come from a file, and a terminal obeys what it prints.
type page struct{ w io.Writer }

func (p page) line(format string, args ...any) {
	fmt.Fprintf(p.w, format+"\n", cleaned(args)...)
}

func cleaned(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			arg = screen.Safe(s)
		}
		out[i] = arg
	}
	return out
}

// table is rows of cells in aligned columns, with notes below rows.
type table struct {
	// right are the columns, from 0, that line up at their right end.
	right map[int]bool
	// headed says that the first row holds headings.
	headed bool
	rows   []row
}

// row is cells, or a note that keeps to no column.
type row struct {
	cells []string
	note  string
}

func (t *table) add(cells ...string) {
	for i := range cells {
		cells[i] = screen.Safe(cells[i])
	}
	t.rows = append(t.rows, row{cells: cells})
}

// head adds the row of headings; it comes first.
func (t *table) head(cells ...string) {
	t.headed = true
	t.add(cells...)
}

// note puts a line below the last row.
func (t *table) note(format string, args ...any) {
	t.rows = append(t.rows, row{note: fmt.Sprintf(format, cleaned(args)...)})
}

// print writes the table; columns that are empty but for their heading are left
// out.
func (t *table) print(p page) {
	widths, filled := t.measure()
	for _, r := range t.rows {
		if r.cells == nil {
			fmt.Fprintln(p.w, "     "+r.note)
			continue
		}
		var b strings.Builder
		for i, cell := range r.cells {
			if !filled[i] {
				continue
			}
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if t.right[i] {
				cell, gap = gap+cell, ""
			}
			b.WriteString("  " + cell + gap)
		}
		fmt.Fprintln(p.w, strings.TrimRight(b.String(), " "))
	}
}

// measure finds the width of each column, and whether it holds anything but
// its heading.
func (t *table) measure() (widths []int, filled []bool) {
	for at, r := range t.rows {
		for i, cell := range r.cells {
			if i == len(widths) {
				widths, filled = append(widths, 0), append(filled, false)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			filled[i] = filled[i] || cell != "" && !(t.headed && at == 0)
		}
	}
	return widths, filled
}
