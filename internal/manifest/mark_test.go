package manifest_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/manifest"
)

const byteOrderMark = "\xEF\xBB\xBF"

// A byte order mark may stand at the very start, once. Anywhere else it is text
// that does not belong there.
func TestByteOrderMark(t *testing.T) {
	const object = `{"kind":"A"}`
	for _, c := range []struct {
		name   string
		pieces []string // as they come in
		want   string   // the error, empty for none
	}{
		{"one", []string{byteOrderMark + object}, ""},
		{"one, then white space", []string{byteOrderMark + " \n" + object}, ""},
		{"in a piece of its own", []string{byteOrderMark, object}, ""},
		{"in three pieces", []string{"\xEF", "\xBB", "\xBF", object}, ""},
		{"two", []string{byteOrderMark + byteOrderMark + object}, "unexpected 'ï' at byte 3"},
		{"two, in pieces", []string{byteOrderMark, byteOrderMark + object}, "unexpected 'ï' at byte 3"},
		{"after white space", []string{" " + byteOrderMark + object}, "unexpected 'ï' at byte 1"},
		{"after a document", []string{object + byteOrderMark + object}, "unexpected 'ï' at byte 12"},
		{"in the next piece", []string{object, byteOrderMark + object}, "unexpected 'ï' at byte 12"},
		{"inside a document", []string{`{` + byteOrderMark + `"kind":"A"}`}, "unexpected 'ï' at byte 1"},
		{"cut off", []string{"\xEF\xBB"}, "unexpected 'ï' at byte 0"},
		{"damaged", []string{"\xEF\xBB" + object}, "unexpected 'ï' at byte 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pieces []io.Reader
			for _, p := range c.pieces {
				pieces = append(pieces, strings.NewReader(p))
			}
			for how, r := range map[string]io.Reader{
				"as it comes":  io.MultiReader(pieces...),
				"byte by byte": iotest.OneByteReader(strings.NewReader(strings.Join(c.pieces, ""))),
			} {
				items, err := itemsOf(r)
				if c.want != "" {
					assert.ErrorIs(t, err, manifest.ErrSyntax, how)
					assert.ErrorContains(t, err, c.want, how)
					continue
				}
				require.NoError(t, err, how)
				assert.Equal(t, []string{`document 1 "A" {"kind":"A"}`}, items, how)
			}
		})
	}
}
