package dafny

import (
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// binary is an operator between two operands.
type binary struct {
	op          string
	left, right expression
	place
}

func (e *binary) eval(f frame) Value {
	// The right operand of these is looked at only where the left one leaves it open.
	switch e.op {
	case "&&":
		return truth(e.left, f) && truth(e.right, f)
	case "||":
		return truth(e.left, f) || truth(e.right, f)
	case "==>":
		return !truth(e.left, f) || truth(e.right, f)
	}

	v, w := e.left.eval(f), e.right.eval(f)
	switch e.op {
	case "==", "<==>":
		return Bool(equal(v, w))
	case "!=":
		return Bool(!equal(v, w))
	case "in":
		return e.contains(w, v)
	case "!in":
		return !e.contains(w, v)
	}

	switch v := v.(type) {
	case Int:
		return e.ofInts(v, as[Int](w, e.place))
	case Real:
		return e.ofReals(v, as[Real](w, e.place))
	case Set:
		return e.ofSets(v, as[Set](w, e.place))
	case Seq:
		if e.op == "+" {
			return slices.Concat(v, as[Seq](w, e.place))
		}
	}
	e.fail("%s is not known between these operands", e.op)
	return nil
}

// contains reports whether a value is in a collection.
func (e *binary) contains(collection, v Value) Bool {
	switch c := collection.(type) {
	case Seq:
		return Bool(slices.ContainsFunc(c, func(w Value) bool { return equal(v, w) }))
	case Set:
		_, ok := c[v.key()]
		return Bool(ok)
	case Map:
		_, ok := c[v.key()]
		return Bool(ok)
	}
	e.fail("%T has no elements", collection)
	return false
}

func (e *binary) ofInts(v, w Int) Value {
	switch e.op {
	case "<":
		return Bool(v < w)
	case "<=":
		return Bool(v <= w)
	case ">":
		return Bool(v > w)
	case ">=":
		return Bool(v >= w)
	case "+":
		return e.sum(v, w)
	case "-":
		if w == math.MinInt64 {
			e.fail("%d - %d has more than 64 bits", v, w)
		}
		return e.sum(v, -w)
	case "*":
		return e.product(v, w)
	}
	e.fail("%s is not known between integers", e.op)
	return nil
}

// sum adds up, and fails beyond 64 bits.
func (e *binary) sum(v, w Int) Int {
	if w > 0 && v > math.MaxInt64-w || w < 0 && v < math.MinInt64-w {
		e.fail("%d + %d has more than 64 bits", v, w)
	}
	return v + w
}

// product multiplies, and fails beyond 64 bits.
func (e *binary) product(v, w Int) Int {
	hi, lo := bits.Mul64(magnitude(v), magnitude(w))
	if hi != 0 || lo > math.MaxInt64 {
		e.fail("%d * %d has more than 64 bits", v, w)
	}
	return v * w
}

func magnitude(v Int) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

func (e *binary) ofReals(v, w Real) Value {
	switch e.op {
	case "<":
		return Bool(v.Cmp(w.Rat) < 0)
	case "<=":
		return Bool(v.Cmp(w.Rat) <= 0)
	case ">":
		return Bool(v.Cmp(w.Rat) > 0)
	case ">=":
		return Bool(v.Cmp(w.Rat) >= 0)
	case "+":
		return Real{new(big.Rat).Add(v.Rat, w.Rat)}
	case "-":
		return Real{new(big.Rat).Sub(v.Rat, w.Rat)}
	case "*":
		return Real{new(big.Rat).Mul(v.Rat, w.Rat)}
	case "/":
		if w.Sign() != 0 {
			return Real{new(big.Rat).Quo(v.Rat, w.Rat)}
		}
	}
	e.fail("%s is not known between these reals", e.op)
	return nil
}

func (e *binary) ofSets(v, w Set) Value {
	switch e.op {
	case "+":
		both := maps.Clone(v)
		maps.Copy(both, w)
		return both
	case "-":
		rest := maps.Clone(v)
		maps.DeleteFunc(rest, func(k string, _ Value) bool { _, ok := w[k]; return ok })
		return rest
	case "<=":
		return Bool(within(v, w))
	case "<":
		return Bool(within(v, w) && len(v) < len(w))
	}
	e.fail("%s is not known between sets", e.op)
	return nil
}

// within reports whether each element of v is in w.
func within(v, w Set) bool {
	for k := range v {
		if _, ok := w[k]; !ok {
			return false
		}
	}
	return true
}
