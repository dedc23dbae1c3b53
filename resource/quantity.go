package resource

import (
	"bytes"
	"cmp"
	"math"
	"strconv"
)

// Quantity is an exact amount of something, with the [Format] it prints in.
// The zero value is 0 in DecimalSI. It is a small immutable value: copy it,
// return it, share it. Compare with [Quantity.Equal] or [Quantity.Cmp], not
// with ==, which also looks at the format and at how the amount is held.
//
// An amount is a whole number of billionths ("nano"), between -10^2147483647
// and 10^2147483647. Value, MilliValue, Sign and IsZero take constant time
// whatever the amount. Cmp and Equal take time linear in the number of digits
// that both amounts have, and constant time where the highest digits stand at
// different places.
type Quantity struct {
	// The amount is mant × 10^exp, unless wide is set. mant is never divisible by 10
	// (for the amount 0, mant and exp are both 0) and never the lowest int64; exp is
	// at least minExp. So equal amounts have the same digits and exponent.
	mant int64
	// wide holds the decimal digits of |mant|, the first and the last of them
	// not '0', where the number is above the largest int64; mant is then only
	// the sign, 1 or -1. The digits are never written to.
	wide   *digits
	exp    int32
	format Format
}

// Bounds of the decimal exponent.
const (
	minExp = -9            // nothing finer than nano is kept
	maxExp = math.MaxInt32 // no amount is above 10^maxExp
)

// New returns an amount of whole units in DecimalSI.
func New(units int64) Quantity { return narrow(units < 0, magnitude(units), 0, DecimalSI) }

// NewMilli returns an amount of thousandths in DecimalSI: millicores, say.
func NewMilli(milli int64) Quantity { return narrow(milli < 0, magnitude(milli), -3, DecimalSI) }

// NewBinary returns an amount of whole units, usually bytes, in BinarySI.
func NewBinary(bytes int64) Quantity { return narrow(bytes < 0, magnitude(bytes), 0, BinarySI) }

// narrow returns ±mag × 10^exp in the form that Quantity demands. exp is at
// least minExp.
func narrow(negative bool, mag uint64, exp int64, f Format) Quantity {
	if mag == 0 {
		return Quantity{format: f}
	}
	for mag%10 == 0 {
		mag /= 10
		exp++
	}
	if mag > math.MaxInt64 {
		return fromDigits(negative, strconv.AppendUint(nil, mag, 10), exp, f)
	}

	// Counting digits takes time, so it is done only close to the bound.
	if exp > maxExp-19 && exp+int64(countDigits(mag)) > maxExp {
		mag, exp = 1, maxExp
	}
	return Quantity{mant: signed(negative, mag), exp: int32(exp), format: f}
}

// fromDigits returns ±d × 10^exp in the form that Quantity demands, rounded away from
// zero to whole billionths and capped at 10^maxExp. It takes d over.
func fromDigits(negative bool, d digits, exp int64, f Format) Quantity {
	d, exp = d.trim(exp)
	if len(d) == 0 {
		return Quantity{format: f}
	}
	d, exp = d.roundUp(minExp, exp)

	sign := int64(1)
	if negative {
		sign = -1
	}
	if exp+int64(len(d)) > maxExp {
		return Quantity{mant: sign, exp: maxExp, format: f}
	}
	if mag, ok := d.uint64(); ok && mag <= math.MaxInt64 {
		return Quantity{mant: signed(negative, mag), exp: int32(exp), format: f}
	}

	// Without a copy the quantity would keep all memory behind d, perhaps for long.
	if cap(d) > 2*len(d) {
		d = bytes.Clone(d)
	}
	return Quantity{mant: sign, wide: &d, exp: int32(exp), format: f}
}

// Format returns the form that the amount prints in.
func (q Quantity) Format() Format { return q.format }

// Sign returns -1, 0 or 1.
func (q Quantity) Sign() int { return cmp.Compare(q.mant, 0) }

// IsZero reports whether the amount is 0.
func (q Quantity) IsZero() bool { return q.mant == 0 }

// Value returns the amount in whole units, rounded away from zero, or the
// nearest int64 if there are more.
func (q Quantity) Value() int64 { return q.scaled(0) }

// MilliValue returns the amount in thousandths, rounded away from zero, or
// the nearest int64 if there are more. It saturates by itself: an amount
// may have an exact Value and no exact MilliValue.
func (q Quantity) MilliValue() int64 { return q.scaled(3) }

// scaled returns the amount × 10^places, rounded away from zero, saturating.
// places is 0 or more.
func (q Quantity) scaled(places int64) int64 {
	exp := int64(q.exp) + places
	switch {
	case q.wide != nil:
		return signed(q.mant < 0, q.wide.whole(exp))
	case exp == 0:
		return q.mant
	case exp < 0: // down to -9, so that the unit fits
		// A mantissa does not end in 0, so that no unit divides it, and there is always something to round.
		return q.mant/int64(pow10[-exp]) + int64(q.Sign())
	case exp > 18: // 10^19 and more
		return signed(q.mant < 0, math.MaxUint64)
	}
	return MulSat(q.mant, int64(pow10[exp]))
}

// Cmp returns -1 if q is the smaller amount, 1 if o is, and 0 if they are
// equal, whatever their formats.
func (q Quantity) Cmp(o Quantity) int {
	switch {
	case q.Sign() != o.Sign():
		return cmp.Compare(q.mant, o.mant)
	case q.exp == o.exp && q.wide == nil && o.wide == nil:
		return cmp.Compare(q.mant, o.mant)
	}
	return q.Sign() * q.cmpMagnitude(o)
}

// cmpMagnitude compares |q| with |o|. Neither is 0. Where the first digits stand at
// the same place, the digits compare like words, because neither has trailing zeros.
func (q Quantity) cmpMagnitude(o Quantity) int {
	var qbuf, obuf [20]byte
	qd, od := q.digits(qbuf[:0]), o.digits(obuf[:0])
	qtop, otop := int64(q.exp)+int64(len(qd)), int64(o.exp)+int64(len(od))
	if qtop != otop {
		return cmp.Compare(qtop, otop)
	}
	return bytes.Compare(qd, od)
}

// digits returns the digits of |mant|. For a wide amount these are shared and must not
// be written; for a narrow one they are appended to buf.
func (q Quantity) digits(buf []byte) digits {
	if q.wide != nil {
		return *q.wide
	}
	return strconv.AppendUint(buf, magnitude(q.mant), 10)
}

// Equal reports whether q and o are the same amount. Formats do not matter:
// "1024Mi" equals "1Gi", and "1k" equals "1e3".
func (q Quantity) Equal(o Quantity) bool { return q.Cmp(o) == 0 }
