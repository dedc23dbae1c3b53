// Package screen makes texts from elsewhere safe to show to a person.
package screen

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns the text with escapes in place of control characters and others that cannot be seen.
func Safe(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}

	// An invalid byte decodes to RuneError with a size of one. The character U+FFFD itself, which is three
	// bytes long, is kept.
	var b strings.Builder
	for i, r := range s {
		switch _, size := utf8.DecodeRuneInString(s[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a character is not printable.
func hidden(r rune) bool { return !unicode.IsPrint(r) }
