package console

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"

	"github.com/outrank-go/outrank/examples/internal/screen"
)

// colors matches the escape codes of styles. Texts from outside have none, because theirs are made safe.
var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Width returns the number of columns of a text.
func Width(text string) int {
	if strings.IndexByte(text, 0x1b) >= 0 {
		text = colors.ReplaceAllString(text, "")
	}
	return uniseg.StringWidth(text)
}

// ellipsis replaces the middle of a shortened text.
const ellipsis = "…"

// Shorten leaves out the middle of a text that is wider than width, because names differ at their ends. It does
// not split characters that are combined into one.
func Shorten(text string, width int) string {
	if width <= 0 || Width(text) <= width {
		return text
	}
	if width == 1 {
		return ellipsis
	}

	var parts []string
	for g := uniseg.NewGraphemes(text); g.Next(); {
		parts = append(parts, g.Str())
	}

	// The head and the tail share the room. The head gets an odd column.
	room := width - 1
	head, tail := 0, len(parts)
	for left := (room + 1) / 2; head < tail && left >= Width(parts[head]); head++ {
		left -= Width(parts[head])
	}
	for right := room / 2; tail > head && right >= Width(parts[tail-1]); tail-- {
		right -= Width(parts[tail-1])
	}
	return strings.Join(parts[:head], "") + ellipsis + strings.Join(parts[tail:], "")
}

// Wrap breaks a text between words. A word that is too wide has a line of its own. With a width of 0 there is
// only one line.
func Wrap(text string, width int) []string {
	var lines []string
	used := 0
	for _, word := range strings.Fields(text) {
		w := Width(word)
		if last := len(lines) - 1; last >= 0 && (width <= 0 || used+1+w <= width) {
			lines[last] += " " + word
			used += 1 + w
		} else {
			lines = append(lines, word)
			used = w
		}
	}
	return lines
}

// rightToLeft are the scripts that are written from right to left.
var rightToLeft = []*unicode.RangeTable{
	unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Samaritan, unicode.Mandaic,
	unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Mende_Kikakui,
}

// Safe shows control characters and invisible characters as escapes. It returns safe text unchanged.
func (s Screen) Safe(text string) string { return screen.Safe(text) }

// apart keeps right-to-left words from reordering their neighbours on a terminal, which would show a number
// after such a name before it. It has to run last, because its marks have no width and Safe would escape them.
func (s Screen) apart(line string) string {
	if !s.Terminal || strings.IndexFunc(line, isRightToLeft) < 0 {
		return line
	}
	words := strings.Split(line, " ")
	for i, word := range words {
		first, last := strings.IndexFunc(word, isRightToLeft), strings.LastIndexFunc(word, isRightToLeft)
		if first < 0 {
			continue
		}

		// Brackets, punctuation and colours around the word stay outside the marks.
		begin := strings.LastIndexAny(word[:first], "(,;:") + 1
		for _, code := range colors.FindAllStringIndex(word[:first], -1) {
			begin = max(begin, code[1])
		}
		end := len(word)
		if after := strings.IndexAny(word[last:], ",;:.)\x1b"); after >= 0 {
			end = last + after
		}
		words[i] = word[:begin] + "\u2068" + word[begin:end] + "\u2069" + word[end:]
	}
	return strings.Join(words, " ")
}

// isRightToLeft reports whether a character is written from right to left.
func isRightToLeft(r rune) bool { return unicode.In(r, rightToLeft...) }
