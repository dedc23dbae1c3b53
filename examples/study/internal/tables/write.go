package tables

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// CSV returns a table with a row for every cell and metric.
func (r *Result) CSV() []byte {
	head := append(r.axes(), "metric", "unit", "runs", "mean", "low", "high", "min", "median", "max",
		"pairs", "difference", "differenceLow", "differenceHigh", "chance", "holm")
	return table(head, r.Rows, func(row Row) []string {
		out := append(r.values(row.Cell), row.Metric, metric.Of(row.Metric).Unit, strconv.Itoa(row.Runs),
			number(row.Mean), number(row.Low), number(row.High), number(row.Min), number(row.Median), number(row.Max))
		if d := row.Difference; d != nil {
			return append(out, strconv.Itoa(d.Pairs), number(d.Mean), number(d.Low), number(d.High), perhaps(d.Chance), perhaps(d.Holm))
		}
		return append(out, "", "", "", "", "", "")
	})
}

// WaitsCSV returns a table with a row for every cell and priority.
func (r *Result) WaitsCSV() []byte {
	head := append(r.axes(), "priority", "pods", "medianSeconds", "p90Seconds", "p99Seconds")
	return table(head, r.Waits, func(w WaitRow) []string {
		return append(r.values(w.Cell), strconv.Itoa(int(w.Priority)), strconv.FormatInt(w.Pods, 10), number(w.Median), number(w.P90), number(w.P99))
	})
}

// FailuresCSV returns a table with a row for every run that failed.
func (r *Result) FailuresCSV() []byte {
	return table(append(r.axes(), "seed", "error"), r.Failures, func(f Failure) []string {
		return append(r.values(f.Cell), strconv.FormatUint(f.Seed, 10), f.Error)
	})
}

// axes returns the headings of the columns that identify a cell: the trace and all axes.
func (r *Result) axes() []string {
	out := []string{spec.TraceAxis}
	for _, a := range spec.Axes() {
		out = append(out, a.Name)
	}
	return out
}

// values returns the fields of a cell in these columns.
func (r *Result) values(c spec.Cell) []string { return append([]string{c.Trace}, c.Values...) }

// table writes a table in CSV.
func table[T any](head []string, rows []T, fields func(T) []string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(head) // writing to a buffer does not fail
	for _, row := range rows {
		w.Write(fields(row))
	}
	w.Flush()
	return b.Bytes()
}

// number writes a number with six digits, which suffice for a mean over runs.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// perhaps writes a number, or nothing if there is none.
func perhaps(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v)
}

// JSON returns the whole result, with the version of the program if that is known.
func (r *Result) JSON() ([]byte, error) {
	b, err := json.MarshalIndent(struct {
		Version string `json:"version,omitempty"`
		*Result
	}{stamp.Here().Known(), r}, "", "  ")
	return append(b, '\n'), err
}

// Markdown returns the table for people. It has a row for each cell, a column for each axis in which cells
// differ, and a column for each metric that is shown. An estimate is followed by its interval and, below, by
// the mean difference to the cell with which this one is compared.
func (r *Result) Markdown() []byte {
	var b bytes.Buffer
	r.introduce(&b)
	r.writeTable(&b)
	r.conclude(&b)
	return b.Bytes()
}

// writeTable writes the table itself.
func (r *Result) writeTable(b *bytes.Buffer) {
	shown, varied := r.Shown(), r.Study.Varied()
	b.WriteString("\n|")
	for _, name := range varied {
		fmt.Fprintf(b, " %s |", name)
	}
	for _, name := range shown {
		fmt.Fprintf(b, " %s |", heading(name))
	}
	b.WriteString("\n|" + strings.Repeat("---|", len(varied)) + strings.Repeat("---:|", len(shown)) + "\n")

	// A cell may lack a metric.
	rows := map[string]Row{}
	for _, row := range r.Rows {
		rows[row.Cell.Key()+"\x00"+row.Metric] = row
	}
	for _, c := range r.Study.Cells() {
		b.WriteString("|")
		for _, name := range varied {
			fmt.Fprintf(b, " %s |", escaped(c.Value(name)))
		}
		for _, name := range shown {
			row, ok := rows[c.Key()+"\x00"+name]
			fmt.Fprintf(b, " %s |", r.cellText(row, ok))
		}
		b.WriteString("\n")
	}
}

// introduce writes what the table is about.
func (r *Result) introduce(b *bytes.Buffer) {
	s := r.Study
	fmt.Fprintf(b, "# %s\n\n", escaped(s.Name))
	if s.About != "" {
		fmt.Fprintf(b, "%s\n\n", escaped(s.About))
	}
	fmt.Fprintf(b, "%d cells, %d seeds each (%d to %d).\n",
		len(s.Cells()), s.Seeds.Count, s.Seeds.First, s.Seeds.First+uint64(s.Seeds.Count)-1)
	if s.Seeds.Count == 1 {
		b.WriteString("Of one seed there are no intervals: nothing says which differences are chance.\n")
	}
}

// conclude says how to read the table, and what it leaves out.
func (r *Result) conclude(b *bytes.Buffer) {
	r.method(b)
	if without := r.withoutRuns(); len(without) > 0 {
		fmt.Fprintf(b, "\nNo run has %s.\n", strings.Join(without, ", "))
	}
	if len(r.Failures) > 0 {
		fmt.Fprintf(b, "\n%d runs failed:\n\n", len(r.Failures))
		for _, f := range r.Failures[:min(len(r.Failures), 10)] {
			fmt.Fprintf(b, "- %s, seed %d: %s\n", escaped(describe(r.Study, f.Cell)), f.Seed, escaped(f.Error))
		}
		if more := len(r.Failures) - 10; more > 0 {
			fmt.Fprintf(b, "- and %d more, in failures.csv\n", more)
		}
	}
}

// method says in one sentence how the figures were computed.
func (r *Result) method(b *bytes.Buffer) {
	s := r.Study
	fmt.Fprintf(b, "\nMeans of %d seeds with their intervals of %s %% by Student's t", s.Seeds.Count, number(100*s.Confidence))
	if family := r.family(); len(family) > 0 {
		fmt.Fprintf(b, "; Δ is the mean difference to the first value of %s on equal seeds with its own by the paired t, bold where it survives Holm's correction over the %d differences of this table at %s %%",
			s.Compare, len(family), number(math.Round(1e6*(1-s.Confidence))/1e4))
	}
	b.WriteString(".\n")
}

// describe names a cell by the axes in which cells differ.
func describe(s *spec.Study, c spec.Cell) string {
	var parts []string
	for _, name := range s.Varied() {
		parts = append(parts, name+" "+c.Value(name))
	}
	if len(parts) == 0 {
		return "the only cell"
	}
	return strings.Join(parts, ", ")
}

// heading names a metric with its unit.
func heading(name string) string {
	m := metric.Of(name)
	if m.Unit == "" {
		return m.Title
	}
	return m.Title + ", " + m.Unit
}

// cellText writes an estimate with its interval and its difference. A difference that is significant after the
// correction is bold.
func (r *Result) cellText(row Row, ok bool) string {
	if !ok {
		return "–"
	}
	text := short(row.Mean)
	if row.Low != row.High {
		text += fmt.Sprintf(" [%s, %s]", short(row.Low), short(row.High))
	}

	if d := row.Difference; d != nil {
		delta := fmt.Sprintf("Δ %s", signed(d.Mean))
		if d.Low != d.High {
			delta += fmt.Sprintf(" [%s, %s]", signed(d.Low), signed(d.High))
		}
		if r.survives(d) {
			delta = "**" + delta + "**"
		}
		text += "<br>" + delta
	}
	return text
}

// short writes a number with three significant digits, and with all digits before the decimal point.
func short(v float64) string {
	if v < 0 {
		return "−" + short(-v)
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e9 || math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// signed writes a number with its sign.
func signed(v float64) string {
	if v > 0 {
		return "+" + short(v)
	}
	return short(v)
}

// escape replaces characters that have a meaning in Markdown or HTML.
var escape = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "\n", " ", "\r", " ", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`)

// escaped returns a text that is not interpreted as Markdown or HTML.
func escaped(s string) string { return escape.Replace(s) }
