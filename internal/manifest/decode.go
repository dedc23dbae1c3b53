package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Mismatch is a field whose JSON value has the wrong type. Text says so in words.
type Mismatch struct {
	Field, Text string
	// More counts the further mismatches of the object, which are not listed. Only the last listed one has it.
	More int
}

// mostMismatches is the largest number of mismatches of one object that are listed.
const mostMismatches = 1000

// standard is Decode with the decoder of the standard library.
func standard(raw []byte, to any) []Mismatch {
	kept, err := pruned(raw, shapeFor(reflect.TypeOf(to).Elem()))
	if err != nil {
		// The lists have too many parts. Only the name is read, so that the message can name the object; a name
		// of the wrong type counts as missing.
		if kept, again := pruned(raw, named); again == nil {
			_ = json.Unmarshal(kept, to)
		}
		return []Mismatch{{Text: err.Error()}}
	}
	if err = json.Unmarshal(kept, to); err == nil {
		return nil
	}

	var first *json.UnmarshalTypeError
	if !errors.As(err, &first) {
		return []Mismatch{{Text: "not JSON: " + err.Error()}}
	}

	// The decoder keeps only the first error. To list all of them, every value is compared with its type.
	c := comparison{dec: json.NewDecoder(bytes.NewReader(raw))}
	c.dec.UseNumber()
	if c.value("", reflect.TypeOf(to).Elem()) == nil && len(c.found) > 0 {
		return c.found
	}
	return []Mismatch{{Field: first.Field, Text: "a " + first.Value + " is not what belongs here"}}
}

// comparison compares a JSON text with a type, value by value. It reads one token at a time and never holds the
// whole object.
type comparison struct {
	dec   *json.Decoder
	found []Mismatch
}

// value compares the next value of the text with a type. at is the value's place in the object. The error is
// about the text itself.
func (c *comparison) value(at string, t reflect.Type) error {
	if readsItself(t) {
		return c.pass()
	}
	if t.Kind() == reflect.Pointer {
		return c.value(at, t.Elem())
	}
	token, err := c.dec.Token()
	if err != nil || token == nil {
		return err
	}

	// An opening bracket that does not fit the type is noted, and the value that it opens is skipped.
	open, _ := token.(json.Delim)
	switch kind := t.Kind(); {
	case open == '{' && (kind == reflect.Struct || kind == reflect.Map):
		return c.object(at, t)
	case open == '[' && kind == reflect.Slice:
		return c.array(at, t.Elem())
	case open != 0:
		if err := c.passRest(); err != nil {
			return err
		}
		fallthrough
	case kind == reflect.Struct || kind == reflect.Map || kind == reflect.Slice || !fits(token, t):
		c.add(at, token, t)
	}
	return nil
}

// object compares the members of an object.
func (c *comparison) object(at string, t reflect.Type) error {
	for c.dec.More() {
		token, err := c.dec.Token()
		if err != nil {
			return err
		}

		key, _ := token.(string)
		if within := partOf(t, key); within == nil {
			err = c.pass()
		} else {
			err = c.value(join(at, key), within)
		}
		if err != nil {
			return err
		}
	}
	return c.end()
}

// array compares the elements of an array with a type.
func (c *comparison) array(at string, t reflect.Type) error {
	for i := 0; c.dec.More(); i++ {
		if err := c.value(fmt.Sprintf("%s[%d]", at, i), t); err != nil {
			return err
		}
	}
	return c.end()
}

// end reads the closing bracket.
func (c *comparison) end() error {
	_, err := c.dec.Token()
	return err
}

// pass skips the next value.
func (c *comparison) pass() error {
	token, err := c.dec.Token()
	if _, opens := token.(json.Delim); err != nil || !opens {
		return err
	}
	return c.passRest()
}

// passRest skips the rest of an object or an array that has begun.
func (c *comparison) passRest() error {
	for depth := 1; depth > 0; {
		token, err := c.dec.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// partOf returns the type of the value with a key in an object of type t. It is nil for a value that is not
// read.
func partOf(t reflect.Type, key string) reflect.Type {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Type != writtenType && fieldName(f) == key {
			return f.Type
		}
	}
	return nil
}

// add notes a value of the wrong type.
func (c *comparison) add(at string, value json.Token, t reflect.Type) {
	if len(c.found) == mostMismatches {
		c.found[mostMismatches-1].More++
		return
	}
	c.found = append(c.found, mismatchAt(at, value, wanted(t)))
}

// fits reports whether a scalar fits a type, by asking the decoder.
func fits(value json.Token, t reflect.Type) bool {
	text, err := json.Marshal(value)
	return err == nil && json.Unmarshal(text, reflect.New(t).Interface()) == nil
}

// wanted returns how a message describes the values of a type.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice:
		return "an array"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	}
	return fmt.Sprintf("a whole number of %d bits", t.Bits())
}

// mismatchAt returns the mismatch for a value that stands where another kind of value belongs.
func mismatchAt(at string, value json.Token, want string) Mismatch {
	have := "an object"
	switch v := value.(type) {
	case string:
		have = "the string " + cut(fmt.Sprintf("%q", v))
	case json.Number:
		have = "the number " + cut(v.String())
	case bool:
		have = fmt.Sprint(v)
	case json.Delim:
		if v == '[' {
			have = "an array"
		}
	}
	return Mismatch{Field: at, Text: have + " stands where " + want + " belongs"}
}

// join adds the name of a field to a place.
func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
