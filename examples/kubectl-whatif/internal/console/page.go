package console

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Page writes lines. It makes every string argument safe first, because names come from a file, and a terminal
// obeys control characters.
type Page struct {
	W io.Writer
	Screen
}

// Write writes text that is safe and wrapped already.
func (p Page) Write(text []byte) (int, error) { return p.W.Write(text) }

// Line writes a line. If it is too wide it continues on the next line with a deeper indentation. Arguments that
// are [Styled] or strings of any type are made safe.
func (p Page) Line(format string, args ...any) {
	text := fmt.Sprintf(format, p.cleaned(args)...)
	for line := range strings.SplitSeq(text, "\n") {
		p.folded(line)
	}
}

// widest is the largest width of the running text of Say.
const widest = 100

// Say writes running text, wrapped between words.
func (p Page) Say(format string, args ...any) {
	width := widest
	if p.Width > 0 {
		width = min(width, p.Width)
	}
	for _, line := range Wrap(p.Safe(fmt.Sprintf(format, args...)), max(20, width)) {
		p.Line("%s", line)
	}
}

// folded writes a line, wrapped between words if it is wider than the screen.
func (p Page) folded(line string) {
	if p.Width <= 0 || Width(line) <= p.Width {
		fmt.Fprintln(p.W, p.apart(line))
		return
	}

	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	for i, part := range fold(line[len(indent):], p.Width-len(indent), p.Width-len(indent)-2) {
		if i > 0 {
			part = "  " + part
		}
		fmt.Fprintln(p.W, p.apart(indent+part))
	}
}

// fold wraps a line between words. The first part is at most first columns wide, and the others are at most
// others columns. Spaces within the parts are kept.
func fold(line string, first, others int) []string {
	var parts []string
	var b strings.Builder
	used, most := 0, first
	for line != "" {
		spaces := len(line) - len(strings.TrimLeft(line, " "))

		word, _, _ := strings.Cut(line[spaces:], " ")
		// The first word is always kept, however wide it is.
		w := Width(word)
		if used > 0 && used+spaces+w > most {
			parts = append(parts, b.String())
			b.Reset()
			used, most = w, others
		} else {
			b.WriteString(line[:spaces])
			used += spaces + w
		}

		b.WriteString(word)
		line = line[spaces+len(word):]
	}
	return append(parts, b.String())
}

// cleaned makes the arguments safe.
func (p Page) cleaned(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			arg = p.Safe(v)
		case Styled:
			arg = p.styled(p.Safe(v.Text), v.Style)
		default:
			// A name may be a string of another type.
			if reflect.ValueOf(arg).Kind() == reflect.String {
				arg = p.Safe(fmt.Sprint(arg))
			}
		}
		out[i] = arg
	}
	return out
}

// mostWide is the largest width of the texts of Items.
const mostWide = 104

// Items writes a list of texts, each wrapped.
func (p Page) Items(texts []string) {
	for _, text := range texts {
		for i, line := range Wrap(p.Safe(text), p.text(4)) {
			fmt.Fprintf(p.W, "  %s%s\n", [...]string{"- ", "  "}[min(i, 1)], p.apart(line))
		}
	}
}

// text returns the width of running text after an indentation.
func (p Page) text(indent int) int {
	if p.Width <= 0 {
		return mostWide
	}
	return max(20, min(mostWide, p.Width-indent))
}
