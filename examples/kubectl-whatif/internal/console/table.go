package console

import (
	"fmt"
	"strings"
)

// Table is rows of cells in aligned columns, with notes below rows.
type Table struct {
	// Right has the columns, counted from 0, that line up at their right end.
	Right map[int]bool
	// Rigid has the columns that are shortened only once the others cannot be any more.
	Rigid map[int]bool
	// Spare lists columns that are left out if the screen is too narrow, the first one
	// first, before others are shortened below the usual width of a name.
	Spare []int
	// Paint colours the cells of columns. A cell is as wide then as it will be.
	Paint map[int]func(s Screen, cell string) string

	// headed says that the first row holds headings.
	headed bool
	rows   []row
}

// row is cells, or a note that keeps to no column.
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

// Note puts a text below the last row.
func (t *Table) Note(format string, args ...any) {
	t.rows = append(t.rows, row{note: fmt.Sprintf(format, args...)})
}

// noteIndent stands before notes.
const noteIndent = "     "

// usual is the usual width of a name.
const usual = 40

// narrowest is the least width of a shortened column.
const narrowest = 8

// Print writes the table. Columns that are empty but for their heading are left out. If the table
// is wider than the screen, the widest columns are shortened in the middle.
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

// noteLines breaks a note into lines, each with the indentation of the note.
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

// line is a row as it is written. Spaces fill each cell up to the width of its column.
func (t *Table) line(p Page, at int, widths []int, filled []bool) string {
	var b strings.Builder
	head := t.headed && at == 0
	for i, cell := range t.rows[at].cells {
		if !filled[i] {
			continue
		}
		cell = Shorten(cell, widths[i])
		gap := strings.Repeat(" ", max(0, widths[i]-Width(cell)))

		// Colours take no columns, so that they come after the cell was measured.
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

// measure finds the width of each column, and whether it holds anything but
// its heading.
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

// leaveOut leaves out spare columns until the others have enough room. Columns count with no more than the
// usual width of a name, as they can be shortened to that.
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

// fit narrows the widest columns until a line is as wide as it may be, or every
// column is as narrow as makes sense.
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
			// Of several that are equally wide the last one is narrowed: the first columns identify a row.
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

// PaintRuns colours the cells of a column character by character, each run of a character at once.
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
