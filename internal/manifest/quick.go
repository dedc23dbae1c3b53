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

// Most objects of a dump have no fault, and most of each is of no interest. The quick reader fills in a wire type
// in one pass over the text, and skips everything that the type does not name. It gives up where it is not sure: at
// a value of the wrong type, text that is not JSON, or a name that occurs twice. The decoder of the standard library
// then reads the whole object and finds the problem. TestPropertyQuickReadsAlike checks that both read alike.

// part says how to read a type.
type part struct {
	kind reflect.Kind // Interface for a type that reads itself
	typ  reflect.Type
	// fields are the fields of a struct, by the length of their names.
	fields [][]field
	// within is the part of the type that a pointer, a slice or a map holds.
	within *part
	// lists has, by index, the parts of a struct's fields that are or hold lists of structs, and nil for other
	// fields. It is nil where the struct has no such field.
	lists []*part
}

// field is a field of a struct, with its name in JSON.
type field struct {
	name  string
	index int
	part  *part
}

// field finds a field of a struct by its name; nil for none. Few fields have names of the same length.
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

// mostFields is the number of fields of a struct that the quick reader can tell apart, one by each bit.
const mostFields = 64

// parts has the parts that were made, as *part by reflect.Type.
var parts sync.Map

// partFor returns the part of a type.
func partFor(t reflect.Type) *part {
	p, ok := parts.Load(t)
	if !ok {
		p, _ = parts.LoadOrStore(t, newPart(t))
	}
	return p.(*part)
}

// newPart makes the part of a type. Wire types do not contain themselves, so that this ends.
func newPart(t reflect.Type) *part {
	p := &part{kind: t.Kind(), typ: t}
	if readsItself(t) {
		p.kind = reflect.Interface
		return p
	}

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

// empty makes a value equal to a zero one for its reader. The lists of structs in it keep their memory.
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

// quick reads one text.
type quick struct {
	memory *memory
	buf    []byte
	// pos is the place of the next byte.
	pos int
	// parts counts the parts of all lists so far.
	parts int
	// lost is set once the reader has given up. It then stays lost, and what it reads means nothing.
	lost bool
}

// quickly fills in a value from a text, and reports whether it could. If not, the value is of no use. It uses the memory
// of lists of structs that the value held before.
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

// take takes the next byte if it is c, and is lost otherwise.
func (q *quick) take(c byte) bool {
	if q.next() != c {
		q.lost = true
		return false
	}
	q.pos++
	return true
}

// more takes the comma or the closing bracket after an element, and reports whether another element follows.
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

// empty takes an opening bracket. It reports whether the closing one follows at once, and takes that, too.
func (q *quick) empty(closing byte) bool {
	q.pos++
	if q.next() == closing {
		q.pos++
		return true
	}
	return false
}

// null takes a null, and reports whether there is one.
func (q *quick) null() bool {
	if bytes.HasPrefix(q.buf[q.pos:], []byte("null")) {
		q.pos += len("null")
		return true
	}
	q.lost = true
	return false
}

// value reads the next value into v, whose type p is about.
func (q *quick) value(p *part, v reflect.Value) {
	// A null leaves a value as it is, except that a pointer, a slice and a map become nil, as package json has it.
	c := q.next()
	switch {
	case q.lost:
	case p.kind == reflect.Interface:
		from := q.pos
		if q.judge(0); !q.lost {
			q.lost = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(q.buf[from:q.pos:q.pos]) != nil
		}
	case c == 'n':
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
		q.number(v)
	}
}

// word takes a word if it is the next, and is lost otherwise.
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

		// A field that occurs twice is left to package json. In a struct with more than mostFields fields two of
		// them share a bit, which is taken for the same.
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

// key takes the name of a member and its colon.
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

		// An element within the old capacity holds what an object before left there.
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

// mapping reads the members of an object into a map. Wire types have maps of texts and of amounts; of any other the
// reader gives up.
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
			// The quantity reads itself, and only from text that is JSON.
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

// entries reads the members of an object into a map. value reads the value of a member.
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

// text takes a string and returns the text between its quotes. It gives up on a string that package json would change: one
// with an escape, or one that is not UTF-8.
func (q *quick) text() []byte {
	from := q.pos + 1
	if end := afterPlain(q.buf, from); end < len(q.buf) && q.buf[end] == '"' {
		q.pos = end + 1
		return q.buf[from:end]
	}

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

	// JSON has no zero in front of other digits. Fractions and exponents are left to package json.
	ends := q.pos == len(q.buf) || !bytes.ContainsRune([]byte(".eE"), rune(q.buf[q.pos]))
	if q.pos == first || q.buf[first] == '0' && q.pos > first+1 || !ends || v.OverflowInt(n) {
		q.pos, q.lost = from, true
		return
	}
	v.SetInt(n)
}

// skip skips a value. Like [scanner.skip] it only finds the end, and does not check the value.
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

// nested skips an object or an array. It counts brackets of both kinds together.
func (q *quick) nested() {
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

// quoted skips a string, and reports whether it ends.
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

// mostJudged is the largest depth of a value whose type reads itself.
const mostJudged = 100

// judge takes a value and checks that it is JSON: a type that reads itself relies on that. depth is the number of values
// around it.
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

	// Asking whether a bracket is empty takes the whole of an empty one, so that nothing is left to do for it.
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

	// A number is judged by package json.
	default:
		from := q.pos
		for q.pos < len(q.buf) && bytes.IndexByte([]byte("+-.0123456789eE"), q.buf[q.pos]) >= 0 {
			q.pos++
		}
		q.lost = q.lost || !json.Valid(q.buf[from:q.pos])
	}
}
