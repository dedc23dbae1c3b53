package workload

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
)

// Problem is one problem of a file.
type Problem struct {
	File string
	// Line and Column are the place. Both count from 1; columns are bytes. Column is 0 if the problem is
	// about the whole line, and Line is 0 if it is about the whole file.
	Line, Column int
	// Field is the heading of the column; it may be empty.
	Field string
	Text  string
}

// Error returns "file:line:column: field: text". It wraps [outrank.ErrInvalid].
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			fmt.Fprintf(&b, ":%d", n)
		}
	}
	if p.Field != "" {
		b.WriteString(": " + p.Field)
	}
	return b.String() + ": " + p.Text
}

// Unwrap returns [outrank.ErrInvalid].
func (p *Problem) Unwrap() error { return outrank.ErrInvalid }

// mostProblems is the number of problems after which reading stops.
const mostProblems = 20

// Reasonable files stay within these bounds. They stop the reading of others, such as an endless device or a
// line of gigabytes.
const (
	// mostRowBytes is the most bytes of a row, with its line end and the blank lines before it.
	mostRowBytes = 1 << 16
	// mostRows is the most rows of a file, including blank ones.
	mostRows = 1_000_000
	// mostName is the longest name of a node or a pod that an API server accepts.
	mostName = 253
)

// table reads a CSV file row by row, and collects its problems. Except for the rows that it returns, its
// memory is bounded for any input.
type table struct {
	file     string
	in       *csv.Reader
	rations  *rationed
	column   map[string]int // the index of each column by its heading
	nameless []int          // the columns with a blank heading
	// headings is the number of columns, and rows the number of rows read so far.
	headings int
	rows     int
	// last is the line of the last row read, or 0 before the first one.
	last     int
	row      []string
	problems []error
}

// openTable reads the headings. It returns an error if a required heading is missing or a heading is unknown.
func openTable(in io.Reader, file string, cols columns) (*table, error) {
	t := newTable(in, file)
	row, err := t.read()
	if errors.Is(err, io.EOF) {
		return nil, &Problem{File: file, Text: "the file is empty; its first line has to name the columns"}
	}
	if err != nil {
		return nil, t.broken(err)
	}

	t.headings = len(row)
	for i, heading := range row {
		if len(t.problems) < mostProblems {
			t.heading(i, strings.TrimSpace(heading), cols)
		}
	}
	for _, heading := range cols.required {
		if _, ok := t.column[heading]; !ok {
			t.problems = append(t.problems, &Problem{File: file, Line: 1, Text: "no column " + heading})
		}
	}
	return t, t.err()
}

// newTable returns a table that has read nothing yet.
func newTable(in io.Reader, file string) *table {
	t := &table{file: file, rations: &rationed{in: in}, column: map[string]int{}}
	t.rations.refill()
	buffered := bufio.NewReader(t.rations)

	// Spreadsheets may write a byte order mark, which is not part of a heading.
	if head, _ := buffered.Peek(3); string(head) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}

	t.in = csv.NewReader(buffered)
	t.in.FieldsPerRecord = -1 // rows may be shorter than the headings
	t.in.ReuseRecord = true
	return t
}

// heading records the heading of a column.
func (t *table) heading(i int, heading string, cols columns) {
	if heading == "" {
		t.nameless = append(t.nameless, i)
		return
	}
	if _, twice := t.column[heading]; twice {
		t.problem(i, heading, "there are two columns of this name")
	} else if !cols.known(heading) {
		t.problem(i, "", cols.unknown(heading))
	}
	t.column[heading] = i
}

// read returns the next row, or an error if the row is too long. If a row does not end at all, the reader
// below fails.
func (t *table) read() ([]string, error) {
	t.rations.refill()
	from := t.in.InputOffset()
	row, err := t.in.Read()
	if err == nil && t.in.InputOffset()-from > mostRowBytes {
		err = errLong
	}
	if err == nil {
		t.last, _ = t.in.FieldPos(0)
	}
	return row, err
}

// next reads the next row that is not blank, and reports whether there is one.
func (t *table) next() bool {
	for len(t.problems) < mostProblems {
		row, err := t.read()
		if errors.Is(err, io.EOF) {
			return false
		}

		t.rows++
		if err == nil && t.rows > mostRows {
			err = &Problem{File: t.file, Text: fmt.Sprintf("there are more than %d rows", mostRows)}
		}

		if err != nil {
			t.problems = append(t.problems, t.broken(err))
			return false
		}

		// A row with too many fields is a problem, but the next rows can still be read.
		if len(row) > t.headings {
			t.row = row
			t.problem(t.headings, "", fmt.Sprintf("the row has %d fields, the headings are %d", len(row), t.headings))
			continue
		}
		if slices.ContainsFunc(row, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			t.row = row
			t.checkNameless()
			return true
		}
	}
	return false
}

// checkNameless records a problem if there is a value in a column without a heading.
func (t *table) checkNameless() {
	for _, i := range t.nameless {
		if i < len(t.row) && strings.TrimSpace(t.row[i]) != "" {
			t.problem(i, "", quote(t.row[i])+" stands in a column without a heading")
			return
		}
	}
}

// broken returns the problem of a file that cannot be read further: it is not CSV, or the reader below has
// failed.
func (t *table) broken(err error) error {
	var own *Problem
	if errors.As(err, &own) {
		return own
	}
	if errors.Is(err, errLong) {
		return &Problem{File: t.file, Text: t.tooLong()}
	}
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return &Problem{File: t.file, Line: syntax.Line, Column: syntax.Column, Text: syntax.Err.Error()}
	}
	return fmt.Errorf("%s: %w", t.file, err)
}

// tooLong describes where a row did not end.
func (t *table) tooLong() string {
	after := "its beginning"
	if t.last > 0 {
		after = fmt.Sprintf("line %d", t.last)
	}
	return fmt.Sprintf("no row ends within %d bytes after %s; is this a CSV file?", mostRowBytes, after)
}

// err returns all problems as one error, or nil if there are none.
func (t *table) err() error { return errors.Join(t.problems...) }

// line returns the first line of the current row.
func (t *table) line() int {
	line, _ := t.in.FieldPos(0)
	return line
}

// problem records a problem with the i-th field of the current row.
func (t *table) problem(i int, field, text string) {
	p := &Problem{File: t.file, Field: field, Text: text, Line: t.line()}
	// In a short row that ends before the field, only the line is known.
	if i < len(t.row) || t.row == nil {
		p.Line, p.Column = t.in.FieldPos(i)
	}
	t.problems = append(t.problems, p)
}

// wrong records a problem with a field of the current row.
func (t *table) wrong(heading, format string, args ...any) {
	i, ok := t.column[heading]
	if !ok {
		i = math.MaxInt
	}
	t.problem(i, heading, fmt.Sprintf(format, args...))
}

// text returns a field without surrounding blanks, or "" if it is missing.
func (t *table) text(heading string) string {
	i, ok := t.column[heading]
	if !ok || i >= len(t.row) {
		return ""
	}
	return strings.TrimSpace(t.row[i])
}

// name returns a field that is a name. It records a problem if the name is too long.
func (t *table) name(heading string) string {
	text := t.text(heading)
	if len(text) > mostName {
		t.wrong(heading, "the name %s has %d bytes; no more than %d are allowed", quote(text), len(text), mostName)
	}
	return text
}

// number returns a field that is a whole number from 0 to most. It records a problem and returns 0 for any
// other value. A blank field means the number blank.
func (t *table) number(heading string, blank, most int64) int64 {
	text := t.text(heading)
	if text == "" {
		return blank
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		t.wrong(heading, "%s is not a whole number", quote(text))
	case err != nil, n > most:
		t.wrong(heading, "%s is more than %d", quote(text), most)
	case n < 0:
		t.wrong(heading, "%d is negative", n)
	default:
		return n
	}
	return 0
}

// mostSeconds is the latest time in a file, some 31 years. Sums of such times do not overflow.
const mostSeconds = 1_000_000_000

// seconds returns a field that is a time since the beginning of the trace, and reports whether it is there. A
// bad value is a problem, but counts as there.
func (t *table) seconds(heading string) (time.Duration, bool) {
	text := t.text(heading)
	if text == "" {
		return 0, false
	}
	s, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrSyntax), math.IsNaN(s):
		t.wrong(heading, "%s is not a number of seconds", quote(text))
	case s < 0:
		t.wrong(heading, "%s is negative", quote(text))
	case s > mostSeconds:
		t.wrong(heading, "%s is more than %d seconds", quote(text), mostSeconds)
	default:
		// Times are rounded to milliseconds, so that equal decimal times stay equal in floating point.
		return time.Duration(math.Round(s*1000)) * time.Millisecond, true
	}
	return 0, true
}
