package gen

import (
	"github.com/outrank-go/outrank/internal/tests/draw"
	"pgregory.net/rapid"
)

// numbers draws all numbers of one rapid case from the same source, in the order of the calls.
type numbers struct{ t *rapid.T }

// Of returns the one source, whatever is drawn.
func (n numbers) Of(string, int) draw.Source { return n }

// few holds generators of small numbers by their maximum. They are made once, because a generator formats its
// name on first use, which costs more than drawing a number.
var few [64]*rapid.Generator[uint64]

func init() {
	for most := range few {
		few[most] = rapid.Uint64Max(uint64(most))
	}
}

// Int draws a number. It shrinks towards least.
func (n numbers) Int(label string, least, most int) int {
	width := most - least
	if width < len(few) {
		return least + int(few[width].Draw(n.t, label))
	}
	return least + int(rapid.Uint64Max(uint64(width)).Draw(n.t, label))
}
