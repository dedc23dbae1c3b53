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
	// kept is room that nominated pods keep.
	kept
)

// part is a stretch of a bar: one pod's amount of a resource.
type part struct {
	pod    *outrank.Pod
	role   role
	amount int64
	// number is the victim's place in the table, from 1.
	number int
	// text names it in place of the pod, note its fate in place of the role.
	text, note string
	// of is the node that the pod comes from, or that it leaves for another one; nil for none
	// with a colour of its own.
	of *origin
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
	// Amount is the taken amount and the whole, and Share the same in percent.
	Amount, Share string
	Segments      []segment
	// Full is the end of the node, in percent of the picture.
	Full string
	// Over is set where more is taken than that, and Lack is then the width of the
	// preemptor's lack; empty where it is not the preemptor that goes too far.
	Over bool
	Lack string
}

// segment is a part as it is drawn: X and Width are percent of the picture.
type segment struct {
	X, Width string
	// Class is the colour, and Tip the description.
	Class, Tip string
	// Victim and Preemptor name the pod where it is one; Would where it would
	// be a victim if the preemptor could have any.
	Victim, Preemptor, Would string
	// Text is written into the segment, and Number before it, each where its class lets it.
	// A text is whole: it is left out where it does not fit.
	Text, TextFits string
	Number         int
	NumberFits     string
	// Mark is the letter of the node that the pod comes from, at the place Middle.
	Mark, Middle string
}

// Hatched reports whether the pod leaves.
func (s segment) Hatched() bool { return s.Victim != "" || s.Would != "" }

// rooms are the widths that a picture has at least, by the width of the window, and the class
// of a text that needs so much: the style hides it in narrower windows. A text for which none
// is enough is left out.
var rooms = []struct {
	width float64
	class string
}{{280, ""}, {440, " w1"}, {590, " w2"}, {780, " w3"}}

// letterWidth is the width that a letter of a name takes at most, on average.
const letterWidth = 7.6

// boldWidth is that of a bold letter.
const boldWidth = 8.6

// roomFor returns the class of something that needs so many pixels of a part of a picture; false
// where no window has room for it.
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
	// whole is the amount that the width of the picture stands for; it is at least offered.
	whole float64
	// texts is set where there is room for names in the bars, would where nobody
	// really leaves, and lacks where the excess is the preemptor's lack.
	texts, would, lacks bool
	// many is set where none of the arrivals is the pod in question, and plain where the
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

func sum(parts []part) float64 {
	total := 0.0
	for i := range parts {
		total += float64(max(0, parts[i].amount))
	}
	return total
}

// draw draws a bar.
func (p *painter) draw(caption, node string, parts []part) *bar {
	b := &bar{Caption: caption}
	at, left, merged := 0.0, 0, 0.0
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
			at, left, merged = at+merged, 0, 0
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

// measure describes the taken amount.
func (p *painter) measure(b *bar, node string, parts []part) {
	used := sum(parts)
	b.Amount = fmt.Sprintf("%s of %s", p.amount(clamp(used)), p.amount(p.offered))
	b.Share = share(used, float64(p.offered))
	b.Over = used > float64(p.offered)
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
	switch n := count(parts, leaves); {
	case n > 0 && p.many && p.would:
		b.Label += fmt.Sprintf(", of which %d could be pushed out", n)
	case n == 1:
		b.Label += ", of which 1 leaves"
	case n > 1:
		b.Label += fmt.Sprintf(", of which %d leave", n)
	}
	switch n := count(parts, comes); {
	case n == 0:
	case p.many && n == 1:
		b.Label += ", of which 1 arrives"
	case p.many:
		b.Label += fmt.Sprintf(", of which %d arrive", n)
	default:
		b.Label += ", and the pod that is asked about is one of them"
	}
}

func count(parts []part, r role) int {
	n := 0
	for i := range parts {
		if parts[i].role == r {
			n++
		}
	}
	return n
}

// others stands for pods that are not drawn one by one.
func others(n int, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Class: "rest", Tip: console.Plural(n, "more pod")}
	var ok bool
	if s.TextFits, ok = roomFor(14+letterWidth*float64(len(s.Tip)), width); ok {
		s.Text = s.Tip
	}
	return s
}

func (p *painter) segment(q *part, at, width float64) segment {
	s := segment{X: percent(at), Width: percent(width), Tip: p.tip(q)}
	name := q.text
	if q.pod != nil {
		name = q.pod.Name
	}
	switch q.role {
	case comes:
		s.Class, s.Preemptor = "comes", string(q.pod.Key())
		if q.of != nil {
			s.Class = "comes " + q.of.Class
			if _, ok := roomFor(12, width*smallWidth); ok {
				s.Mark, s.Middle = q.of.Letter, percent(at+width/2)
			}
		}
	case kept:
		s.Class = "kept"
	case leaves:
		s.Class, s.Number = p.colour(q), q.number
		if p.would {
			s.Would = string(q.pod.Key())
		} else {
			s.Victim = string(q.pod.Key())
		}
	default:
		s.Class = p.colour(q)
	}
	if !p.texts {
		s.Number = 0
		return s
	}
	room := width
	if p.lacks && p.whole > 0 {
		// What the preemptor lacks is drawn over the end of it.
		room = min(room, max(0, float64(p.offered)/p.whole-at))
	}
	need := 14 + letterWidth*float64(len([]rune(screen.Safe(name))))
	if q.role == comes {
		need = 14 + boldWidth*float64(len([]rune(screen.Safe(name))))
	}
	if s.Number > 0 {
		need += 20
		var ok bool
		if s.NumberFits, ok = roomFor(26, width); !ok {
			s.Number = 0
		}
	}
	var ok bool
	if s.TextFits, ok = roomFor(need, room); ok {
		s.Text = screen.Safe(name)
	}
	return s
}

// smallWidth is the width of a small picture in that of a large one.
const smallWidth = 0.5

// colour is that of a pod that stays or leaves: its priority's, or where the page is about
// nodes that pods come from, that of the node, and none for a pod that stays.
func (p *painter) colour(q *part) string {
	switch {
	case !p.plain:
		return p.scale.class(q.pod)
	case q.of != nil:
		return q.of.Class
	}
	return "stays"
}

// tip names a part and the pod's request.
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

func (p *painter) amount(counted int64) string {
	return amount.Text(p.name, amount.Quantity(p.name, counted))
}

// percent writes a share of 1 with two decimals at most.
func percent(share float64) string {
	text := strconv.FormatFloat(100*share, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".") + "%"
}

// share writes the taken part of the whole, in whole percent.
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

// clamp makes a counted amount of a sum.
func clamp(sum float64) int64 {
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}

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
