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

// The layout of the picture, in its own units: panels one above the other, with
// the same left and right end, and a legend to the right of each.
const (
	pictureWidth = 1190
	left, right  = 84, 872
	legendLeft   = 892
	panelHeight  = 170
	firstTop     = 122
	panelStep    = panelHeight + 68
	below        = 52 // the last panel: its times and their name

	mostTitle, mostLine, mostLines = 120, 170, 3
)

// Caption is the text above a picture.
type Caption struct {
	// Title names the subject. Lines name its origin: the rules of the run, the flags
	// that it was called with. No more than three lines are drawn.
	Title string
	Lines []string
	// Evictions explains the evictions further, for example by the evicting pods.
	Evictions string
	// Demand is set where nothing was run: pods neither waited nor were evicted,
	// so that shares alone are drawn.
	Demand bool
}

// Write draws the series as an SVG picture: the resources in use, the waiting
// pods and the evicted ones. The caption may be empty. Time and memory do not
// depend on the length of the run. Errors are those of the writer.
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

// head begins the picture: its size, a description for those who do not see it, the background, and the
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

// canvas collects the text of the picture.
type canvas struct {
	*bytes.Buffer
	// end is the time at the right end, width the length of a stretch.
	end, width time.Duration
}

// put appends to the picture.
func (c canvas) put(format string, args ...any) { fmt.Fprintf(c, format, args...) }

// text writes at the left end of its baseline.
func (c canvas) text(x, y float64, class, text string) {
	c.put(`<text class="%s" x="%s" y="%s">%s</text>`+"\n", class, point(x), point(y), escaped(text))
}

// anchored writes around or before a place: anchor is middle or end.
func (c canvas) anchored(x, y float64, anchor, text string) {
	c.put(`<text class="tick" x="%s" y="%s" text-anchor="%s">%s</text>`+"\n", point(x), point(y), anchor, escaped(text))
}

// upright writes from the bottom to the top, around a place.
func (c canvas) upright(x, y float64, text string) {
	c.put(`<text class="tick" x="%s" y="%s" text-anchor="middle" transform="rotate(-90 %s %s)">%s</text>`+"\n",
		point(x), point(y), point(x), point(y), escaped(text))
}

// spot is a place in the picture.
type spot struct{ x, y float64 }

// rule draws a line.
func (c canvas) rule(class string, from, to spot) {
	c.put(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`+"\n", class, point(from.x), point(from.y), point(to.x), point(to.y))
}

// level draws a line across a panel.
func (c canvas) level(class string, y float64) { c.rule(class, spot{left, y}, spot{right, y}) }

// x returns the place of a time on the axis.
func (c canvas) x(t time.Duration) float64 {
	return left + float64((right-left)*(float64(t)/float64(c.end)))
}

// panel is one of the pictures. It shows values from 0 to top.
type panel struct {
	canvas
	y0  float64 // upper edge
	top float64
}

// y returns the place of a value.
func (p panel) y(value float64) float64 {
	return p.y0 + panelHeight - float64(panelHeight*min(max(value/p.top, 0), 1))
}

// frame draws the heading, the grid, the ticks and both axes. The unit stands beside the values.
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

// back returns the path of steps from right to left, for the lower edge of an area, and closes it.
func (p panel) back(values []float64) string {
	var b strings.Builder
	last := ""
	for i, v := range slices.Backward(values) { // each value from its right end to its left one
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

// entry is one line of a legend: a line with its dashes, or an area with its fill.
type entry struct {
	label, colour, dash, fill, class string
}

// legend writes the entries from top to bottom to the right of the panel, as many
// as there is room for.
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

// dashed returns the value of stroke-dasharray.
func dashed(d string) string {
	if d == "" {
		return "none"
	}
	return d
}

// cut shortens a long text.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// point writes a coordinate to a tenth, which no eye can tell from the exact one.
func point(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}

// escaped returns a text as XML writes it.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}
