package inverse

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// sheet collects a text for people, as wide as its page, which is written at once.
type sheet struct {
	console.Page
	text *bytes.Buffer
}

func sheetFor(w io.Writer) *sheet {
	s := &sheet{text: &bytes.Buffer{}}
	if page, ok := w.(console.Page); ok {
		s.Screen = page.Screen
	}
	s.W = s.text
	return s
}

func (s *sheet) to(w io.Writer) error {
	_, err := w.Write(s.text.Bytes())
	return err
}

// plural counts things.
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// bounded is the number of n things that are shown; a limit of 0 shows all.
func bounded(n, limit int) int {
	if limit <= 0 {
		return n
	}
	return min(n, limit)
}

// listed names the first few of some things.
func listed[T any](list []T, limit int, name func(T) string) string {
	shown := bounded(len(list), limit)
	texts := make([]string, shown)
	for i := range shown {
		texts[i] = name(list[i])
	}
	text := strings.Join(texts, ", ")
	if more := len(list) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// around are the places of those of n rows that are shown, in their order: those that matter
// before the others.
func around(n, limit int, matters []int) []int {
	shown := bounded(n, limit)
	var out []int
	for _, i := range matters {
		if i >= 0 && i < n && len(out) < shown && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for i := 0; len(out) < shown; i++ {
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}
