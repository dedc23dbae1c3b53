package manifest_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
)

// escaped is a list with one object whose annotation is so long, and full of a
// text.
func escaped(of string, size int) string {
	return `{"kind":"List","items":[{"kind":"Pod","metadata":{"name":"p","annotations":{"script":"` +
		strings.Repeat(of, size/len(of)) + `"}}}]}`
}

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

// Time is linear in the length of a string, whatever is in it and however small
// the reads are: eight times the length takes far less than 64 times as long. Other
// work of the machine may make it longer, so that the least of several times counts.
func TestStringsTakeLinearTime(t *testing.T) {
	for name, reads := range map[string]func(io.Reader) io.Reader{
		"large reads": func(r io.Reader) io.Reader { return r },
		"small reads": func(r io.Reader) io.Reader { return &smallReader{r, 64} },
	} {
		for _, of := range []string{`a`, `\n`, `\"`, `\\`} {
			texts := [2][]byte{[]byte(escaped(of, 1<<15)), []byte(escaped(of, 1<<18))}
			least := [2]time.Duration{time.Hour, time.Hour}
			for try := 0; try < 8 && (try == 0 || least[1] >= 24*least[0]); try++ {
				for i, text := range texts {
					began := time.Now()
					require.NoError(t, manifest.Each(reads(bytes.NewReader(text)), func(manifest.Item) error { return nil }))
					least[i] = min(least[i], time.Since(began))
				}
			}
			assert.Less(t, least[1], 24*least[0], "%s of %s", name, of)
		}
	}
}

// smallReader returns so many bytes at a time.
type smallReader struct {
	r    io.Reader
	most int
}

func (s *smallReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.most)]) }

func BenchmarkEscapes(b *testing.B) {
	text := []byte(escaped(`\n`, 1<<22))
	for name, reads := range map[string]func(io.Reader) io.Reader{
		"reads=large": func(r io.Reader) io.Reader { return r },
		"reads=64":    func(r io.Reader) io.Reader { return &smallReader{r, 64} },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if err := manifest.Each(reads(bytes.NewReader(text)), func(manifest.Item) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
