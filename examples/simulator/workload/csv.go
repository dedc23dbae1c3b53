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
	// Line and Column are the place. Both count from 1, the column in bytes. Column is 0
	// if the whole line is meant, and Line is 0 if the whole file is.
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

// mostProblems ends the reading of a thoroughly broken file.
const mostProblems = 20

// No sensible file reaches these bounds. They end the reading of others: a
// device that never ends, or one line of gigabytes.
const (
	// mostRowBytes is the most bytes of a row, with its line end and the blank
	// lines before it.
	mostRowBytes = 1 << 16
	// mostRows is the most rows of a file, those of blank fields included.
	mostRows = 1_000_000
	// mostName is the longest name of a node or a pod that the API server takes.
	mostName = 253
)

// table reads one CSV file a row at a time, and collects its problems. Apart from
// the rows that it returns, its memory is bounded, whatever it reads.
type table struct {
	file     string
	in       *csv.Reader
	rations  *rationed
	column   map[string]int // by heading
	nameless []int          // columns whose heading is blank
	// headings and rows count the columns and the rows so far.
	headings int
	rows     int
	// last is the line of the row that was read last, 0 before the first one.
	last     int
	row      []string
	problems []error
}

// openTable reads the headings. All headings that the columns require must be
// there, and none that they do not know.
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

// newTable begins to read a file. No row is read yet.
func newTable(in io.Reader, file string) *table {
	t := &table{file: file, rations: &rationed{in: in}, column: map[string]int{}}
	t.rations.refill()
	buffered := bufio.NewReader(t.rations)

	// A byte order mark, which spreadsheets write, is no part of a heading.
	if head, _ := buffered.Peek(3); string(head) == "\uFEFF" {
		_, _ = buffered.Discard(3)
	}

	t.in = csv.NewReader(buffered)
	t.in.FieldsPerRecord = -1 // rows may be short
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

// read returns the next row, or an error for a row that is too long. The ration of the reader below ends
// the reading of a row that does not end at all.
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

// next goes to the next row that is not blank, and reports whether there is one.
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

		// A row that is too long is a problem, and the reading goes on with the next one.
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

// checkNameless refuses a value in a column without a heading.
func (t *table) checkNameless() {
	for _, i := range t.nameless {
		if i < len(t.row) && strings.TrimSpace(t.row[i]) != "" {
			t.problem(i, "", quote(t.row[i])+" stands in a column without a heading")
			return
		}
	}
}

// broken returns the problem of a file whose reading failed: its text is no CSV, or the reader below has failed.
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

// tooLong names the place where the reading ended.
func (t *table) tooLong() string {
	after := "its beginning"
	if t.last > 0 {
		after = fmt.Sprintf("line %d", t.last)
	}
	return fmt.Sprintf("no row ends within %d bytes after %s; is this a CSV file?", mostRowBytes, after)
}

// err returns all problems as one error, nil for none.
func (t *table) err() error { return errors.Join(t.problems...) }

// line returns the first line of the current row.
func (t *table) line() int {
	line, _ := t.in.FieldPos(0)
	return line
}

// problem records a problem with the i-th field of the current row.
func (t *table) problem(i int, field, text string) {
	p := &Problem{File: t.file, Field: field, Text: text, Line: t.line()}
	// A short row ends before the field.
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

// text returns a field without the blanks around it, empty where it is missing.
func (t *table) text(heading string) string {
	i, ok := t.column[heading]
	if !ok || i >= len(t.row) {
		return ""
	}
	return strings.TrimSpace(t.row[i])
}

// name returns a field with a name. It records a problem if that is too long.
func (t *table) name(heading string) string {
	text := t.text(heading)
	if len(text) > mostName {
		t.wrong(heading, "the name %s has %d bytes; no more than %d are allowed", quote(text), len(text), mostName)
	}
	return text
}

// number reads a whole number from 0 to most, or records a problem. A blank has
// the given meaning.
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

// mostSeconds is the latest time in a file, some 31 years. It leaves room for adding times up.
const mostSeconds = 1_000_000_000

// seconds reads a time since the beginning of the trace, and reports whether
// there is one. A bad value is recorded as a problem, and does not count as missing.
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
		// Times are rounded to milliseconds, so that the rounding of floats tells no two of them apart.
		return time.Duration(math.Round(s*1000)) * time.Millisecond, true
	}
	return 0, true
}
