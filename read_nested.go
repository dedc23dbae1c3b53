package outrank

import (
	"bytes"

	"github.com/outrank-go/outrank/internal/manifest"
)

// mostNested bounds how deep lists may stand in lists.
const mostNested = 10

// nested reads a list that stands in a list. An object whose kind merely ends like that of
// a list is skipped like any other.
func (rd *reader) nested(it manifest.Item) error {
	if rd.depth == mostNested {
		rd.problem(it.Where, "items", "lists stand in lists more than %d deep", mostNested)
		return nil
	}
	rd.depth++
	defer func() { rd.depth-- }()
	return manifest.Each(bytes.NewReader(it.Raw), func(inner manifest.Item) error {
		if inner.Single {
			rd.skip(it.Kind)
			return nil
		}
		inner.Where = it.Where + "." + inner.Where
		return rd.item(inner)
	})
}
