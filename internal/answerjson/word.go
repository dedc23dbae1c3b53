package answerjson

import (
	"fmt"
	"slices"
	"strings"
)

// Word returns the word of an enum's value; words are indexed by value. A value
// beyond them is an *[outrank.InputError] that names the type. The slice is the
// caller's.
func Word[E ~uint8](words []string, value E) ([]byte, error) {
	if int(value) < len(words) {
		return []byte(words[value]), nil
	}
	return nil, inputError(fmt.Sprintf("%T", value), "", fmt.Sprintf("there is no value %d", uint8(value)))
}

// ParseWord sets an enum to the value with the word. Any other text is an
// *[outrank.InputError] that names the type, and leaves the value as it was; so is nil in place of one.
func ParseWord[E ~uint8](words []string, text []byte, to *E) error {
	if to == nil {
		return inputError(fmt.Sprintf("%T", *new(E)), "", "there is no value to set")
	}
	i := slices.Index(words, string(text))
	if i < 0 {
		known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
		return inputError(fmt.Sprintf("%T", *to), "", fmt.Sprintf("%.40q is none of %s", text, strings.Join(known, ", ")))
	}
	*to = E(i)
	return nil
}

// Text returns what people read of the value of an enum, from texts indexed by value. A value
// without a text is named by its type and number.
func Text[E ~uint8](texts []string, value E) string {
	if int(value) < len(texts) {
		return texts[value]
	}
	name := fmt.Sprintf("%T", value)
	return fmt.Sprintf("%s(%d)", name[strings.LastIndexByte(name, '.')+1:], uint8(value))
}
