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

// role says which part a pod plays in a picture.
type role uint8

const (
	stays role = iota
	leaves
	comes
	// kept is the role of room that is reserved for nominated pods.
	kept
)

// part is a stretch of a bar: the amount of a resource that one pod takes.
type part struct {
	pod    *outrank.Pod
	role   role
	amount int64
	// number is the victim's number in the table of victims, counted from 1.
	number int
	// text names the part if it is no pod. note tells its fate if the role does not.
	text, note string
	// from is the node that the pod comes from, or that it leaves for another one. It is nil if that node has
	// no colour of its own.
	from *origin
}

// origin is a node from which pods move to other nodes.
type origin struct {
	// Letter marks the node and its pods, and Class is their colour.
	Letter, Class, Node string
}

// bar shows one resource of a node, drawn from left to right.
type bar struct {
	// Caption says which moment the bar shows: before or after.
	Caption string
	// Label describes the picture in words.
	Label string
	// Amount says how much is taken of how much. Share is the same in percent.
	Amount, Share string
	Segments      []segment
	// Full is the position at which the node's capacity ends, in percent of the picture.
	Full string
	// Over is set if more is taken than the node offers. Lack is then the width of what the preemptor lacks; it
	// is empty if the excess is not due to the preemptor.
	Over bool
	Lack string
}

// segment is a part as it is drawn. X and Width are in percent of the picture.
type segment struct {
	X, Width string
	// Class is the colour, and Tip the description.
	Class, Tip string
	// Victim, Preemptor and Would name the pod if it is a victim, the preemptor, or a pod that would be a
	// victim if the preemptor were allowed any.
	Victim, Preemptor, Would string
	// Text is written into the segment, with Number before it. TextFits and NumberFits are the classes that
	// hide them in windows that are too narrow. A text is shown in full or not at all.
	Text, TextFits string
	Number         int
	NumberFits     string
	// Mark is the letter of the node that the pod comes from, and Middle the position of the letter.
	Mark, Middle string
}

// Hatched reports whether the pod leaves or would leave.
func (s segment) Hatched() bool { return s.Victim != "" || s.Would != "" }

// rooms has the least width of a picture in windows of different widths. A text gets the class of the first
// window that is wide enough for it, and the style hides it in narrower ones. A text too wide for the last one
// is left out.
var rooms = []struct {
	width float64
	class string
}{{280, ""}, {440, " w1"}, {590, " w2"}, {780, " w3"}}

// letterWidth is an upper bound of the average width of a letter in a name, in pixels.
const letterWidth = 7.6

// boldWidth is letterWidth for a bold letter.
const boldWidth = 8.6

// roomFor returns the class of a text. need is the width of the text in pixels, and part the fraction of the
// picture that its segment takes. It is not ok if no window has room for the text.
func roomFor(need, part float64) (class string, ok bool) {
	for _, r := range rooms {
		if part*r.width >= need {
			return r.class, true
		}
	}
	return "", false
}

// mostSegments is the most pods of a node that are drawn individually.
const mostSegments = 150

// painter draws bars of one node.
type painter struct {
	scale   scale
	name    resource.Name
	offered int64
	// whole is the amount that corresponds to the full width of the picture. It is at least offered.
	whole float64
	// texts says that the bars have room for names. would says that nobody really leaves. lacks says that the
	// excess is what the preemptor lacks.
	texts, would, lacks bool
	// many says that none of the arriving pods is the pod in question. plain says that priorities have no
	// colours.
	many, plain bool
}

// fit scales the picture so that all parts fit into it.
func (p *painter) fit(bars ...[]part) {
	p.whole = max(p.whole, float64(p.offered))
	for _, parts := range bars {
		p.whole = max(p.whole, sum(parts))
	}
}

// sum adds up the amounts of parts. It uses floats, which do not overflow.
func sum(parts []part) float64 {
	total := 0.0
	for i := range parts {
		total += float64(max(0, parts[i].amount))
	}
	return total
}

// draw draws a bar. After mostSegments segments, consecutive pods that stay share one.
func (p *painter) draw(caption, node string, parts []part) *bar {
	b := &bar{Caption: caption}

	// at is where the next segment begins. left pods, together of width merged, wait for a common segment.
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

// measure describes how much the parts take: in figures, as positions in the picture, and in words.
func (p *painter) measure(b *bar, node string, parts []part) {
	used := sum(parts)
	b.Amount = fmt.Sprintf("%s of %s", p.amount(clamp(used)), p.amount(p.offered))
	b.Share = share(used, float64(p.offered))
	b.Over = used > float64(p.offered)
	// On a node that offers nothing, the end of the capacity is the beginning of the picture.
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

// changed says how many of the parts leave and how many arrive.
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

// count counts the parts with a role.
func count(parts []part, r role) int {
	n := 0
	for i := range parts {
		if parts[i].role == r {
			n++
		}
	}
	return n
}

// others returns the common segment of n pods that are not drawn individually.
func others(n int, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Class: "rest", Tip: console.Plural(n, "more pod")}
	var ok bool
	if s.TextFits, ok = roomFor(14+letterWidth*float64(len(s.Tip)), width); ok {
		s.Text = s.Tip
	}
	return s
}

// segment draws a part. at and width are fractions of the picture.
func (p *painter) segment(q *part, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Tip: p.tip(q)}
	switch q.role {
	case comes:
		s.Class, s.Preemptor = "comes", string(q.pod.Key())
		if q.from != nil {
			s.Class = "comes " + q.from.Class
			if _, ok := roomFor(12, width*smallWidth); ok {
				// Even in a small picture the mark needs room.
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

// write writes the name of a part into its segment, with the number of a victim before it, if some window has
// room for them.
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

// smallWidth is the width of a small picture as a fraction of a large one.
const smallWidth = 0.5

// colour returns the class of a pod that stays or leaves. It follows from the pod's priority or, on a page
// about moving pods, from the node that the pod leaves.
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
		// The priority and the requests explain why the pod leaves or comes.
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

// percent writes a fraction of 1 as a CSS percentage with at most two decimals.
func percent(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// share writes the taken part of the whole, in whole percent. If the whole is nothing, any taken amount is more
// than 999 %.
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

// clamp converts a sum to an amount. A sum that is too large becomes the largest amount.
func clamp(sum float64) int64 {
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}

// noun returns the noun in the singular or plural, as the number demands.
func noun(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// grouped writes a number with a narrow space between groups of three digits.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
