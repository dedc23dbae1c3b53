package dafny

import (
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// expression is an expression that was read.
type expression interface {
	// eval returns its value. The frame has the values of the names that are known at its place, by slot.
	eval(frame) Value
}

// frame has the values of names.
type frame []Value

// place says where an expression stands.
type place struct {
	file string
	line int
}

func (p place) fail(format string, args ...any) {
	fail("%s:%d: "+format, append([]any{p.file, p.line}, args...)...)
}

// The kinds of expressions.
type (
	literal  struct{ value Value }
	variable struct{ slot int }
	not      struct{ of expression }
	toReal   struct {
		of expression
		place
	}
	length      struct{ of expression }
	conditional struct{ condition, then, otherwise expression }
	// display makes a value of others: a sequence, a set, a tuple or a value of a datatype.
	display struct {
		values []expression
		of     func([]Value) Value
	}
	call struct {
		function *function
		args     []expression
	}
	apply struct {
		function expression
		args     []expression
	}
	field struct {
		of   expression
		name string
		place
	}
	element struct {
		of, at expression
		place
	}
	part struct {
		of, from, to expression
		place
	}
	update struct {
		of, at, value expression
		place
	}
	// let gives names to values; first is the slot of the first name.
	let struct {
		tuple  bool
		values []expression
		first  int
		body   expression
		place
	}
	match struct {
		of    expression
		cases []matchCase
		place
	}
	matchCase struct {
		constructor string
		first       int
		body        expression
	}
	quantifier struct {
		all        Bool
		slot       int
		over, body expression
		place
	}
	comprehension struct {
		slot                     int
		over, condition, element expression
	}
	// lambda is a function as a value. It keeps the names known where it stands.
	lambda struct {
		known, parameters int
		of                *function
		body              expression
	}
)

func (e *literal) eval(frame) Value    { return e.value }
func (e *variable) eval(f frame) Value { return f[e.slot] }
func (e *not) eval(f frame) Value      { return !truth(e.of, f) }

func (e *toReal) eval(f frame) Value {
	return Real{new(big.Rat).SetInt64(int64(as[Int](e.of.eval(f), e.place)))}
}

func (e *length) eval(f frame) Value { return Int(size(e.of.eval(f))) }

func (e *conditional) eval(f frame) Value {
	if truth(e.condition, f) {
		return e.then.eval(f)
	}
	return e.otherwise.eval(f)
}

func (e *display) eval(f frame) Value { return e.of(all(e.values, f)) }
func (e *call) eval(f frame) Value    { return e.function.call(all(e.args, f)) }

func (e *apply) eval(f frame) Value {
	c, ok := e.function.eval(f).(*closure)
	if !ok || c.lambda.parameters != len(e.args) {
		fail("what is called is no function of %d values", len(e.args))
	}

	// Each call has a frame of its own, because the body may give names to values.
	inner := make(frame, c.of.slots)
	copy(inner, c.seen)
	copy(inner[c.known:], all(e.args, f))
	return c.body.eval(inner)
}

func (e *lambda) eval(f frame) Value { return &closure{e, slices.Clone(f[:e.known])} }

func (e *field) eval(f frame) Value {
	d, ok := e.of.eval(f).(*Data)
	if !ok {
		e.fail("%s is asked of what has no fields", e.name)
	}
	if constructor, found := strings.CutSuffix(e.name, "?"); found {
		return Bool(d.Constructor == constructor)
	}
	if d.Constructor == "" {
		i, err := strconv.Atoi(e.name)
		if err != nil || i >= len(d.Fields) {
			e.fail("a tuple has no %s", e.name)
		}
		return d.Fields[i]
	}
	value, ok := d.Field(e.name)
	if !ok {
		e.fail("%s has no field %s", d.Constructor, e.name)
	}
	return value
}

func (e *element) eval(f frame) Value {
	at := e.at.eval(f)
	switch c := e.of.eval(f).(type) {
	case Seq:
		if i := as[Int](at, e.place); 0 <= i && int(i) < len(c) {
			return c[i]
		}
	case Map:
		if p, ok := c[at.key()]; ok {
			return p.to
		}
	}
	e.fail("nothing stands at %s", at.key())
	return nil
}

func (e *part) eval(f frame) Value {
	s := as[Seq](e.of.eval(f), e.place)
	from, to := 0, len(s)
	if e.from != nil {
		from = int(as[Int](e.from.eval(f), e.place))
	}
	if e.to != nil {
		to = int(as[Int](e.to.eval(f), e.place))
	}
	if from < 0 || from > to || to > len(s) {
		e.fail("a sequence of %d has no part from %d to %d", len(s), from, to)
	}
	return s[from:to:to] // appending to a part must not write into the whole
}

func (e *update) eval(f frame) Value {
	at, value := e.at.eval(f), e.value.eval(f)
	switch c := e.of.eval(f).(type) {
	case Seq:
		if i := as[Int](at, e.place); 0 <= i && int(i) < len(c) {
			c = slices.Clone(c)
			c[i] = value
			return c
		}
	case Map:
		c = maps.Clone(c)
		c[at.key()] = pair{at, value}
		return c
	}
	e.fail("nothing stands at %s", at.key())
	return nil
}

func (e *let) eval(f frame) Value {
	values := all(e.values, f)
	if e.tuple {
		values = as[*Data](values[0], e.place).Fields
	}
	copy(f[e.first:], values)
	return e.body.eval(f)
}

func (e *match) eval(f frame) Value {
	d := as[*Data](e.of.eval(f), e.place)
	for _, c := range e.cases {
		if c.constructor == d.Constructor {
			copy(f[c.first:], d.Fields)
			return c.body.eval(f)
		}
	}
	e.fail("no case for %s", d.Constructor)
	return nil
}

func (e *quantifier) eval(f frame) Value {
	if e.over == nil {
		e.fail("nothing says through which elements the quantifier goes")
	}
	for _, v := range elements(e.over.eval(f)) {
		f[e.slot] = v
		if truth(e.body, f) != e.all {
			return !e.all
		}
	}
	return e.all
}

func (e *comprehension) eval(f frame) Value {
	s := Set{}
	for _, v := range elements(e.over.eval(f)) {
		f[e.slot] = v
		if truth(e.condition, f) {
			found := e.element.eval(f)
			s[found.key()] = found
		}
	}
	return s
}

// all returns the values of expressions.
func all(list []expression, f frame) []Value {
	values := make([]Value, len(list))
	for i, e := range list {
		values[i] = e.eval(f)
	}
	return values
}

// truth returns the value of a condition.
func truth(e expression, f frame) Bool {
	b, ok := e.eval(f).(Bool)
	if !ok {
		fail("a condition is neither true nor false")
	}
	return b
}

// size returns how many elements a collection has.
func size(of Value) int {
	switch c := of.(type) {
	case Seq:
		return len(c)
	case Set:
		return len(c)
	case Map:
		return len(c)
	}
	fail("%T has no size", of)
	return 0
}
