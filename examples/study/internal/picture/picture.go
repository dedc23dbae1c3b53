// Package picture answers as pictures what a study has found: one SVG for each metric that is shown, with a dot
// and an interval for every cell. An SVG loads no other files, and is readable in light and dark.
package picture

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/study/internal/metric"
	"github.com/outrank-go/outrank/examples/study/internal/spec"
	"github.com/outrank-go/outrank/examples/study/internal/tables"
)

// Picture is a file with a picture.
type Picture struct {
	Name string
	SVG  []byte
}

// mostRows is the most cells that a picture shows. The picture says how many it leaves out.
const mostRows = 120

// Of draws a picture of each metric that is shown.
func Of(r *tables.Result) []Picture {
	var out []Picture
	for _, name := range r.Shown() {
		out = append(out, Picture{"picture-" + strings.ReplaceAll(name, "/", "-") + ".svg", draw(r, name)})
	}
	return out
}

// The measures of a picture, in pixels.
const (
	width, left, right = 1000, 340, 40
	top, rowHeight     = 96, 24
	groupGap           = 12
)

// row is a cell in the picture.
type row struct {
	tables.Row
	label string
	// series is the index of the cell's value on the compared axis.
	series int
	y      float64
}

// draw draws the picture of a metric.
func draw(r *tables.Result, name string) []byte {
	study := r.Study
	rows, omitted := rowsOf(r, name)
	bottom := layOut(rows, study)
	low, high, step := scale(rows)
	at := func(v float64) float64 { return left + (v-low)/(high-low)*(width-left-right) }

	var b bytes.Buffer
	m := metric.Of(name)
	head(&b, study, caption{study.Name + ": " + m.Title, describe(rows, m)}, bottom+64)
	legend(&b, study)
	for v := low; v <= high+step/2; v += step {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="%d" y2="%.1f"/><text class="tick" x="%.1f" y="%.1f">%s</text>`+"\n",
			at(v), at(v), top, bottom, at(v), bottom+18, label(v, step))
	}
	for i := range rows {
		mark(&b, &rows[i], at)
	}

	axis := m.Title
	if m.Unit != "" {
		axis += ", in " + m.Unit
	}
	fmt.Fprintf(&b, `<text class="axis" x="%d" y="%.1f">%s</text>`+"\n", (left+width-right)/2, bottom+42, text(axis))
	if omitted > 0 {
		fmt.Fprintf(&b, `<text class="note" x="24" y="%.1f">%d more cells are in figures.csv</text>`+"\n", bottom+42, omitted)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// layOut gives each row its position, with a gap between groups. It returns the lower end of the last row.
func layOut(rows []row, study *spec.Study) (bottom float64) {
	y, group := float64(top), ""
	for i := range rows {
		if g := groupOf(study, rows[i].Cell); i > 0 && g != group {
			y += groupGap
		}
		group = groupOf(study, rows[i].Cell)
		rows[i].y = y + rowHeight/2
		y += rowHeight
	}
	return y
}

// caption has the texts of a picture: its title, and a description for those who cannot see it.
type caption struct{ title, description string }

// head begins the picture: its size, its description, the background and the title.
func head(b *bytes.Buffer, study *spec.Study, say caption, height float64) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-labelledby="t d">`+"\n", width, height, width, height)
	fmt.Fprintf(b, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n%s", text(say.title), text(say.description), style)
	fmt.Fprintf(b, `<rect class="ground" width="%d" height="%.0f"/>`+"\n", width, height)
	fmt.Fprintf(b, `<text class="title" x="24" y="32">%s</text>`+"\n", text(cut(say.title, 90)))
	fmt.Fprintf(b, `<text class="note" x="24" y="52">mean of %d seeds, and the interval of %g %% around it</text>`+"\n", study.Seeds.Count, 100*study.Confidence)
}

// rowsOf returns the cells that have the metric. Cells that differ only in the compared axis are adjacent.
func rowsOf(r *tables.Result, name string) (rows []row, omitted int) {
	var order []string
	for _, c := range r.Study.Cells() {
		if g := groupOf(r.Study, c); !slices.Contains(order, g) {
			order = append(order, g)
		}
	}

	for _, x := range r.Rows {
		if x.Metric == name {
			rows = append(rows, row{Row: x, label: labelOf(r.Study, x.Cell), series: series(r.Study, x.Cell)})
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		return slices.Index(order, groupOf(r.Study, a.Cell)) - slices.Index(order, groupOf(r.Study, b.Cell))
	})

	if len(rows) > mostRows {
		return rows[:mostRows], len(rows) - mostRows
	}
	return rows, 0
}

// groupOf returns a key that is equal for cells that are compared with one another.
func groupOf(s *spec.Study, c spec.Cell) string {
	var parts []string
	for _, name := range s.Varied() {
		if name != s.Compare {
			parts = append(parts, name+" "+c.Value(name))
		}
	}
	return strings.Join(parts, ", ")
}

// labelOf names a cell by the axes in which cells differ, the compared one last.
func labelOf(s *spec.Study, c spec.Cell) string {
	if slices.Contains(s.Varied(), s.Compare) {
		return strings.Trim(groupOf(s, c)+", "+c.Value(s.Compare), ", ")
	}
	if g := groupOf(s, c); g != "" {
		return g
	}
	return s.Name
}

// values returns the values of the compared axis, in order.
func values(s *spec.Study) []string {
	var out []string
	for _, c := range s.Cells() {
		if v := c.Value(s.Compare); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// series returns the index of a cell's value among those of the compared axis.
func series(s *spec.Study, c spec.Cell) int { return slices.Index(values(s), c.Value(s.Compare)) }

// legend names the compared axis and its values, each with its shape and colour.
func legend(b *bytes.Buffer, s *spec.Study) {
	names := values(s)
	if len(names) < 2 {
		return
	}
	fmt.Fprintf(b, `<text class="key" x="24" y="78">%s</text>`+"\n", text(s.Compare))
	x := 44 + 7*float64(len(s.Compare))
	for i, name := range names {
		if x > width-200 {
			fmt.Fprintf(b, `<text class="key" x="%.0f" y="78">and %d more</text>`+"\n", x, len(names)-i)
			return
		}
		shape(b, i, x+6, 74)
		fmt.Fprintf(b, `<text class="key" x="%.0f" y="78">%s</text>`+"\n", x+18, text(cut(name, 24)))
		x += 40 + 7*float64(min(len([]rune(name)), 24))
	}
}

// mark draws one cell.
func mark(b *bytes.Buffer, r *row, at func(float64) float64) {
	fmt.Fprintf(b, `<g><title>%s: %.6g, from %.6g to %.6g, %d runs</title><text class="label" x="%d" y="%.1f">%s</text>`,
		text(r.label), r.Mean, r.Low, r.High, r.Runs, left-12, r.y+4, text(cut(r.label, 42)))
	fmt.Fprintf(b, `<line class="s%d reach" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, r.series%6, at(r.Low), at(r.High), r.y, r.y)
	for _, v := range []float64{r.Low, r.High} {
		fmt.Fprintf(b, `<line class="s%d reach" x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`, r.series%6, at(v), at(v), r.y-4, r.y+4)
	}
	shape(b, r.series, at(r.Mean), r.y)
	b.WriteString("</g>\n")
}

// shape draws the mark of a series. Marks differ in shape and colour, and repeat after the sixth.
func shape(b *bytes.Buffer, series int, x, y float64) {
	class := fmt.Sprintf("s%d dot", series%6)
	switch series % 6 {
	case 0:
		fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="5"/>`, class, x, y)
	case 1:
		fmt.Fprintf(b, `<rect class="%s" x="%.1f" y="%.1f" width="9" height="9"/>`, class, x-4.5, y-4.5)
	case 2:
		fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1fl6 10h-12z"/>`, class, x, y-6)
	case 3:
		fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1fl6 6-6 6-6-6z"/>`, class, x, y-6)
	case 4:
		fmt.Fprintf(b, `<path class="%s" d="M%.1f %.1fl6-10h-12z"/>`, class, x, y+6)
	default:
		fmt.Fprintf(b, `<circle class="%s hollow" cx="%.1f" cy="%.1f" r="5"/>`, class, x, y)
	}
	b.WriteString("\n")
}

// scale returns the range of the axis, and the step between its lines. The range begins at 0, unless all values
// are far from 0.
func scale(rows []row) (low, high, step float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		low, high = min(low, r.Low, r.Mean), max(high, r.High, r.Mean)
	}
	if len(rows) == 0 {
		low, high = 0, 1
	}

	if low >= 0 && low < 0.6*high || low == high {
		low = min(0, low)
	}
	if low == high {
		high = low + 1
	}

	// The step is 1, 2 or 5 times a power of ten, so that there are about six lines.
	rough := (high - low) / 6
	step = math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 5, 10} {
		if step*f >= rough {
			step *= f
			break
		}
	}
	return math.Floor(low/step) * step, math.Ceil(high/step) * step, step
}

// label writes a number on the axis with as many decimals as the step has.
func label(v, step float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if math.Abs(v) < step/2 {
		v = 0
	}
	return fmt.Sprintf("%.*f", min(digits, 9), v)
}

// describe says what the picture shows, for those who cannot see it.
func describe(rows []row, m metric.Metric) string {
	var parts []string
	for _, r := range rows[:min(len(rows), 12)] {
		parts = append(parts, fmt.Sprintf("%s %.4g (%.4g to %.4g)", r.label, r.Mean, r.Low, r.High))
	}
	return m.Title + ": " + strings.Join(parts, "; ")
}

// cut shortens a text to at most most characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// text escapes a string for use as text in XML.
func text(s string) string {
	var b strings.Builder
	if xml.EscapeText(&b, []byte(s)) != nil {
		return ""
	}
	return b.String()
}

const style = `<style>
text{font:13px system-ui,sans-serif;fill:#24292f}
.ground{fill:#fff}.title{font-size:17px;font-weight:600}.note,.tick{fill:#57606a;font-size:12px}
.tick,.axis{text-anchor:middle}.label{text-anchor:end;font-size:12px}.key{font-size:12px}
.grid{stroke:#d0d7de}.reach{stroke-width:2}
.s0{fill:#0969da;stroke:#0969da}.s1{fill:#bc4c00;stroke:#bc4c00}.s2{fill:#1a7f37;stroke:#1a7f37}
.s3{fill:#8250df;stroke:#8250df}.s4{fill:#9a6700;stroke:#9a6700}.s5{fill:#cf222e;stroke:#cf222e}
.hollow{fill:#fff;stroke-width:2}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.ground,.hollow{fill:#0d1117}.note,.tick{fill:#9198a1}.grid{stroke:#30363d}
.s0{fill:#58a6ff;stroke:#58a6ff}.s1{fill:#f0883e;stroke:#f0883e}.s2{fill:#3fb950;stroke:#3fb950}
.s3{fill:#bc8cff;stroke:#bc8cff}.s4{fill:#d29922;stroke:#d29922}.s5{fill:#ff7b72;stroke:#ff7b72}.hollow{fill:#0d1117}}
</style>
`
