package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"
)

// Encode returns the JSON of a value of a wire type, on one line and without the escapes that only HTML needs.
// JSON cannot hold strings that are not UTF-8; if there are any, they are listed instead. If the value has no
// JSON, the list has an entry without a field.
func Encode(v any) ([]byte, []Mismatch) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, []Mismatch{{Text: err.Error()}}
	}

	// The encoder writes this escape for bytes that are not UTF-8. But a string may also contain these
	// characters literally, so the strings themselves are looked through.
	if bytes.Contains(b.Bytes(), []byte(`\ufffd`)) {
		if ms := notText(nil, "", reflect.ValueOf(v)); len(ms) > 0 {
			return nil, ms
		}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// notText adds the strings within v that are not UTF-8 to a list. at is the place of v in the object.
func notText(ms []Mismatch, at string, v reflect.Value) []Mismatch {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return notText(ms, at, v.Elem())
		}
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			ms = append(ms, Mismatch{Field: at, Text: fmt.Sprintf("%q is not UTF-8", v.String())})
		}
	case reflect.Struct:
		// A type that reads itself has no strings of its own: it is a quantity, a time, or JSON that was
		// encoded before.
		if readsItself(v.Type()) {
			return ms
		}
		for i := range v.NumField() {
			ms = notText(ms, join(at, fieldName(v.Type().Field(i))), v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			ms = notText(ms, fmt.Sprintf("%s[%d]", at, i), v.Index(i))
		}
	case reflect.Map:
		// Keys are sorted, so that messages always come in the same order.
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) })
		for _, k := range keys {
			ms = notText(ms, at, k)
			ms = notText(ms, join(at, k.String()), v.MapIndex(k))
		}
	}
	return ms
}

// KindOf returns the kind in the text of an object, empty if it has none. The mismatches say why the kind
// cannot be read.
func KindOf(raw []byte) (string, []Mismatch) {
	var head struct {
		Kind string `json:"kind"`
	}
	ms := Decode(raw, &head)
	return head.Kind, ms
}
