package preemption

import (
	"encoding/binary"
	"slices"

	"github.com/outrank-go/outrank"
)

// keyWriter builds keys. Each text is preceded by its length, so that different
// lists of texts have different keys.
type keyWriter []byte

func (b *keyWriter) number(n int) { *b = binary.AppendUvarint(*b, uint64(n)) }

// amount is for numbers that an int does not hold on a 32-bit machine.
func (b *keyWriter) amount(v int64) { *b = binary.AppendUvarint(*b, uint64(v)) }

func (b *keyWriter) text(s string) {
	b.number(len(s))
	*b = append(*b, s...)
}

func (b *keyWriter) texts(ss []string) {
	b.number(len(ss))
	for _, s := range ss {
		b.text(s)
	}
}

func (b *keyWriter) flag(v bool) {
	if v {
		b.number(1)
	} else {
		b.number(0)
	}
}

func (b *keyWriter) labels(m map[string]string) {
	var space [16]string
	keys := space[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b.number(len(keys))
	for _, k := range keys {
		b.text(k)
		b.text(m[k])
	}
}

func (b *keyWriter) selector(s *outrank.LabelSelector) {
	b.flag(s != nil)
	if s == nil {
		return
	}
	b.labels(s.Labels)
	b.number(len(s.Expressions))
	for i := range s.Expressions {
		e := &s.Expressions[i]
		b.text(e.Key)
		b.text(string(e.Operator))
		b.texts(e.Values)
	}
}
