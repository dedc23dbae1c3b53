package manifest

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"
)

// Most objects of a dump have no fault, and most of their fields are not needed. The quick reader fills in a
// wire type in one pass over the text, and skips everything that the type does not name. It gives up on
// anything unusual: a value of the wrong type, text that is not JSON, a string with escapes, or a name that
// occurs twice. The decoder of the standard library then reads the whole object and reports the problem.
// TestPropertyQuickReadsAlike checks that both read alike.

// part says how the quick reader reads the values of a type.
type part struct {
	kind reflect.Kind // Interface for a type that reads itself
	typ  reflect.Type
	// fields[n] are the fields of a struct whose names have n bytes.
	fields [][]field
	// within is the part for the element type of a pointer, a slice or a map.
	within *part
	// lists has, by index, the parts of a struct's fields that are or hold lists of structs, and nil for other
	// fields. It is nil if the struct has no such field.
	lists []*part
}

// field is a field of a struct, with its name in JSON.
type field struct {
	name  string
	index int
	part  *part
}

// field returns the field of a struct with a name, nil if there is none. Few fields have names of the same
// length.
func (p *part) field(name []byte) *field {
	if len(name) >= len(p.fields) {
		return nil
	}
	alike := p.fields[len(name)]
	for i := range alike {
		if f := &alike[i]; f.name == string(name) {
			return f
		}
	}
	return nil
}

// addField adds a field of a struct. Of two fields with the same name the later one counts.
func (p *part) addField(f field) {
	n := len(f.name)
	for len(p.fields) <= n {
		p.fields = append(p.fields, nil)
	}
	p.fields[n] = slices.DeleteFunc(p.fields[n], func(other field) bool { return other.name == f.name })
	p.fields[n] = append(p.fields[n], f)
}

// mostFields is the number of fields of a struct for which object can note that they have occurred: one for
// each bit.
const mostFields = 64

// parts caches the parts of types, as *part by reflect.Type.
var parts sync.Map

// partFor returns the part of a type.
func partFor(t reflect.Type) *part {
	p, ok := parts.Load(t)
	if !ok {
		p, _ = parts.LoadOrStore(t, newPart(t))
	}
	return p.(*part)
}

// newPart makes the part of a type. The recursion ends, because wire types do not contain themselves.
func newPart(t reflect.Type) *part {
	p := &part{kind: t.Kind(), typ: t}
	if readsItself(t) {
		p.kind = reflect.Interface
		return p
	}

	// A struct notes which of its fields hold lists of structs, because empty keeps the memory of these.
	switch p.kind {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		p.within = newPart(t.Elem())
	case reflect.Struct:
		lists, any := make([]*part, t.NumField()), false
		for i := range lists {
			if f := t.Field(i); f.Type != writtenType {
				read := newPart(f.Type)
				p.addField(field{fieldName(f), i, read})
				if read.structs() || read.lists != nil {
					lists[i], any = read, true
				}
			}
		}
		if any {
			p.lists = lists
		}
	}
	return p
}

// structs reports whether the type is a list of structs.
func (p *part) structs() bool { return p.kind == reflect.Slice && p.within.kind == reflect.Struct }

// empty empties a value, so that a caller cannot tell it from the zero value. The lists of structs in it keep
// their memory.
func (p *part) empty(v reflect.Value) {
	switch {
	case p.structs():
		v.SetLen(0)
	case p.lists == nil:
		v.SetZero()
	default:
		for i, list := range p.lists {
			if list == nil {
				v.Field(i).SetZero()
			} else {
				list.empty(v.Field(i))
			}
		}
	}
}

// quick is the quick reader of one text.
type quick struct {
	memory *memory
	buf    []byte
	// pos is the place of the next byte.
	pos int
	// parts counts the parts of all lists so far.
	parts int
	// lost says that the reader has given up. It then stays lost, and the values that it reads mean nothing.
	lost bool
}

// quickly fills in a value from a text, and reports whether it could. If not, the value must not be used. It
// uses the memory of the lists of structs that the value held before.
func quickly(m *memory, raw []byte, to reflect.Value) bool {
	q, p := quick{memory: m, buf: raw}, partFor(to.Type())
	p.empty(to)
	q.value(p, to)
	return q.next() == 0 && !q.lost && q.pos == len(q.buf)
}

// next skips white space and returns the byte that follows, 0 at the end.
func (q *quick) next() byte {
	for ; q.pos < len(q.buf); q.pos++ {
		switch c := q.buf[q.pos]; c {
		case ' ', '\t', '\r':
		case '\n':
			q.pos = afterSpaces(q.buf, q.pos+1) - 1
		default:
			return c
		}
	}
	return 0
}

// take moves past the next byte if that is c. Otherwise the reader gives up, and the result is false.
func (q *quick) take(c byte) bool {
	if q.next() != c {
		q.lost = true
		return false
	}
	q.pos++
	return true
}

// more moves past the comma or closing bracket after an element, and reports whether another element follows.
func (q *quick) more(closing byte) bool {
	switch q.next() {
	case ',':
		q.pos++
		return true
	case closing:
		q.pos++
		return false
	}
	q.lost = true
	return false
}

// empty moves past an opening bracket. If the closing bracket follows at once, it moves past that, too, and
// returns true.
func (q *quick) empty(closing byte) bool {
	q.pos++
	if q.next() == closing {
		q.pos++
		return true
	}
	return false
}

// null moves past null and returns true. If something else follows, the reader gives up.
func (q *quick) null() bool {
	if bytes.HasPrefix(q.buf[q.pos:], []byte("null")) {
		q.pos += len("null")
		return true
	}
	q.lost = true
	return false
}

// value reads the next value into v. p is the part for v's type.
func (q *quick) value(p *part, v reflect.Value) {
	c := q.next()
	switch {
	case q.lost:
	case p.kind == reflect.Interface:
		// A type that reads itself gets the text of the value, which must be JSON.
		from := q.pos
		if q.judge(0); !q.lost {
			q.lost = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(q.buf[from:q.pos:q.pos]) != nil
		}
	case c == 'n':
		// As in package json, null makes a pointer, a slice or a map nil and leaves any other value as it is.
		if q.null() && p.within != nil {
			v.SetZero()
		}
	case p.kind == reflect.Pointer:
		v.Set(reflect.New(p.typ.Elem()))
		q.value(p.within, v.Elem())
	case p.kind == reflect.Struct && c == '{':
		q.object(p, v)
	case p.kind == reflect.Slice && c == '[':
		q.list(p, v)
	case p.kind == reflect.Map && c == '{':
		q.mapping(p, v)
	case p.kind == reflect.String && c == '"':
		v.SetString(q.memory.shared(q.text()))
	case p.kind == reflect.Bool && c == 't':
		v.SetBool(q.word("true"))
	case p.kind == reflect.Bool && c == 'f':
		q.word("false")
		v.SetBool(false)
	default:
		// A value of the wrong type ends here, too, and number gives up on it.
		q.number(v)
	}
}

// word moves past a word if it comes next, and returns true. Otherwise the reader gives up.
func (q *quick) word(word string) bool {
	if !bytes.HasPrefix(q.buf[q.pos:], []byte(word)) {
		q.lost = true
		return false
	}
	q.pos += len(word)
	return true
}

// object reads the members of an object into a struct.
func (q *quick) object(p *part, v reflect.Value) {
	if q.empty('}') {
		return
	}

	var seen uint64
	for {
		key := q.key()
		if q.lost {
			return
		}

		// If a field occurs twice, the reader gives up and leaves the object to package json. In a struct with
		// more than mostFields fields some share a bit; the reader then may give up although no field occurs
		// twice.
		if f := p.field(key); f != nil {
			bit := uint64(1) << (f.index % mostFields)
			if seen&bit != 0 {
				q.lost = true
				return
			}
			seen |= bit
			q.value(f.part, v.Field(f.index))
		} else {
			q.skip()
		}

		if q.lost || !q.more('}') {
			return
		}
	}
}

// key reads the name of a member and moves past its colon.
func (q *quick) key() []byte {
	if q.next() != '"' {
		q.lost = true
		return nil
	}
	key := q.text()
	q.take(':')
	return key
}

// list reads the elements of an array into a slice, in the memory that the slice has.
func (q *quick) list(p *part, v reflect.Value) {
	if q.empty(']') {
		v.Set(reflect.MakeSlice(p.typ, 0, 0))
		return
	}

	for n := 0; ; n++ {
		if q.parts++; q.parts > mostParts {
			q.lost = true
			return
		}

		// An element within the old capacity still holds a value of an earlier object.
		if n < v.Cap() {
			v.SetLen(n + 1)
			p.within.empty(v.Index(n))
		} else {
			v.Grow(1)
			v.SetLen(n + 1)
		}

		q.value(p.within, v.Index(n))
		if q.lost || !q.more(']') {
			return
		}
	}
}

// mapping reads the members of an object into a map. Wire types have maps of texts and of amounts; for any
// other map the reader gives up.
func (q *quick) mapping(p *part, v reflect.Value) {
	switch m := v.Addr().Interface().(type) {
	case *map[string]string:
		*m = map[string]string{}
		entries(q, *m, func() string {
			switch q.next() {
			case '"':
				return q.memory.kept(q.text())
			case 'n':
				q.null()
			default:
				q.lost = true
			}
			return ""
		})
	case *Amounts:
		*m = q.memory.emptyAmounts()
		entries(q, *m, func() (amount Quantity) {
			// A quantity reads its own text, which must be known to be JSON.
			from := q.pos
			if q.next(); !q.lost {
				from = q.pos
				q.judge(0)
			}
			if !q.lost {
				q.lost = amount.UnmarshalJSON(q.buf[from:q.pos:q.pos]) != nil
			}
			return amount
		})
	default:
		q.lost = true
	}
}

// entries reads the members of an object into a map. It calls value to read the value of each member.
func entries[T any](q *quick, m map[string]T, value func() T) {
	if q.empty('}') {
		return
	}
	for {
		key := q.key()
		if q.lost {
			return
		}
		m[q.memory.kept(key)] = value()
		if q.lost || !q.more('}') {
			return
		}
	}
}

// text reads a string and returns the text between its quotes. It gives up on a string that package json would
// change: a string with an escape, or one that is not UTF-8.
func (q *quick) text() []byte {
	from := q.pos + 1
	if end := afterPlain(q.buf, from); end < len(q.buf) && q.buf[end] == '"' {
		q.pos = end + 1
		return q.buf[from:end]
	}

	// Text that is not ASCII is read as well, if it is UTF-8 and has no escapes.
	n := bytes.IndexByte(q.buf[from:], '"')
	if n < 0 {
		q.lost = true
		return nil
	}
	text := q.buf[from : from+n]
	q.pos = from + n + 1

	wide := false
	for _, c := range text {
		if c < ' ' || c == '\\' {
			q.lost = true
			return nil
		}
		wide = wide || c >= utf8.RuneSelf
	}
	if wide && !utf8.Valid(text) {
		q.lost = true
	}
	return text
}

// number reads a whole number into v.
func (q *quick) number(v reflect.Value) {
	if !v.CanInt() || q.pos == len(q.buf) {
		q.lost = true
		return
	}

	from, minus := q.pos, false
	if q.buf[q.pos] == '-' {
		q.pos, minus = q.pos+1, true
	}
	first, n := q.pos, int64(0)
	for ; q.pos < len(q.buf) && q.buf[q.pos]-'0' <= 9; q.pos++ {
		digit := int64(q.buf[q.pos] - '0')
		if n > (math.MaxInt64-digit)/10 {
			q.lost = true
			return
		}
		n = n*10 + digit
	}
	if minus {
		n = -n
	}

	// JSON allows no leading zeros. Fractions and exponents are left to package json.
	ends := q.pos == len(q.buf) || !bytes.ContainsRune([]byte(".eE"), rune(q.buf[q.pos]))
	if q.pos == first || q.buf[first] == '0' && q.pos > first+1 || !ends || v.OverflowInt(n) {
		q.pos, q.lost = from, true
		return
	}
	v.SetInt(n)
}

// skip moves past a value. Like [scanner.skip] it only finds the end, and does not check the value.
func (q *quick) skip() {
	switch q.next() {
	case '"':
		q.quoted()
	case '{', '[':
		q.nested()
	case '}', ']', ',', ':', 0:
		q.lost = true
	default:
		for ; q.pos < len(q.buf); q.pos++ {
			switch q.buf[q.pos] {
			case ',', '}', ']', ' ', '\t', '\n', '\r':
				return
			case ':', '"', '{', '[':
				q.lost = true
				return
			}
		}
	}
}

// nested moves past an object or an array. It counts brackets of both kinds together, so that mixed-up ones
// pass.
func (q *quick) nested() {
	// Local copies of the fields keep the loop fast.
	buf, pos := q.buf, q.pos
	depth := 0
	for {
		for pos < len(buf) && !structural[buf[pos]] {
			pos++
		}
		if pos == len(buf) {
			q.lost = true
			return
		}

		switch buf[pos] {
		case '"':
			if q.pos = pos; !q.quoted() {
				return
			}
			pos = q.pos
			continue
		case '\n':
			pos = afterSpaces(buf, pos+1)
			continue
		case '{', '[':
			depth++
		default:
			depth--
		}

		if pos++; depth == 0 {
			q.pos = pos
			return
		}
	}
}

// quoted moves past a string, and reports whether the string ends.
func (q *quick) quoted() bool {
	for at := q.pos + 1; at < len(q.buf); {
		if at = beforeQuote(q.buf, at); at < len(q.buf) && q.buf[at] == '"' {
			q.pos = at + 1
			return true
		}
		at += 2 // past the character after the backslash
	}
	q.lost = true
	return false
}

// mostJudged is the largest depth of nesting in a value whose type reads itself.
const mostJudged = 100

// judge moves past a value and checks that it is JSON, on which a type that reads itself relies. depth is the
// number of values around it.
func (q *quick) judge(depth int) {
	switch c := q.next(); {
	case depth > mostJudged:
		q.lost = true
	case c == '"':
		if q.pos+1 < len(q.buf) {
			q.text()
		} else {
			q.lost = true
		}

	// empty moves past an empty object or array as a whole, and nothing is left to do for it (see the third
	// bracket case).
	case c == '{' && !q.empty('}'):
		for {
			if q.key(); q.lost {
				return
			}
			if q.judge(depth + 1); q.lost || !q.more('}') {
				return
			}
		}
	case c == '[' && !q.empty(']'):
		for {
			if q.judge(depth + 1); q.lost || !q.more(']') {
				return
			}
		}
	case c == '{' || c == '[':

	case c == 't':
		q.word("true")
	case c == 'f':
		q.word("false")
	case c == 'n':
		q.null()

	// Package json judges numbers.
	default:
		from := q.pos
		for q.pos < len(q.buf) && bytes.IndexByte([]byte("+-.0123456789eE"), q.buf[q.pos]) >= 0 {
			q.pos++
		}
		q.lost = q.lost || !json.Valid(q.buf[from:q.pos])
	}
}
