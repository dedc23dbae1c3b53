package manifest_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/tests/hostile"
)

// A string ends at its own quote, wherever a read ends.
func TestStringsWithEscapes(t *testing.T) {
	for _, text := range []string{``, `\"`, `\\`, `\\\"`, `a\"b\\`, `\\\\`, `\u005c`, `x\"\"\"y`, strings.Repeat(`\\\"`, 50)} {
		doc := fmt.Sprintf(`{"kind":"Pod","a":"%s","b":1}`, text)
		for _, r := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc)), iotest.HalfReader(strings.NewReader(doc))} {
			var got string
			require.NoError(t, manifest.Each(r, func(i manifest.Item) error {
				got = string(i.Raw)
				return nil
			}), doc)
			assert.Equal(t, doc, got)
		}
		err := manifest.Each(strings.NewReader(doc[:len(doc)-8]), func(manifest.Item) error { return nil })
		assert.ErrorIs(t, err, manifest.ErrSyntax, doc)
	}
}

func BenchmarkEscapes(b *testing.B) {
	text := hostile.Script(`\n`, 1<<22)
	for name, open := range map[string]func() io.Reader{
		"reads=large": func() io.Reader { return strings.NewReader(text) },
		"reads=64":    func() io.Reader { return hostile.SmallReads(text, 64) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := manifest.Each(open(), func(manifest.Item) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
