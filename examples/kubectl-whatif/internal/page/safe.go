package page

import (
	"strings"
	"unicode"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// piece is a part of a sentence. A piece that is Turned contains right-to-left letters, and is isolated from
// the text around it.
type piece struct {
	Text   string
	Turned bool
}

// pieces cuts a sentence at its spaces, so that right-to-left names are pieces of their own.
func pieces(sentence string) []piece {
	sentence = screen.Safe(sentence)
	if !turned(sentence) {
		return []piece{{Text: sentence}}
	}

	var out []piece
	for word := range strings.SplitAfterSeq(sentence, " ") {
		if !turned(word) {
			out = append(out, piece{Text: word})
			continue
		}

		// Brackets and punctuation around a name belong to the sentence.
		start := len(word) - len(strings.TrimLeft(word, "([{"))
		end := len(strings.TrimRight(word, " .,;:)]}"))
		out = append(out, piece{Text: word[:start]}, piece{Text: word[start:end], Turned: true}, piece{Text: word[end:]})
	}
	return out
}

// isolated returns a name for texts without markup, such as the label of a picture. A right-to-left name gets
// marks that isolate it from the text around it.
func isolated(name string) string {
	name = screen.Safe(name)
	if turned(name) {
		return "\u2068" + name + "\u2069"
	}
	return name
}

// turned reports whether any letter is written from right to left.
func turned(s string) bool {
	for _, r := range s {
		if r >= 0x590 && unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko,
			unicode.Samaritan, unicode.Mandaic, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui) {
			return true
		}
	}
	return false
}

// clipped shortens a name to at most most characters. It cuts out the middle, because names often differ at
// their ends.
func clipped(name string, most int) string {
	runes := []rune(screen.Safe(name))
	if len(runes) <= most {
		return string(runes)
	}
	tail := (most - 1) / 2
	return string(runes[:most-1-tail]) + "…" + string(runes[len(runes)-tail:])
}
