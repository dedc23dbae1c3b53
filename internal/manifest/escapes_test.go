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
// the reads are: eight times the length takes far less than 64 times as long.
func TestStringsTakeLinearTime(t *testing.T) {
	take := func(of string, size int, reads func(io.Reader) io.Reader) time.Duration {
		text := []byte(escaped(of, size))
		best := time.Hour
		for range 5 {
			began := time.Now()
			require.NoError(t, manifest.Each(reads(bytes.NewReader(text)), func(manifest.Item) error { return nil }))
			best = min(best, time.Since(began))
		}
		return best
	}
	for name, reads := range map[string]func(io.Reader) io.Reader{
		"large reads": func(r io.Reader) io.Reader { return r },
		"small reads": func(r io.Reader) io.Reader { return &smallReader{r, 64} },
	} {
		for _, of := range []string{`a`, `\n`, `\"`, `\\`} {
			small, large := take(of, 1<<17, reads), take(of, 1<<20, reads)
			assert.Less(t, large, 24*small+20*time.Millisecond, "%s of %s: %v and %v", name, of, small, large)
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
