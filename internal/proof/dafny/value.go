package dafny

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
)

// Value is a value of the language: an [Int], a [Real], a [Bool], a [Seq], a [Set], a [Map], a [Data] or a function.
// Values are not changed once they are made.
type Value interface {
	// key returns a text that equal values share, and others do not.
	key() string
}

// Int is an integer.
type Int int64

// Real is a real number, of which a computation only ever meets rational ones.
type Real struct{ *big.Rat }

// Bool is a truth value.
type Bool bool

// Seq is a sequence.
type Seq []Value

// Set is a set, by the keys of its elements.
type Set map[string]Value

// Map is a map, by the keys of its keys.
type Map map[string]pair

type pair struct{ from, to Value }

// Data is a value of a datatype: a constructor with its fields. A tuple has the constructor "".
type Data struct {
	Constructor string
	Fields      []Value
	// names has the names of the fields. It is nil for a tuple.
	names []string
	// text is the key, once it was asked for.
	text string
}

// closure is a function as a value. seen has the values of the names that were known where it was made.
type closure struct {
	*lambda
	seen frame
}

// NewSet returns the set of some values.
func NewSet(elements ...Value) Set {
	s := Set{}
	for _, e := range elements {
		s[e.key()] = e
	}
	return s
}

// Field returns a field of the value by its name; ok is false if it has none of that name.
func (d *Data) Field(name string) (value Value, ok bool) {
	if i := slices.Index(d.names, name); i >= 0 {
		return d.Fields[i], true
	}
	return nil, false
}

func (i Int) key() string  { return strconv.FormatInt(int64(i), 10) }
func (r Real) key() string { return "r" + r.RatString() }
func (b Bool) key() string { return strconv.FormatBool(bool(b)) }

func (s Seq) key() string {
	text := []byte{'['}
	for _, e := range s {
		text = append(append(text, e.key()...), ',')
	}
	return string(append(text, ']'))
}

func (s Set) key() string {
	text := []byte{'{'}
	for _, k := range slices.Sorted(maps.Keys(s)) {
		text = append(append(text, k...), ',')
	}
	return string(append(text, '}'))
}

func (m Map) key() string {
	text := []byte{'m', '['}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		text = append(append(text, k...), '=')
		text = append(append(text, m[k].to.key()...), ',')
	}
	return string(append(text, ']'))
}

// key remembers the text, because the pods of a case are asked for it again and again.
func (d *Data) key() string {
	if d.text == "" {
		text := append([]byte(d.Constructor), '(')
		for _, f := range d.Fields {
			text = append(append(text, f.key()...), ',')
		}
		d.text = string(append(text, ')'))
	}
	return d.text
}

func (c *closure) key() string {
	fail("two functions cannot be compared")
	return ""
}

// equal reports whether two values are the same.
func equal(v, w Value) bool {
	if i, ok := v.(Int); ok {
		return i == w
	}
	return v.key() == w.key()
}

// as returns a value as one of the type that is needed, and fails for any other.
func as[T Value](v Value, p place) T {
	t, ok := v.(T)
	if !ok {
		p.fail("a %T stands where a %T is needed", v, t)
	}
	return t
}

// elements lists the elements of a collection.
func elements(of Value) []Value {
	switch c := of.(type) {
	case Seq:
		return c
	case Set:
		list := make([]Value, 0, len(c))
		for _, k := range slices.Sorted(maps.Keys(c)) {
			list = append(list, c[k])
		}
		return list
	}
	fail("%T has no elements to go through", of)
	return nil
}

// Text returns a value as text. Equal values have one text, and others do not.
func Text(v Value) string { return v.key() }
