package question

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// paper collects lines for people, as wide as their page; texts among the
// arguments are made safe for a terminal.
type paper struct{ *console.Sheet }

func paperFor(w io.Writer) *paper { return &paper{console.SheetFor(w)} }

// plain leaves the arguments' texts as they are, for a page that makes them safe.
func plain(args []any) []any {
	for i, a := range args {
		if key, ok := a.(outrank.Key); ok {
			args[i] = string(key)
		}
	}
	return args
}

// line writes a line, broken where it is wider than the page.
func (p *paper) line(format string, args ...any) { p.Line(format, plain(args)...) }

// say writes running text.
func (p *paper) say(format string, args ...any) { p.Say(format, args...) }

// block writes the lines of a text, indented.
func (p *paper) block(indent int, text string) {
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		p.Line("%s", strings.Repeat(" ", indent)+line)
	}
}

// names lists the first few of some names.
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

// selected are the places of those of n things that are shown, in their order:
// where not all can be, those that matter go before the others.
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
	out = append(out, others[:shown-len(out)]...)
	slices.Sort(out)
	return out
}

// bounded is the number of n things that are shown; a limit of 0 or less shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}
