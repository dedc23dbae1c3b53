package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// oneDocument refuses a second YAML document, which would be ignored. A marker begins a second document only if
// there is content before and after it.
func oneDocument(data []byte) error {
	content, marked := false, false
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "---"); ok && (rest == "" || strings.ContainsRune(" \t\r", rune(rest[0]))) {
			text, marked = strings.TrimSpace(rest), content
		}

		switch {
		case text == "" || text == "..." || text[0] == '#' || line[0] == '%':
		case marked:
			return fmt.Errorf("line %d: a second document begins; a study is one", i+1)
		default:
			content = true
		}
	}
	return nil
}

// plain describes a decoding error without terms of Go: a value is of another kind than its field.
func plain(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}

	at := ""
	if wrong.Field != "" {
		at = wrong.Field + ": "
	}
	return fmt.Errorf("%sit is %s, and not %s", at, wanted(wrong.Type.Kind()), given(wrong.Value))
}

// wanted names the kind of value that a field takes.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list, like [a, b]"
	case reflect.Float64:
		return "a number"
	case reflect.Int, reflect.Int64:
		return "a whole number below 2^63"
	case reflect.Uint64:
		return "a whole number from 0 on and below 2^64"
	}
	return "an object, like {name: value}"
}

// given names the kind of a JSON value that was found, or the number itself.
func given(value string) string {
	kind, number, _ := strings.Cut(value, " ")
	switch kind {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	if number != "" {
		return number
	}
	return "a number"
}
