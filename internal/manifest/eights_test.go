package manifest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// Eight bytes at a time or one, the same byte is found.
func TestPropertyEightsFindTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		usual := rapid.SampledFrom([]byte{' ', 'a', '!', '#', '[', ']'}).Draw(t, "usual")
		text := bytes.Repeat([]byte{usual}, rapid.IntRange(0, 30).Draw(t, "length"))
		for range rapid.IntRange(0, min(4, len(text))).Draw(t, "others") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.OneOf(
				rapid.SampledFrom([]byte{'"', '\\', ' ', '\n', 0, 0x1f, 0x7f, 0x80, 0xa0, 0xa2, 0xdc, 0xff}), rapid.Byte(),
			).Draw(t, "byte")
		}
		from := rapid.IntRange(0, len(text)).Draw(t, "from")
		find := func(of func(c byte) bool) int {
			for at := from; at < len(text); at++ {
				if of(text[at]) {
					return at
				}
			}
			return len(text)
		}
		assert.Equal(t, find(func(c byte) bool { return c != ' ' }), afterSpaces(text, from))
		assert.Equal(t, find(func(c byte) bool { return c == '"' || c == '\\' }), beforeQuote(text, from))
		assert.Equal(t, find(func(c byte) bool { return c == '"' || c == '\\' || c < ' ' || c >= 0x80 }), afterPlain(text, from))
	})
}
