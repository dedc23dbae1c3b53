package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The picture, in its own units: two panels, one above the other, with the same
// left and right end.
const (
	pictureWidth, pictureHeight = 960, 600
	left, right                 = 64, 936
	panelHeight                 = 214
	upperTop, lowerTop          = 72, 334
	legendAbove                 = 12 // from the legend's baseline to the panel
)

// style returns the colours of everything but the series: dark ink on white, or
// the other way round where the viewer asks for that. The series are of colours
// that can be told from both.
const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}
.tick{fill:#59636e;font-size:11px}
.bg{fill:#ffffff}
.grid{stroke:#d1d9e0;stroke-width:1}
.axis{stroke:#59636e;stroke-width:1}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.tick{fill:#9198a1}
.bg{fill:#0d1117}
.grid{stroke:#30363d}
.axis{stroke:#9198a1}
}`

// lineColours are of the resources in their order, and dashes tell them apart
// for those who do not see the colours. Both begin again after the last.
var (
	lineColours = []string{"#2f7fd1", "#d9730d", "#2f9e56", "#a05fd0", "#c2486b"}
	dashes      = []string{"", "7 3", "2 3", "9 3 2 3"}
)

// bandColours are of the priorities, the highest first. The last is for all
// that have none of their own.
var bandColours = []string{"#c83c3c", "#dd7f35", "#cda12b", "#5d9e5f", "#4288b8", "#7d6bb3", "#8b949e"}

// Write draws the series as an SVG picture. The title may be empty. Time and
// memory do not depend on how long the run was. Errors are those of the writer.
func Write(w io.Writer, title string, s Series) error {
	var b bytes.Buffer
	c := canvas{Buffer: &b, end: max(s.End, time.Millisecond), width: s.Width}
	c.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n",
		pictureWidth, pictureHeight, pictureWidth, pictureHeight)
	c.put("<title>%s</title>\n<style>%s</style>\n", escaped(title), style)
	c.put(`<rect class="bg" width="%d" height="%d"/>`+"\n", pictureWidth, pictureHeight)
	c.text(left, 30, "title", title)
	c.utilisation(&s)
	c.waiting(&s)
	c.put("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// canvas collects the text of the picture.
type canvas struct {
	*bytes.Buffer
	end, width time.Duration
}

func (c canvas) put(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// text writes at the left end of its baseline.
func (c canvas) text(x, y float64, class, text string) {
	c.put(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, point(x), point(y), escaped(text))
}

// anchored writes around or before a place: anchor is middle or end.
func (c canvas) anchored(x, y float64, anchor, text string) {
	c.put(`<text class="tick" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", point(x), point(y), anchor, escaped(text))
}

func (c canvas) rule(class string, x1, y1, x2, y2 float64) {
	c.put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, point(x1), point(y1), point(x2), point(y2))
}

// x is where a time is.
func (c canvas) x(t time.Duration) float64 {
	return left + float64((right-left)*(float64(t)/float64(c.end)))
}

// panel is one of the two; values from 0 to top are drawn in it.
type panel struct {
	canvas
	y0  float64 // upper edge
	top float64
}

func (p panel) y(value float64) float64 {
	return p.y0 + panelHeight - float64(panelHeight*min(max(value/p.top, 0), 1))
}

// frame draws grid, ticks and the axis of time. Only the lower panel has the
// times written below it.
func (p panel) frame(values []tick, times bool) {
	for _, v := range values {
		p.rule("grid", left, p.y(v.at), right, p.y(v.at))
		p.anchored(left-8, p.y(v.at)+4, "end", v.label)
	}
	for _, t := range timeTicks(p.end) {
		x := p.x(time.Duration(t.at))
		p.rule("grid", x, p.y0, x, p.y0+panelHeight)
		if times {
			p.anchored(x, p.y0+panelHeight+18, "middle", t.label)
		}
	}
	p.rule("axis", left, p.y0+panelHeight, right, p.y0+panelHeight)
	if times {
		p.anchored((left+right)/2, p.y0+panelHeight+38, "middle", "time since the beginning of the run")
	}
}

// steps returns a path that holds each value for its stretch, from left to right.
// It begins with a move, or a line where there is something before it.
func (p panel) steps(values []float64, begin string) string {
	var b strings.Builder
	last := ""
	for i, v := range values {
		x0, y := p.x(time.Duration(i)*p.width), point(p.y(v))
		switch {
		case i == 0:
			b.WriteString(begin + point(x0) + " " + y)
		case y != last:
			b.WriteString("H" + point(x0) + "V" + y)
		}
		last = y
	}
	return b.String() + "H" + point(right)
}

// back returns the same from right to left, for the lower edge of an area.
func (p panel) back(values []float64) string {
	var b strings.Builder
	last := ""
	for i, v := range slices.Backward(values) {
		y := point(p.y(v))
		switch {
		case i == len(values)-1:
			b.WriteString("L" + point(right) + " " + y)
		case y != last:
			b.WriteString("H" + point(p.x(time.Duration(i+1)*p.width)) + "V" + y)
		}
		last = y
	}
	return b.String() + "H" + point(left) + "Z"
}

// entry is one line of a legend.
type entry struct {
	label, colour, dash string
	area                bool
}

// legend writes as many entries in a row as there is room for.
func (p panel) legend(heading string, entries []entry) {
	y := p.y0 - legendAbove
	p.text(left, y, "", heading)
	x := float64(left + 8*utf8.RuneCountInString(heading) + 12)
	for i, e := range entries {
		label := shortened(e.label)
		wide := float64(34 + 7*utf8.RuneCountInString(label) + 22)
		if x+wide > right-70 && i+1 < len(entries) {
			p.text(x, y, "tick", fmt.Sprintf("and %d more", len(entries)-i))
			return
		}
		if e.area {
			p.put(`<rect x="%s" y="%s" width="14" height="10" fill="%s" fill-opacity="0.8"/>`+"\n", point(x+10), point(y-9), e.colour)
		} else {
			p.put(`<path class="line" stroke="%s" stroke-dasharray="%s" d="M%s %sh24"/>`+"\n", e.colour, dashed(e.dash), point(x), point(y-4))
		}
		p.text(x+30, y, "", label)
		x += wide
	}
}

func dashed(d string) string {
	if d == "" {
		return "none"
	}
	return d
}

// shortened cuts a long label.
func shortened(label string) string {
	const most = 26
	if utf8.RuneCountInString(label) <= most {
		return label
	}
	return string([]rune(label)[:most-1]) + "…"
}

// point writes a coordinate to a tenth, which no eye can tell from the exact one.
func point(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
