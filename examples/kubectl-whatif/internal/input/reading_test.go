package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wide is a text in UTF-16, the low byte first or the high one.
func wide(text string, lowFirst bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(text)) {
		pair := []byte{byte(u >> 8), byte(u)}
		if lowFirst {
			pair = []byte{byte(u), byte(u >> 8)}
		}
		b.Write(pair)
	}
	return b.String()
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.String()
}

// A text means the same in every form, alone and among other files.
func TestForms(t *testing.T) {
	const mark = "\ufeff"
	for name, text := range map[string]string{
		"JSON": `{"kind":"A","metadata":{"name":"x","labels":{"a":"größer"}}}`,
		"YAML": "kind: A\nmetadata: {name: x, labels: {a: größer}}\n",
	} {
		want, err := each(`{"kind":"A","metadata":{"labels":{"a":"größer"},"name":"x"}}`)
		require.NoError(t, err)
		if name == "JSON" {
			want, err = each(text)
			require.NoError(t, err)
		}
		forms := map[string]string{
			"plain": text, "mark": mark + text,
			"UTF-16, low byte first": wide(mark+text, true), "UTF-16, high byte first": wide(mark+text, false),
			"UTF-16 without a mark, low byte first": wide(text, true), "UTF-16 without a mark, high byte first": wide(text, false),
		}
		for form, coded := range forms {
			for _, coded := range []string{coded, zipped(t, coded)} {
				r, err := JSON(strings.NewReader(coded))
				require.NoError(t, err)
				alone, err := io.ReadAll(r)
				require.NoError(t, err, "%s, %s", name, form)
				got, err := each(string(alone))
				require.NoError(t, err, "%s, %s", name, form)
				assert.Equal(t, want, got, "%s, %s", name, form)

				both, err := merged(t, `{"kind":"B","metadata":{"name":"y"}}`, coded)
				require.NoError(t, err, "%s, %s, among others", name, form)
				assert.Contains(t, both, "größer", "%s, %s, among others", name, form)
			}
		}
	}
}

func TestShortTexts(t *testing.T) {
	for _, text := range []string{"", "\xef", "\xef\xbb", "\ufeff", "\xff", "\xff\xfe", "\x00", "a"} {
		r, err := JSON(strings.NewReader(text))
		require.NoError(t, err)
		_, err = io.ReadAll(r)
		assert.NoError(t, err, "%q", text)
	}
}

// podsOfSize is a list of pods in YAML, as kubectl writes it.
func podsOfSize(size int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nitems:\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "- kind: Pod\n  metadata:\n    name: pod-%d\n    namespace: default\n  spec:\n    nodeName: n\n", i)
	}
	b.WriteString("kind: List\n")
	return b.String()
}

// allocated is the number of bytes that f asks the system for.
func allocated(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// largest is the most bytes of YAML that are read, usually 9 MB.
var largest = flag.Int("largest", 9<<20, "how many bytes of YAML are read at most")

// Copies grow with the text and not with its square: every copy is memory that
// was asked for. The sizes lie on both sides of wholeDocument and beyond
// mostPiece, where a list is no longer held as a whole.
func TestReadingIsLinear(t *testing.T) {
	perByte := map[int]float64{}
	sizes := []int{1 << 18, 3 << 18, 5 << 18, 3 << 20, *largest}
	for _, size := range sizes {
		text := podsOfSize(size)
		perByte[size] = allocated(func() {
			n, err := io.Copy(io.Discard, newYAML(bufio.NewReaderSize(strings.NewReader(text), 1<<18)))
			assert.NoError(t, err)
			assert.Greater(t, n, int64(size/3))
		}) / float64(len(text))
	}
	for _, size := range sizes[1:] {
		assert.Less(t, perByte[size], 1.5*perByte[sizes[0]]+20, "%d bytes: %v", size, perByte)
	}
}

// The parser allocates a hundred bytes for each byte of YAML, and takes ten times as long as reading the JSON. What
// kubectl writes does without, and its memory is used again for every entry. The name n of podsOfSize needs the
// parser, because it is false unless it is quoted.
func TestKubectlsYAMLNeedsNoParser(t *testing.T) {
	text := strings.ReplaceAll(podsOfSize(4<<20), "nodeName: n\n", "nodeName: node\n")
	perByte := allocated(func() {
		_, err := io.Copy(io.Discard, newYAML(bufio.NewReaderSize(strings.NewReader(text), 1<<18)))
		assert.NoError(t, err)
	}) / float64(len(text))
	// The beginning, up to wholeDocument, is held until it is taken apart.
	assert.Less(t, perByte, 4.0)
}

// Many files cost as much as one of their size, and a little for each.
func TestManyFilesAreLinear(t *testing.T) {
	perObject := map[int]float64{}
	for _, files := range []int{1, 40, 1600} {
		const objects = 1600
		texts, names := make([]string, files), make([]string, files)
		for i := range objects {
			texts[i%files] += fmt.Sprintf(`{"kind":"A","metadata":{"name":"x%d"}}`, i)
		}
		for i := range names {
			names[i] = fmt.Sprint(i)
		}
		next := 0
		perObject[files] = (allocated(func() {
			_, err := Merge(names, func(string) (io.Reader, func() error, error) {
				next++
				return strings.NewReader(texts[next-1]), func() error { return nil }, nil
			}).WriteTo(io.Discard)
			assert.NoError(t, err)
		}) - float64(files)*(1<<18)) / objects
	}
	assert.Less(t, perObject[1600], 4*perObject[1]+4096, "%v", perObject)
}

// The input of the parser of YAML, and the held part of JSON, have a bound.
func TestLongPieces(t *testing.T) {
	long := strings.Repeat("x", mostPiece)
	for name, text := range map[string]string{
		"one object":      "kind: A\nx: " + long + "\n",
		"an entry":        podsOfSize(2 << 20)[:2<<20] + "\n- x: " + long + "\n",
		"behind the list": podsOfSize(2<<20) + "x: " + long + "\n",
		"lines":           "kind: A\nx: |\n" + strings.Repeat("  y\n", mostPiece/4+1),
	} {
		_, err := io.Copy(io.Discard, newYAML(bufio.NewReader(strings.NewReader(text))))
		assert.ErrorContains(t, err, "longer than 4 MB", name)
	}
	endless := io.MultiReader(strings.NewReader(`{"kind":"List","items":[{"a":"`), letters{})
	assert.ErrorIs(t, Each(endless, func(Object) error { return nil }), errTooMuch)
}

// The memory in use while YAML is read is no more than 150 times the longest piece, of which no
// more than mostPiece is given to the parser, and a list of pods is read piece by piece.
func TestPeakOfYAMLHasABound(t *testing.T) {
	smallest := "kind: A\nx: [" + strings.Repeat("{a: b},", 1<<17) + "a]\n"
	assert.Less(t, peakOf(t, smallest), int64(150*len(smallest)))
	assert.Less(t, peakOf(t, podsOfSize(8<<20)), int64(150*wholeDocument))
}

// peakOf is the most additional memory in use while a text is read: what the collector finds in use. What
// is allocated until the next look would grow with the time that a busy machine takes for that.
func peakOf(t *testing.T, text string) int64 {
	inUse := func() int64 {
		runtime.GC()
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		return int64(live[0].Value.Uint64())
	}
	before := inUse()
	ended, peak := make(chan bool), make(chan int64)
	go func() {
		most := int64(0)
		for {
			select {
			case <-ended:
				peak <- most
				return
			default:
				most = max(most, inUse())
			}
		}
	}()
	n, err := io.Copy(io.Discard, newYAML(bufio.NewReader(strings.NewReader(text))))
	close(ended)
	assert.NoError(t, err)
	assert.Positive(t, n)
	return <-peak - before
}

// letters never end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
