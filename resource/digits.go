package resource

import (
	"bytes"
	"math"
	"strconv"
)

// digits is a whole number above 0 as its decimal digits, most significant
// first. It serves amounts that are too long for an int64. Everything that the
// package does with them is one pass over the digits; a conversion to binary and
// back would take time quadratic in their number.
type digits []byte

// pow10 holds the powers of ten that fit uint64.
var pow10 = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = 10 * p[i-1]
	}
	return p
}()

// countDigits returns the number of decimal digits of v, which is above 0.
func countDigits(v uint64) int {
	n := 1
	for n < len(pow10) && v >= pow10[n] {
		n++
	}
	return n
}

// trim takes the zeros off both ends of d × 10^exp. The number 0 becomes empty.
func (d digits) trim(exp int64) (digits, int64) {
	d = bytes.TrimLeft(d, "0")
	short := bytes.TrimRight(d, "0")
	return short, exp + int64(len(d)-len(short))
}

// roundUp rounds d × 10^exp up to a multiple of 10^least. d has no zeros at
// its ends, and neither has the result. It writes to d.
func (d digits) roundUp(least, exp int64) (digits, int64) {
	drop := least - exp
	if drop <= 0 {
		return d, exp
	}

	// The last digit is not 0, so the dropped part is not 0 either, and the rest
	// goes up by one. Nines at its end become zeros, which are not kept.
	d = d[:max(0, int64(len(d))-drop)]
	kept := bytes.TrimRight(d, "9")
	least += int64(len(d) - len(kept))
	if len(kept) == 0 {
		return digits{'1'}, least
	}
	kept[len(kept)-1]++
	return kept, least
}

// uint64 returns the number, if it has at most 19 digits.
func (d digits) uint64() (mag uint64, ok bool) {
	if len(d) > 19 {
		return 0, false
	}
	for _, c := range d {
		mag = 10*mag + uint64(c-'0')
	}
	return mag, true
}

// whole returns d × 10^exp rounded up to a whole number if that fits in an int64,
// and some number above the largest int64 if it does not. d itself is above it,
// and does not end in 0.
func (d digits) whole(exp int64) uint64 {
	if exp >= 0 {
		return math.MaxUint64
	}

	// The digits after the dot are not all 0, so the number rounds up.
	mag, ok := d[:max(0, int64(len(d))+exp)].uint64()
	if !ok {
		return math.MaxUint64
	}
	return mag + 1
}

// add adds o × 10^shift to d in place. d must be long enough for the sum; it may begin
// with zeros.
func (d digits) add(o digits, shift int) {
	i, carry := len(d)-1-shift, byte(0)
	for j := len(o) - 1; j >= 0 || carry > 0; j-- {
		sum := d[i] + carry
		if j >= 0 {
			sum += o[j] - '0'
		}
		carry = 0
		if sum > '9' {
			sum, carry = sum-10, 1
		}
		d[i] = sum
		i--
	}
}

// sub subtracts o × 10^shift from d in place. d must not be the smaller of the two.
func (d digits) sub(o digits, shift int) {
	i, borrow := len(d)-1-shift, byte(0)
	for j := len(o) - 1; j >= 0 || borrow > 0; j-- {
		take := borrow
		if j >= 0 {
			take += o[j] - '0'
		}
		borrow = 0
		if d[i] < '0'+take {
			d[i], borrow = d[i]+10, 1
		}
		d[i] -= take
		i--
	}
}

// wideOf returns the digits of a number given in two parts, high × 10^9 + low,
// where low is below 10^9.
func wideOf(high, low uint64) digits {
	d := strconv.AppendUint(make([]byte, 0, 32), high, 10)

	// The leading 1 keeps the zeros at the front of low.
	tail := strconv.AppendUint(nil, pow10[9]+low, 10)
	return append(d, tail[1:]...)
}
