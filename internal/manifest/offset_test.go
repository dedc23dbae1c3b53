package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/manifest"
)

// The offset in an error counts from the start of the stream, however much of
// that was read and let go before.
func TestOffsetOfAnError(t *testing.T) {
	const read = 256 << 10 // the size of a read
	pad := func(n int) string { return strings.Repeat(" ", n) }
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	elements := func(n int) string { return strings.Repeat(`{"kind":"A"},`, n) }
	for _, c := range []struct{ name, before, bad string }{
		{"at the start", "", "]"},
		{"before the end of the first read", pad(read - 1), "]"},
		{"at the start of the second read", pad(read), "]"},
		{"after that", pad(read + 1), "]"},
		{"many reads on", pad(5*read + 17), "]"},
		{"after many documents", strings.Repeat(`{"kind":"A"}`, 45_000), "]"},
		{"after many elements", `{"items":[` + elements(45_000), "}"},
		{"inside an element after many", `{"items":[` + elements(45_000) + `{"kind":"A"`, "]"},
		{"inside a long element after many", `{"items":[` + elements(30_000) + `{"a":` + long(3*read) + `,"b"`, "]"},
		{"inside a long document", `{"a":` + long(3*read), "]"},
		{"inside a long document after another", `{"a":` + long(3*read) + `}{"a":` + long(2*read), "]"},
		{"in front of a long document", pad(2*read) + `{"a"`, ",{" + long(3*read)},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := c.before + c.bad
			want := fmt.Sprintf("unexpected %q at byte %d", c.bad[0], len(c.before))
			_, err := itemsOf(strings.NewReader(text))
			assert.ErrorIs(t, err, manifest.ErrSyntax)
			assert.ErrorContains(t, err, want)
			_, err = itemsOf(iotest.HalfReader(strings.NewReader(text)))
			assert.ErrorContains(t, err, want, "read in other pieces")
		})
	}
}
