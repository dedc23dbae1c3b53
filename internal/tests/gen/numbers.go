package gen

import (
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// numbers are those of a property. Everything is drawn from one source, in the order in which it
// is asked for.
type numbers struct{ t *rapid.T }

// Of returns the only source.
func (n numbers) Of(string, int) draw.Source { return n }

// few are generators of small numbers, by the largest of them. A generator prints its name when it
// is used for the first time, which costs more than drawing.
var few [64]*rapid.Generator[uint64]

func init() {
	for most := range few {
		few[most] = rapid.Uint64Max(uint64(most))
	}
}

// Int draws a number, which shrinks towards the least.
func (n numbers) Int(label string, least, most int) int {
	width := most - least
	if width < len(few) {
		return least + int(few[width].Draw(n.t, label))
	}
	return least + int(rapid.Uint64Max(uint64(width)).Draw(n.t, label))
}
