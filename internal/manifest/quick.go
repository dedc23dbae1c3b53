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

// A dump is mostly objects without a fault, and most of each is of no interest. A quick
// reader fills in a wire type in one pass over the text and skips everything that the type
// does not name. It gives up where it is not sure: a value of the wrong type, text that is
// not JSON, a name that occurs twice. The decoder of the standard library then has the
// whole object and finds the problem. TestPropertyQuickReadsAlike holds the two together.

// part is the way to read a type.
type part struct {
	kind   reflect.Kind // Interface for a type that reads itself
	typ    reflect.Type
	fields [][]field // of a struct, by the length of the name
	within *part     // of a pointer, a slice or a map
	// lists are the parts of a struct's fields that hold lists of structs, by index, nil for
	// another field. The struct holds none where there are no lists.
	lists []*part
}

// field is a field of a struct, with its name in JSON.
type field struct {
	name  string
	index int
	part  *part
}

// field finds a field of a struct by its name, nil if there is none. Few have names of one length.
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

// addField takes a field of a struct in. Of two with one name the later one counts.
func (p *part) addField(f field) {
	n := len(f.name)
	for len(p.fields) <= n {
		p.fields = append(p.fields, nil)
	}
	p.fields[n] = slices.DeleteFunc(p.fields[n], func(other field) bool { return other.name == f.name })
	p.fields[n] = append(p.fields[n], f)
}

// mostFields is the most fields of a struct that a quick reader can tell apart.
const mostFields = 64

var parts sync.Map // of reflect.Type to *part, nil for a type that cannot be read quickly

// partFor returns the way to read a type.
func partFor(t reflect.Type) *part {
	p, ok := parts.Load(t)
	if !ok {
		p, _ = parts.LoadOrStore(t, newPart(t))
	}
	return p.(*part)
}

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
				of := newPart(f.Type)
				p.addField(field{fieldName(f), i, of})
				if of.structs() || of.lists != nil {
					lists[i], any = of, true
				}
			}
		}
		if any {
			p.lists = lists
		}
	}
	return p
}

// structs reports whether a part is a list of structs.
func (p *part) structs() bool { return p.kind == reflect.Slice && p.within.kind == reflect.Struct }

// empty makes a value as good as a zero one. The lists of structs in it keep their memory.
func (p *part) empty(v reflect.Value) {
	switch {
	case p.structs():
		v.SetLen(0)
	case p.lists == nil:
		v.SetZero()
	default:
		for i, of := range p.lists {
			if of == nil {
				v.Field(i).SetZero()
			} else {
				of.empty(v.Field(i))
			}
		}
	}
}

// quick is a reader of one text. Once it is lost it stays lost.
type quick struct {
	of    *memory
	buf   []byte
	pos   int
	lists int // parts of all lists so far
	lost  bool
}

// quickly fills in a value and reports whether it could. If not, the value is of no use. It
// uses the memory of lists of structs that the value held before.
func quickly(m *memory, raw []byte, to reflect.Value) bool {
	q, p := quick{of: m, buf: raw}, partFor(to.Type())
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

// take takes the next byte if it is this one.
func (q *quick) take(c byte) bool {
	if q.next() != c {
		q.lost = true
		return false
	}
	q.pos++
	return true
}

// more is asked after each element: it reports whether another one follows.
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

// empty takes an opening bracket, and the closing one if nothing stands between.
func (q *quick) empty(closing byte) bool {
	q.pos++
	if q.next() == closing {
		q.pos++
		return true
	}
	return false
}

// null takes a null.
func (q *quick) null() bool {
	if bytes.HasPrefix(q.buf[q.pos:], []byte("null")) {
		q.pos += len("null")
		return true
	}
	q.lost = true
	return false
}

func (q *quick) value(p *part, v reflect.Value) {
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
		v.SetString(q.of.shared(q.text()))
	case p.kind == reflect.Bool && c == 't':
		v.SetBool(q.word("true"))
	case p.kind == reflect.Bool && c == 'f':
		q.word("false")
		v.SetBool(false)
	default:
		q.number(v)
	}
}

func (q *quick) word(word string) bool {
	if !bytes.HasPrefix(q.buf[q.pos:], []byte(word)) {
		q.lost = true
		return false
	}
	q.pos += len(word)
	return true
}

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
		if f := p.field(key); f != nil {
			if bit := uint64(1) << (f.index % mostFields); seen&bit != 0 {
				q.lost = true // twice, or too many to tell
				return
			} else {
				seen |= bit
			}
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

func (q *quick) list(p *part, v reflect.Value) {
	if q.empty(']') {
		v.Set(reflect.MakeSlice(p.typ, 0, 0))
		return
	}
	for n := 0; ; n++ {
		if q.lists++; q.lists > mostParts {
			q.lost = true
			return
		}
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

func (q *quick) mapping(p *part, v reflect.Value) {
	switch m := v.Addr().Interface().(type) {
	case *map[string]string:
		*m = map[string]string{}
		entries(q, *m, func() string {
			switch q.next() {
			case '"':
				return q.of.kept(q.text())
			case 'n':
				q.null()
			default:
				q.lost = true
			}
			return ""
		})
	case *Amounts:
		*m = q.of.emptyAmounts()
		entries(q, *m, func() (amount Quantity) {
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

// entries reads the members of an object that has any names.
func entries[T any](q *quick, m map[string]T, value func() T) {
	if q.empty('}') {
		return
	}
	for {
		key := q.key()
		if q.lost {
			return
		}
		m[q.of.kept(key)] = value()
		if q.lost || !q.more('}') {
			return
		}
	}
}

// text takes a string and returns the text between its quotes. It leaves a string with
// an escape, or with anything else that the standard library would change, to that.
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

// number takes a whole number.
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
	ends := q.pos == len(q.buf) || !bytes.ContainsRune([]byte(".eE"), rune(q.buf[q.pos]))
	if q.pos == first || q.buf[first] == '0' && q.pos > first+1 || !ends || v.OverflowInt(n) {
		q.pos, q.lost = from, true
		return
	}
	v.SetInt(n)
}

// skip skips a value and only finds its end, as [scanner.skip] does.
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

// nested skips an object or an array.
func (q *quick) nested() {
	buf, pos, depth := q.buf, q.pos, 0
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

// quoted skips a string.
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

// mostJudged is the depth limit of a value whose type reads itself.
const mostJudged = 100

// judge takes a value and checks that it is JSON.
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
	default:
		from := q.pos
		for q.pos < len(q.buf) && bytes.IndexByte([]byte("+-.0123456789eE"), q.buf[q.pos]) >= 0 {
			q.pos++
		}
		q.lost = q.lost || !json.Valid(q.buf[from:q.pos])
	}
}
