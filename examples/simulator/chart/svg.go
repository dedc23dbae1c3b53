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

// The layout of the picture, in its own units. Panels are stacked with a common left and right end, and each
// has a legend on its right.
const (
	pictureWidth = 1190
	left, right  = 84, 872
	legendLeft   = 892
	panelHeight  = 170
	firstTop     = 122
	panelStep    = panelHeight + 68
	below        = 52 // below the last panel, for the times and their name

	mostTitle, mostLine, mostLines = 120, 170, 3
)

// Caption has the texts of a picture.
type Caption struct {
	// Title names the subject. Lines say where it comes from, such as the rules and the flags of the run. At
	// most three lines are drawn.
	Title string
	Lines []string
	// Evictions is appended to the heading of the evictions, such as who has evicted.
	Evictions string
	// Demand is set if nothing was run. Then no pod has waited or was evicted, and only shares are drawn.
	Demand bool
}

// Write draws the series as an SVG picture: the resources in use, the waiting pods and the evicted pods. The
// caption may be empty. Time and memory do not depend on the length of the run. Errors come from the writer.
func Write(w io.Writer, caption Caption, s Series) error {
	var b bytes.Buffer
	panels := 3
	if caption.Demand {
		panels = 1
	}
	height := firstTop + (panels-1)*panelStep + panelHeight + below

	c := canvas{Buffer: &b, end: max(s.End, time.Millisecond), width: s.Width}
	c.head(caption, &s, height)
	c.utilisation(&s, firstTop)
	if !caption.Demand {
		ranks := s.ranks()
		c.patterns(min(len(ranks), len(bandStyles)))
		c.waiting(&s, ranks, firstTop+panelStep)
		c.evicted(&s, ranks, firstTop+2*panelStep, caption.Evictions)
	}
	c.anchored((left+right)/2, float64(height-10), "middle", "time since the beginning of the run, in "+timeUnits(c.end))
	c.put("</svg>\n")

	_, err := w.Write(b.Bytes())
	return err
}

// head writes the beginning of the picture: its size, a description in words, the background, and the
// caption.
func (c canvas) head(caption Caption, s *Series, height int) {
	c.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-labelledby="title desc">`+"\n",
		pictureWidth, height, pictureWidth, height)
	c.put("<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n<style>%s</style>\n", escaped(caption.Title), escaped(s.describe(caption)), style)
	c.put(`<rect class="bg" width="%d" height="%d"/>`+"\n", pictureWidth, height)
	c.text(left, 30, "title", cut(caption.Title, mostTitle))
	for i, line := range caption.Lines[:min(len(caption.Lines), mostLines)] {
		c.text(left, float64(50+17*i), "note", cut(line, mostLine))
	}
}

// canvas collects the source of the picture.
type canvas struct {
	*bytes.Buffer
	// end is the time at the right end, and width the length of a stretch.
	end, width time.Duration
}

// put appends to the picture.
func (c canvas) put(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// text writes a text whose baseline begins at a point.
func (c canvas) text(x, y float64, class, text string) {
	c.put(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, point(x), point(y), escaped(text))
}

// anchored writes a text that is centred on a point (anchor middle) or ends at it (anchor end).
func (c canvas) anchored(x, y float64, anchor, text string) {
	c.put(`<text class="tick" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", point(x), point(y), anchor, escaped(text))
}

// upright writes a text from bottom to top, centred on a point.
func (c canvas) upright(x, y float64, text string) {
	c.put(`<text class="tick" x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>`+"\n",
		point(x), point(y), point(x), point(y), escaped(text))
}

// spot is a point of the picture.
type spot struct{ x, y float64 }

// rule draws a line.
func (c canvas) rule(class string, from, to spot) {
	c.put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, point(from.x), point(from.y), point(to.x), point(to.y))
}

// level draws a horizontal line across a panel.
func (c canvas) level(class string, y float64) { c.rule(class, spot{left, y}, spot{right, y}) }

// x returns the position of a time.
func (c canvas) x(t time.Duration) float64 {
	return left + float64((right-left)*(float64(t)/float64(c.end)))
}

// panel is one of the diagrams. It shows values from 0 to top.
type panel struct {
	canvas
	y0  float64 // the position of the upper edge
	top float64
}

// y returns the position of a value.
func (p panel) y(value float64) float64 {
	return p.y0 + panelHeight - float64(panelHeight*min(max(value/p.top, 0), 1))
}

// frame draws the heading, the grid, the ticks and both axes, with the unit beside the values.
func (p panel) frame(heading, unit string, values []tick) {
	p.text(left, p.y0-12, "heading", heading)
	p.upright(24, p.y0+panelHeight/2, unit)
	for _, v := range values {
		p.level("grid", p.y(v.at))
		p.anchored(left-8, p.y(v.at)+4, "end", v.label)
	}
	for _, t := range timeTicks(p.end) {
		x := p.x(time.Duration(t.at))
		p.rule("grid", spot{x, p.y0}, spot{x, p.y0 + panelHeight})
		p.anchored(x, p.y0+panelHeight+16, "middle", t.label)
	}
	p.level("axis", p.y0+panelHeight)
	p.rule("axis", spot{left, p.y0}, spot{left, p.y0 + panelHeight})
}

// steps returns a path that shows each value for its stretch, from left to right. It begins with the command
// begin: a move, or a line that continues a path.
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

// back returns the path of steps from right to left, which closes an area along its lower edge.
func (p panel) back(values []float64) string {
	var b strings.Builder
	last := ""
	for i, v := range slices.Backward(values) { // each value goes from its right end to its left one
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

// entry is one line of a legend. It shows a dashed line, an area with a fill, or a line of a class.
type entry struct {
	label, colour, dash, fill, class string
}

// legend writes the entries from top to bottom on the right of the panel, as far as there is room.
func (p panel) legend(entries []entry) {
	const step = 22
	for i, e := range entries {
		y := p.y0 + 12 + float64(i*step)
		if y > p.y0+panelHeight-step/2 && i+1 < len(entries) {
			p.text(legendLeft, y, "tick", fmt.Sprintf("and %d more", len(entries)-i))
			return
		}

		switch {
		case e.fill != "":
			p.put(`<rect class="band" x="%s" y="%s" width="22" height="14" fill="%s"/>`+"\n", point(legendLeft), point(y-11), e.fill)
		case e.class != "":
			p.rule(e.class, spot{legendLeft, y - 4}, spot{legendLeft + 22, y - 4})
		default:
			p.put(`<path class="line" stroke="%s" stroke-dasharray="%s" d="M%s %sH%s"/>`+"\n", e.colour, dashed(e.dash), point(legendLeft), point(y-4), point(legendLeft+22))
		}
		p.text(legendLeft+28, y, "", cut(e.label, 38))
	}
}

// dashed returns a value for stroke-dasharray.
func dashed(d string) string {
	if d == "" {
		return "none"
	}
	return d
}

// cut shortens a text to at most the given number of characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// point formats a coordinate with one decimal, which is exact enough for the eye.
func point(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// escaped returns a text with the escapes of XML.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // writing to a buffer cannot fail
	return b.String()
}
