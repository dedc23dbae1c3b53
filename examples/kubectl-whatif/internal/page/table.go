package page

import "slices"

// Table is a table or a text, with a heading.
type Table struct {
	Title, Note string
	// Text is shown in place of the table, line by line with its indentation.
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

// MostRows is the most rows that callers should put into a table.
const MostRows = 500
