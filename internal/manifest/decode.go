package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Mismatch is a field whose JSON value is of the wrong type.
type Mismatch struct {
	Field, Text string
}

// Decode reads raw into the wire type that to points to. Where values have the
// wrong type the rest is filled in all the same, and every such field is
// listed; text that is not JSON is a single entry without a field.
func Decode(raw []byte, to any) []Mismatch {
	err := json.Unmarshal(pruned(raw, reflect.TypeOf(to).Elem()), to)
	if err == nil {
		return nil
	}
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return []Mismatch{{Text: "not JSON: " + err.Error()}}
	}
	// The decoder keeps the first error alone, so look again, at leisure.
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var tree any
	if dec.Decode(&tree) == nil {
		if ms := mismatches(nil, "", tree, reflect.TypeOf(to).Elem()); len(ms) > 0 {
			return ms
		}
	}
	return []Mismatch{{Field: wrong.Field, Text: "a " + wrong.Value + " is not what belongs here"}}
}

// mismatches compares a decoded value with the type it was to have.
func mismatches(ms []Mismatch, at string, value any, t reflect.Type) []Mismatch {
	if value == nil || readsItself(t) {
		return ms
	}
	switch t.Kind() {
	case reflect.Pointer:
		return mismatches(ms, at, value, t.Elem())
	case reflect.Struct:
		object, ok := value.(map[string]any)
		if !ok {
			return append(ms, mismatchAt(at, value, "an object"))
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Type == writtenType {
				continue
			}
			name := fieldName(f)
			ms = mismatches(ms, join(at, name), object[name], f.Type)
		}
	case reflect.Map:
		object, ok := value.(map[string]any)
		if !ok {
			return append(ms, mismatchAt(at, value, "an object"))
		}
		keys := make([]string, 0, len(object))
		for k := range object {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			ms = mismatches(ms, join(at, k), object[k], t.Elem())
		}
	case reflect.Slice:
		array, ok := value.([]any)
		if !ok {
			return append(ms, mismatchAt(at, value, "an array"))
		}
		for i, v := range array {
			ms = mismatches(ms, fmt.Sprintf("%s[%d]", at, i), v, t.Elem())
		}
	default:
		return scalar(ms, at, value, t)
	}
	return ms
}

// fieldName is what the field is called in JSON.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// scalar asks the decoder itself whether the value fits.
func scalar(ms []Mismatch, at string, value any, t reflect.Type) []Mismatch {
	text, err := json.Marshal(value)
	if err == nil && json.Unmarshal(text, reflect.New(t).Interface()) == nil {
		return ms
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false"}[t.Kind()]
	if want == "" {
		want = fmt.Sprintf("a whole number of %d bits", t.Bits())
	}
	return append(ms, mismatchAt(at, value, want))
}

// readsItself reports whether the type has its own UnmarshalJSON.
func readsItself(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func mismatchAt(at string, value any, want string) Mismatch {
	var have string
	switch v := value.(type) {
	case string:
		have = "the string " + cut(fmt.Sprintf("%q", v))
	case json.Number:
		have = "the number " + cut(v.String())
	case bool:
		have = fmt.Sprint(v)
	case []any:
		have = "an array"
	default:
		have = "an object"
	}
	return Mismatch{Field: at, Text: have + " stands where " + want + " belongs"}
}

func cut(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
