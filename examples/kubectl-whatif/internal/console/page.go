package console

import (
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Page writes lines. Every argument that is a string is made safe first: names come from a
// file, and a terminal obeys what is written to it.
type Page struct {
	W io.Writer
	Screen
}

// Write writes text that is safe and broken into lines already.
func (p Page) Write(text []byte) (int, error) { return p.W.Write(text) }

// Line writes a line. If it is too wide it goes on in the next line, indented a little more.
// Arguments that are strings, of whatever type, and [Styled] are made safe.
func (p Page) Line(format string, args ...any) {
	text := fmt.Sprintf(format, p.cleaned(args)...)
	for line := range strings.SplitSeq(text, "\n") {
		p.folded(line)
	}
}

// widest is the most width of the running text of Say.
const widest = 100

// Say writes running text, broken between words.
func (p Page) Say(format string, args ...any) {
	width := widest
	if p.Width > 0 {
		width = min(width, p.Width)
	}
	for _, line := range Wrap(p.Safe(fmt.Sprintf(format, args...)), max(20, width)) {
		p.Line("%s", line)
	}
}

// folded writes a line. If it is wider than the screen, it is broken between words.
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

// fold breaks a line between words. The first part is at most first wide, and the others are at most
// others. Spaces within the parts stay as they are.
func fold(line string, first, others int) []string {
	var parts []string
	var b strings.Builder
	used, most := 0, first
	for line != "" {
		spaces := len(line) - len(strings.TrimLeft(line, " "))

		word, _, _ := strings.Cut(line[spaces:], " ")
		// The first word stands in any case, however wide it is.
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

// cleaned makes arguments safe.
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

// mostWide is the most width of the texts of Items.
const mostWide = 104

// Items writes texts one below the other, each wrapped.
func (p Page) Items(texts []string) {
	for _, text := range texts {
		for i, line := range Wrap(p.Safe(text), p.text(4)) {
			fmt.Fprintf(p.W, "  %s%s\n", [...]string{"- ", "  "}[min(i, 1)], p.apart(line))
		}
	}
}

// text is the width of running text behind an indentation.
func (p Page) text(indent int) int {
	if p.Width <= 0 {
		return mostWide
	}
	return max(20, min(mostWide, p.Width-indent))
}
