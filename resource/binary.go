package resource

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// binary returns the amount of n × 2^shift, rounded away from zero to whole
// billionths and capped at ±(2^63-1) (rules 1.2.2 and 1.2.3). shift is a multiple of
// 10, up to 60. Between -1 and 1 the format is DecimalSI: nothing binary is left of
// such an amount (rule 1.2.8).
func (n number) binary(shift uint) Quantity {
	q := n.binaryShort(shift)

	// With a wide number the amount is above 2^63 billionths, far from 0.
	if q.exp < 0 && q.wide == nil && magnitude(q.mant) < pow10[-q.exp] {
		q.format = DecimalSI
	}
	return q
}

// binaryShort is binary, but the format is always BinarySI. It calculates with 128 bits, and
// leaves numbers that need more to binaryLong.
func (n number) binaryShort(shift uint) Quantity {
	if n.long || len(n.frac) > 18 {
		return n.binaryLong(shift)
	}

	// The amount is mag × 2^shift / unit. If high is not below unit, the quotient does
	// not fit 64 bits.
	high, low := bits.Mul64(n.mag, 1<<shift)
	unit := pow10[len(n.frac)]
	if high >= unit {
		return n.binaryCap()
	}

	whole, part := bits.Div64(high, low, unit)
	if part == 0 && whole <= math.MaxInt64 {
		return narrow(n.negative, whole, 0, BinarySI)
	}

	// nano is the fraction part / unit in billionths, rounded up. The division fits,
	// because part is below unit and so the quotient below 10^9.
	high, low = bits.Mul64(part, pow10[9])
	nano, left := bits.Div64(high, low, unit)
	if left > 0 {
		nano++
	}
	if nano == pow10[9] {
		whole, nano = whole+1, 0
	}

	if whole >= math.MaxInt64 {
		return n.binaryCap()
	}
	if whole < pow10[9] {
		return narrow(n.negative, whole*pow10[9]+nano, minExp, BinarySI)
	}
	return fromDigits(n.negative, wideOf(whole, nano), minExp, BinarySI)
}

// binaryCap returns the largest amount that a binary text stands for, with the sign of n.
func (n number) binaryCap() Quantity {
	return narrow(n.negative, math.MaxInt64, 0, BinarySI)
}

// maxBinaryFrac is the number of digits after the dot whose values matter for a binary
// amount. An amount with that many, times 2^60 × 10^9, is a multiple of
// 1 / (2 × 5^61). All later digits together add less than that, so they only decide
// whether there is a remainder to round up.
const maxBinaryFrac = 70

// binaryLong is binaryShort for any number of digits.
func (n number) binaryLong(shift uint) Quantity {
	whole, frac := strings.TrimLeft(n.whole, "0"), n.frac
	if len(whole) > 19 {
		return n.binaryCap()
	}

	// A single 1 stands for all further digits, unless all are 0. So the numbers stay short,
	// and the time linear in the length of the text.
	if len(frac) > maxBinaryFrac {
		rest := strings.TrimLeft(frac[maxBinaryFrac:], "0")
		frac = frac[:maxBinaryFrac]
		if rest != "" {
			frac += "1"
		}
	}

	nano, _ := new(big.Int).SetString("0"+whole+frac, 10) // at most 91 digits
	nano.Mul(nano.Lsh(nano, shift), big.NewInt(1e9))
	nano = divUp(nano, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(frac))), nil))

	limit := new(big.Int).Mul(big.NewInt(math.MaxInt64), big.NewInt(1e9))
	if nano.Cmp(limit) >= 0 {
		return n.binaryCap()
	}
	return fromDigits(n.negative, nano.Append(nil, 10), minExp, BinarySI)
}

// divUp returns a / b rounded up. Neither is negative. It writes to a.
func divUp(a, b *big.Int) *big.Int {
	quo, rem := a.QuoRem(a, b, new(big.Int))
	if rem.Sign() > 0 {
		quo.Add(quo, big.NewInt(1))
	}
	return quo
}
