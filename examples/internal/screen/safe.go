// Package screen makes texts from elsewhere safe to show to a person.
package screen

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe shows control characters, and others that cannot be seen, as escapes.
func Safe(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}

	// A byte that is no UTF-8 reads as RuneError, as does the character of that name, which is three bytes long.
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

// hidden reports whether a character cannot be seen.
func hidden(r rune) bool { return !unicode.IsPrint(r) }
