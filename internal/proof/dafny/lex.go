package dafny

import (
	"fmt"
	"strings"
	"unicode"
)

// token is a word, a number or a sign of a file.
type token struct {
	text string
	line int
}

// signs lists the signs of more than one character, the longer ones first.
var signs = []string{
	"<==>", "==>", "<==", "!in",
	"::", ":=", "..", "=>", "->", "==", "!=", "<=", ">=", "&&", "||", "!!",
}

// tokens splits a text. Comments run from // to the end of the line. The last token is empty.
func tokens(text string) []token {
	var list []token
	line := 1
	for text != "" {
		n := 1
		switch first := text[0]; {
		case first == '\n':
			line++
		case unicode.IsSpace(rune(first)):
		case strings.HasPrefix(text, "//"):
			n = strings.IndexByte(text+"\n", '\n')
		case isWord(first):
			n = wordLength(text)
			list = append(list, token{text[:n], line})
		default:
			n = signLength(text)
			list = append(list, token{text[:n], line})
		}
		text = text[n:]
	}
	return append(list, token{"", line})
}

// signLength returns the length of the sign that a text begins with.
func signLength(text string) int {
	for _, s := range signs {
		// "!in" is a sign, and "!inside" is two tokens.
		if strings.HasPrefix(text, s) && (s != "!in" || len(text) == len(s) || !isWord(text[len(s)])) {
			return len(s)
		}
	}
	return 1
}

// wordLength returns the length of the word or number that a text begins with. A number may have a fraction.
func wordLength(text string) int {
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	if isDigit(text[0]) && n+1 < len(text) && text[n] == '.' && isDigit(text[n+1]) {
		n++
		for n < len(text) && isDigit(text[n]) {
			n++
		}
	}
	return n
}

// isWord reports whether a word may hold the character. "Found?" is a word, too.
func isWord(c byte) bool {
	return c == '_' || c == '?' || c == '\'' || isDigit(c) || unicode.IsLetter(rune(c))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// A fault is an error of a file, or of a call, that ends the work at once. The exported functions return it.
type fault struct{ error }

// fail ends the work with an error.
func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// caught stores the fault that ended the work, if one did. It is deferred.
func caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case fault:
		*err = f.error
	default:
		panic(f)
	}
}
