package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/amount"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/resource"
)

// role is the part of a pod in a picture.
type role uint8

const (
	stays role = iota
	leaves
	comes
	// kept is the role of room that is kept for nominated pods.
	kept
)

// part is a stretch of a bar: one pod's amount of a resource.
type part struct {
	pod    *outrank.Pod
	role   role
	amount int64
	// number is the victim's place in the table, from 1.
	number int
	// text names the part if it is no pod. note is its fate, if the role does not say it.
	text, note string
	// from is the node that the pod comes from, or that it leaves for another one. It is nil if that
	// node has no colour of its own.
	from *origin
}

// origin is a node that pods leave for other nodes.
type origin struct {
	// Letter marks the node and its pods, Class is their colour.
	Letter, Class, Node string
}

// bar is one resource of a node, drawn from left to right.
type bar struct {
	// Caption is the time: before or after.
	Caption string
	// Label describes the picture in words.
	Label string
	// Amount says how much is taken of how much, and Share how many percent.
	Amount, Share string
	Segments      []segment
	// Full is where the node ends, in percent of the picture.
	Full string
	// Over is set if more is taken than the node offers. Lack is then the width of what the
	// preemptor lacks; it is empty if the excess is not the preemptor's.
	Over bool
	Lack string
}

// segment is a part as it is drawn: X and Width are percent of the picture.
type segment struct {
	X, Width string
	// Class is the colour, and Tip the description.
	Class, Tip string
	// Victim, Preemptor and Would name the pod, if it is a victim, the preemptor, or would
	// be a victim if the preemptor might have any.
	Victim, Preemptor, Would string
	// Text is written into the segment, and Number before it. TextFits and NumberFits are the classes
	// that hide them in windows that are too narrow. A text is whole, or left out.
	Text, TextFits string
	Number         int
	NumberFits     string
	// Mark is the letter of the node that the pod comes from. Middle is where it stands.
	Mark, Middle string
}

// Hatched reports whether the pod leaves.
func (s segment) Hatched() bool { return s.Victim != "" || s.Would != "" }

// rooms are the least widths of a picture in windows of different widths. A text that needs a width gets
// the class, by which the style hides it in narrower windows. A text that needs more than the last one
// is left out.
var rooms = []struct {
	width float64
	class string
}{{280, ""}, {440, " w1"}, {590, " w2"}, {780, " w3"}}

// letterWidth is the most pixels that a letter of a name takes on average.
const letterWidth = 7.6

// boldWidth is letterWidth for a bold letter.
const boldWidth = 8.6

// roomFor returns the class of a text. need is its width in pixels, and part is the part of the picture
// that its segment takes. It is not ok if no window has room for the text.
func roomFor(need, part float64) (class string, ok bool) {
	for _, r := range rooms {
		if part*r.width >= need {
			return r.class, true
		}
	}
	return "", false
}

// mostSegments is the most pods of a node that are drawn one by one.
const mostSegments = 150

// painter draws bars of one node.
type painter struct {
	scale   scale
	name    resource.Name
	offered int64
	// whole is the amount that the width of the picture stands for. It is at least offered.
	whole float64
	// texts says that there is room for names in the bars, would that nobody
	// really leaves, and lacks that the excess is what the preemptor lacks.
	texts, would, lacks bool
	// many says that none of the arrivals is the pod in question, and plain that the
	// priorities have no colours.
	many, plain bool
}

// fit makes the picture wide enough for the parts.
func (p *painter) fit(bars ...[]part) {
	p.whole = max(p.whole, float64(p.offered))
	for _, parts := range bars {
		p.whole = max(p.whole, sum(parts))
	}
}

// sum adds the amounts of parts up. Floats do not overflow.
func sum(parts []part) float64 {
	total := 0.0
	for i := range parts {
		total += float64(max(0, parts[i].amount))
	}
	return total
}

// draw draws a bar. Beyond mostSegments of them, pods that stay and follow each other share a segment.
func (p *painter) draw(caption, node string, parts []part) *bar {
	b := &bar{Caption: caption}

	// at is where the next segment begins. left pods of width merged wait for a common segment.
	at, merged := 0.0, 0.0
	left := 0
	for i := range parts {
		q := &parts[i]
		if q.amount <= 0 || p.whole == 0 {
			continue
		}
		width := float64(q.amount) / p.whole

		if q.role == stays && len(b.Segments) >= mostSegments {
			left, merged = left+1, merged+width
			continue
		}

		if left > 0 {
			b.Segments = append(b.Segments, others(left, at, merged))
			at += merged
			left, merged = 0, 0
		}

		b.Segments = append(b.Segments, p.segment(q, at, width))
		at += width
	}
	if left > 0 {
		b.Segments = append(b.Segments, others(left, at, merged))
	}
	p.measure(b, node, parts)
	return b
}

// measure says how much the parts take, in figures, as places in the picture, and in words.
func (p *painter) measure(b *bar, node string, parts []part) {
	used := sum(parts)
	b.Amount = fmt.Sprintf("%s of %s", p.amount(clamp(used)), p.amount(p.offered))
	b.Share = share(used, float64(p.offered))
	b.Over = used > float64(p.offered)
	// A node that offers nothing ends where it begins.
	b.Full = "0%"
	if p.whole > 0 {
		b.Full = percent(float64(p.offered) / p.whole)
		if b.Over && p.lacks {
			b.Lack = percent((used - float64(p.offered)) / p.whole)
		}
	}

	b.Label = fmt.Sprintf("%s of node %s", isolated(string(p.name)), isolated(node))
	if b.Caption != "" {
		b.Label += " " + b.Caption
	}
	b.Label += fmt.Sprintf(": %s taken, %s, by %s", b.Amount, b.Share, console.Plural(len(parts), "pod"))
	b.Label += p.changed(parts)
}

// changed says how many of the parts leave and arrive.
func (p *painter) changed(parts []part) string {
	text := ""
	switch n := count(parts, leaves); {
	case n > 0 && p.many && p.would:
		text = fmt.Sprintf(", of which %d could be pushed out", n)
	case n == 1:
		text = ", of which 1 leaves"
	case n > 1:
		text = fmt.Sprintf(", of which %d leave", n)
	}

	switch n := count(parts, comes); {
	case n == 0:
	case p.many && n == 1:
		text += ", of which 1 arrives"
	case p.many:
		text += fmt.Sprintf(", of which %d arrive", n)
	default:
		text += ", and the pod that is asked about is one of them"
	}
	return text
}

// count counts the parts of a role.
func count(parts []part, r role) int {
	n := 0
	for i := range parts {
		if parts[i].role == r {
			n++
		}
	}
	return n
}

// others is the segment of pods that are not drawn one by one.
func others(n int, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Class: "rest", Tip: console.Plural(n, "more pod")}
	var ok bool
	if s.TextFits, ok = roomFor(14+letterWidth*float64(len(s.Tip)), width); ok {
		s.Text = s.Tip
	}
	return s
}

// segment draws a part from at on, both in parts of the whole picture.
func (p *painter) segment(q *part, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Tip: p.tip(q)}
	switch q.role {
	case comes:
		s.Class, s.Preemptor = "comes", string(q.pod.Key())
		if q.from != nil {
			s.Class = "comes " + q.from.Class
			if _, ok := roomFor(12, width*smallWidth); ok {
				// A small picture has to have room for the mark, too.
				s.Mark, s.Middle = q.from.Letter, percent(at+width/2)
			}
		}
	case kept:
		s.Class = "kept"
	case leaves:
		s.Class = p.colour(q)
		if p.would {
			s.Would = string(q.pod.Key())
		} else {
			s.Victim = string(q.pod.Key())
		}
	default:
		s.Class = p.colour(q)
	}

	if p.texts {
		p.write(&s, q, at, width)
	}
	return s
}

// write writes the name of a part into its segment, and the number of a victim before it, as far as a
// window has room for them.
func (p *painter) write(s *segment, q *part, at, width float64) {
	name := q.text
	if q.pod != nil {
		name = q.pod.Name
	}
	name = screen.Safe(name)

	// 14 pixels are for the margins of the text.
	need := 14 + letterWidth*float64(len([]rune(name)))
	if q.role == comes {
		need = 14 + boldWidth*float64(len([]rune(name)))
	}
	if q.role == leaves && q.number > 0 {
		// The number takes 20 pixels before the name.
		need += 20
		if class, ok := roomFor(26, width); ok {
			s.Number, s.NumberFits = q.number, class
		}
	}

	// What the preemptor lacks is drawn over the end of its segment, where no text can be read.
	room := width
	if p.lacks && p.whole > 0 {
		room = min(room, max(0, float64(p.offered)/p.whole-at))
	}
	var ok bool
	if s.TextFits, ok = roomFor(need, room); ok {
		s.Text = name
	}
}

// smallWidth is the width of a small picture as a part of that of a large one.
const smallWidth = 0.5

// colour is the class of a pod that stays or leaves. It follows from the pod's priority, or, on a page about
// pods that move, from the node that the pod leaves.
func (p *painter) colour(q *part) string {
	switch {
	case !p.plain:
		return p.scale.class(q.pod)
	case q.from != nil:
		return q.from.Class
	}
	return "stays"
}

// tip describes a part: its name, its fate, and the priority and the requests of a pod.
func (p *painter) tip(q *part) string {
	if q.pod == nil {
		return q.text + ": " + isolated(string(p.name)) + " " + p.amount(q.amount)
	}

	var b strings.Builder
	b.WriteString(isolated(string(q.pod.Key())))
	switch {
	case q.note != "":
		b.WriteString(" (" + isolated(q.note) + ")")
	case q.role == leaves && p.would:
		b.WriteString(" (would leave)")
	case q.role == leaves && q.pod.Terminating():
		b.WriteString(" (leaves, is terminating already)")
	case q.role == leaves:
		b.WriteString(" (leaves)")
	case q.role == comes:
		b.WriteString(" (the pod that is asked about)")
	}

	fmt.Fprintf(&b, "\npriority %d", q.pod.PriorityValue())
	if q.pod.PriorityClassName != "" {
		b.WriteString(", " + isolated(q.pod.PriorityClassName))
	}
	fmt.Fprintf(&b, "\n%s", isolated(amount.Texts(q.pod.Requests())))
	return b.String()
}

// amount writes an amount of the painter's resource.
func (p *painter) amount(counted int64) string {
	return amount.Text(p.name, amount.Quantity(p.name, counted))
}

// percent writes a part of 1 as CSS has it, with two decimals at most.
func percent(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// share writes the taken part of the whole, in whole percent. A share of nothing is above any.
func share(used, whole float64) string {
	switch {
	case whole > 0 && used/whole >= 10:
		return "over 999\u00a0%"
	case whole > 0:
		return strconv.FormatFloat(math.Round(100*used/whole), 'f', 0, 64) + "\u00a0%"
	case used > 0:
		return "over 999\u00a0%"
	}
	return "none"
}

// clamp makes an amount of a sum, the highest one if the sum is above that.
func clamp(sum float64) int64 {
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}

// noun is the noun in the singular or plural that the number asks for.
func noun(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// grouped writes a number with a space between thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
