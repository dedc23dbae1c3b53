package console

import (
	"fmt"
	"strings"
)

// Table has rows of cells in aligned columns, with notes below rows.
type Table struct {
	// Right has the columns, counted from 0, that are aligned to the right.
	Right map[int]bool
	// Rigid has the columns that are shortened only when no other column can be.
	Rigid map[int]bool
	// Spare lists the columns to leave out, in this order, if the screen is too narrow. They are left out
	// before other columns are shortened below the usual width of a name.
	Spare []int
	// Paint colours the cells of columns. It is called once the cells have their final width.
	Paint map[int]func(s Screen, cell string) string

	// headed says that the first row has headings.
	headed bool
	rows   []row
}

// row is a row of cells, or a note that spans all columns.
type row struct {
	cells []string
	note  string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.rows = append(t.rows, row{cells: cells}) }

// Head adds the row of headings, which has to be the first row.
func (t *Table) Head(cells ...string) {
	t.headed = true
	t.Add(cells...)
}

// Note adds a text below the last row.
func (t *Table) Note(format string, args ...any) {
	t.rows = append(t.rows, row{note: fmt.Sprintf(format, args...)})
}

// noteIndent is the indentation of notes.
const noteIndent = "     "

// usual is the usual width of a name.
const usual = 40

// narrowest is the smallest width to which a column is shortened.
const narrowest = 8

// Print writes the table. Columns that have nothing but a heading are left out. If the table is wider than the
// screen, the widest columns are shortened in the middle.
func (t *Table) Print(p Page) {
	for i := range t.rows {
		for j, cell := range t.rows[i].cells {
			t.rows[i].cells[j] = p.Safe(cell)
		}
	}

	widths, filled := t.measure()
	t.leaveOut(widths, filled, p.Width)
	t.fit(widths, filled, p.Width)

	for at, r := range t.rows {
		if r.cells == nil {
			for _, line := range t.noteLines(p, r.note) {
				fmt.Fprintln(p.W, noteIndent+p.apart(line))
			}
			continue
		}
		fmt.Fprintln(p.W, p.apart(t.line(p, at, widths, filled)))
	}
}

// noteLines wraps a note, and indents each line.
func (t *Table) noteLines(p Page, note string) []string {
	note = p.Safe(note)
	if p.Width <= 0 {
		return []string{note}
	}
	lead := note[:len(note)-len(strings.TrimLeft(note, " "))]
	lines := Wrap(note, max(20, p.Width-len(noteIndent)-len(lead)))
	for i := range lines {
		lines[i] = lead + lines[i]
	}
	return lines
}

// line returns a row as it is written. Spaces pad each cell to the width of its column.
func (t *Table) line(p Page, at int, widths []int, filled []bool) string {
	var b strings.Builder
	head := t.headed && at == 0
	for i, cell := range t.rows[at].cells {
		if !filled[i] {
			continue
		}
		cell = Shorten(cell, widths[i])
		gap := strings.Repeat(" ", max(0, widths[i]-Width(cell)))

		// Escape codes take no columns, so that they are added after the cell was measured.
		if head {
			cell = p.styled(cell, Bold)
		} else if paint := t.Paint[i]; paint != nil && p.Color {
			cell = paint(p.Screen, cell)
		}
		if t.Right[i] {
			cell, gap = gap+cell, ""
		}
		b.WriteString("  " + cell + gap)
	}
	return strings.TrimRight(b.String(), " ")
}

// measure finds the width of each column, and whether the column has anything but its heading.
func (t *Table) measure() (widths []int, filled []bool) {
	for at, r := range t.rows {
		for i, cell := range r.cells {
			if i == len(widths) {
				widths, filled = append(widths, 0), append(filled, false)
			}
			widths[i] = max(widths[i], Width(cell))
			filled[i] = filled[i] || cell != "" && !(t.headed && at == 0)
		}
	}
	return widths, filled
}

// leaveOut leaves out spare columns until the others have enough room. A column counts with at most the usual
// width of a name, because it can be shortened to that.
func (t *Table) leaveOut(widths []int, filled []bool, most int) {
	for _, spare := range t.Spare {
		wide := 0
		for i := range widths {
			if filled[i] {
				// Two spaces separate columns.
				wide += 2 + min(usual, widths[i])
			}
		}
		if most <= 0 || wide <= most {
			return
		}
		if spare < len(filled) {
			filled[spare] = false
		}
	}
}

// fit narrows the widest columns until a line fits, or until every column has the smallest useful width.
func (t *Table) fit(widths []int, filled []bool, most int) {
	if most <= 0 {
		return
	}

	over := -most
	for i := range widths {
		if filled[i] {
			over += 2 + widths[i]
		} else {
			// A column that is left out takes no room.
			widths[i] = 0
		}
	}

	for _, rigid := range []bool{false, true} {
		for ; over > 0; over-- {
			// Among equally wide columns the last one is narrowed, because the first columns identify a row.
			widest := -1
			for i := range widths {
				if t.Rigid[i] == rigid && widths[i] > narrowest && (widest < 0 || widths[i] >= widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
}

// PaintRuns returns a function for Paint that colours runs of equal characters by the style of the character.
func PaintRuns(styles map[rune]Style) func(Screen, string) string {
	return func(s Screen, cell string) string {
		var b strings.Builder
		var run []rune
		flush := func() {
			if len(run) > 0 {
				b.WriteString(s.styled(string(run), styles[run[0]]))
				run = run[:0]
			}
		}

		for _, r := range cell {
			if len(run) > 0 && run[0] != r {

				flush()
			}
			run = append(run, r)
		}
		flush()
		return b.String()
	}
}
