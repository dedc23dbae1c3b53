package question

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// paper collects lines for people, wrapped to the width of a page. Texts among the arguments are made safe for
// a terminal.
type paper struct{ *console.Sheet }

// paperFor returns a paper as wide as the page of w.
func paperFor(w io.Writer) *paper { return &paper{console.SheetFor(w)} }

// plain turns keys among the arguments into strings, which the page makes safe.
func plain(args []any) []any {
	for i, a := range args {
		if key, ok := a.(outrank.Key); ok {
			args[i] = string(key)
		}
	}
	return args
}

// line writes a line, which is broken if it is wider than the page.
func (p *paper) line(format string, args ...any) { p.Line(format, plain(args)...) }

// more says that a list has n more entries. It writes nothing if n is not positive.
func (p *paper) more(n int) {
	if n > 0 {
		p.line("  and %d more", n)
	}
}

// say writes running text.
func (p *paper) say(format string, args ...any) { p.Say(format, args...) }

// block writes the lines of a text, indented.
func (p *paper) block(indent int, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.Line("%s", strings.Repeat(" ", indent)+line)
	}
}

// names lists the first names up to the limit, at least one, and counts the others.
func names[T ~string](list []T, limit int) string {
	shown := list[:min(len(list), max(limit, 1))]
	texts := make([]string, len(shown))
	for i := range shown {
		texts[i] = string(shown[i])
	}
	text := strings.Join(texts, ", ")
	if more := len(list) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// selected returns the indexes of the things to show, out of n, in their order. If there are too many, it
// prefers those for which matters is true.
func selected(n, limit int, matters func(i int) bool) []int {
	shown := bounded(n, limit)
	var out, others []int
	for i := range n {
		switch {
		case len(out) < shown && (shown == n || matters(i)):
			out = append(out, i)
		case len(others) < shown:
			others = append(others, i)
		}
	}

	// out and others together have all n things, or one of them is full. Either way others suffices for the
	// rest.
	out = append(out, others[:shown-len(out)]...)
	slices.Sort(out)
	return out
}

// bounded returns how many of n things are shown. A limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}
