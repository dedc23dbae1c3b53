package page

import "slices"

// Table is a table with a heading, or a text with one.
type Table struct {
	Title, Note string
	// Text replaces the table, line by line, indented as it is.
	Text    string
	Columns []Column
	Rows    []TableRow
	// More is the number of rows that are left out.
	More int
}

// Column is one of a table; Number is set for one of numbers.
type Column struct {
	Title  string
	Number bool
}

// Head is the column that names the rows: the first that is not one of numbers.
func (t Table) Head() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Number }))
}

// TableRow is one of a table, with texts below its last cell.
type TableRow struct {
	Cells, Notes []string
}

// MostRows is the most rows that a table should have.
const MostRows = 500
