package page

import "slices"

// Table is a table with a heading, or a text with one.
type Table struct {
	Title, Note string
	// Text takes the place of the table. It is shown line by line, with its indentation.
	Text    string
	Columns []Column
	Rows    []TableRow
	// More is the number of rows that are left out.
	More int
}

// Column is a column of a table. Number says that it holds numbers.
type Column struct {
	Title  string
	Number bool
}

// Head returns the column that names the rows: the first that does not hold numbers.
func (t Table) Head() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Number }))
}

// TableRow is a row of a table, with texts below its last cell.
type TableRow struct {
	Cells, Notes []string
}

// MostRows is the most rows that a table should have.
const MostRows = 500
