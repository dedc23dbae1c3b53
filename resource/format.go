package resource

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// ErrFormat is wrapped by errors about an unknown [Format].
var ErrFormat = errors.New("resource: not a format")

// Format is the form in which an amount prints. It says nothing about the
// amount itself.
type Format uint8

const (
	// DecimalSI prints with a decimal suffix or none: "500m", "12", "3G".
	DecimalSI Format = iota
	// DecimalExponent prints with a power of ten: "5e3".
	DecimalExponent
	// BinarySI prints with a binary suffix: "1536Mi".
	BinarySI
)

// String returns the name of the format's constant.
func (f Format) String() string {
	switch f {
	case DecimalSI:
		return "DecimalSI"
	case DecimalExponent:
		return "DecimalExponent"
	case BinarySI:
		return "BinarySI"
	}
	return "Format(" + strconv.Itoa(int(f)) + ")"
}

// MarshalText returns the name of the format's constant, and an error that wraps
// [ErrFormat] for any other value.
func (f Format) MarshalText() ([]byte, error) {
	if f > BinarySI {
		return nil, fmt.Errorf("%w: %v", ErrFormat, f)
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads what MarshalText returns. Any other text is an error that
// leaves f as it was.
func (f *Format) UnmarshalText(text []byte) error {
	for known := DecimalSI; known <= BinarySI; known++ {
		if string(text) == known.String() {
			*f = known
			return nil
		}
	}
	return fmt.Errorf("%w: %q is none of DecimalSI, DecimalExponent, BinarySI", ErrFormat, text)
}

// maxZeros is the number of zeros that may follow the digits of a decimal amount. An
// amount that needs more is printed with an exponent (rule 1.3.7).
const maxZeros = 10_000

// String returns the canonical text of the amount. It has no plus sign, no
// leading zeros and no fraction, and 0 is "0".
//
//   - DecimalSI takes the largest of the suffixes n, u, m, none, k, M, G, T, P
//     and E that leaves a whole number.
//   - DecimalExponent does the same with exponents in steps of three, without
//     an upper bound; the exponent 0 is left out.
//   - BinarySI divides by 1024 up to six times, while that leaves a whole
//     number. An amount below 1024, with a fraction, or beyond int64 is printed
//     as DecimalSI.
//
// Parsing the text yields an equal amount, and printing that yields the same
// text again, with two exceptions that the reference shares. The binary amount
// -2^63 prints as "-8Ei", which reads as -2^63+1. A binary amount from 1024 up that
// 1000 divides and 1024 does not is read back as a decimal: 2000 prints as
// "2000" without a suffix, and as "2k" from then on.
//
// The package comment lists where the text differs from the reference. The
// time is linear in the length of the text.
func (q Quantity) String() string {
	var buf [32]byte
	return string(q.appendTo(buf[:0]))
}

// appendTo appends the canonical text (group 1.3).
func (q Quantity) appendTo(b []byte) []byte {
	if q.IsZero() {
		return append(b, '0')
	}
	if q.mant < 0 {
		b = append(b, '-')
	}

	if q.format == BinarySI {
		if whole, ok := q.wholeBinary(); ok {
			return appendBinary(b, whole)
		}
	}
	if q.format == DecimalExponent || q.exp > 18+maxZeros {
		return q.appendExponent(b)
	}

	// The suffixes are the steps from -9 to 18, each with its letter; 0 has none.
	step := min(stepBelow(q.exp), 18)
	b = q.appendScaled(b, step)
	if step != 0 {
		b = append(b, "num kMGTPE"[(step+9)/3])
	}
	return b
}

// lowest is the magnitude of the lowest int64 in digits: it does not fit an int64.
var lowest = strconv.FormatUint(magnitude(math.MinInt64), 10)

// wholeBinary returns the magnitude to print in the binary format. ok is false for an
// amount that prints as decimal: below 1024, with a fraction, or beyond int64 (rule 1.3.5).
func (q Quantity) wholeBinary() (whole uint64, ok bool) {
	if q.wide != nil && q.mant < 0 && q.exp == 0 && string(*q.wide) == lowest {
		return magnitude(math.MinInt64), true
	}

	if q.wide != nil || q.exp < 0 || q.exp > 18 {
		return 0, false
	}
	mag := magnitude(q.mant)
	if mag > math.MaxInt64/pow10[q.exp] {
		return 0, false
	}
	mag *= pow10[q.exp]
	return mag, mag >= 1024
}

// appendBinary appends a whole number above 0, with the largest binary suffix that
// divides it.
func appendBinary(b []byte, mag uint64) []byte {
	power := 0
	for mag%1024 == 0 {
		mag /= 1024
		power++
	}
	b = strconv.AppendUint(b, mag, 10)
	if power > 0 {
		b = append(b, "KMGTPE"[power-1], 'i')
	}
	return b
}

// appendExponent appends |q| with an exponent (rule 1.3.3).
func (q Quantity) appendExponent(b []byte) []byte {
	step := stepBelow(q.exp)
	b = q.appendScaled(b, step)
	if step != 0 {
		b = append(b, 'e')
		b = strconv.AppendInt(b, int64(step), 10)
	}
	return b
}

// appendScaled appends |q| / 10^step, which is a whole number.
func (q Quantity) appendScaled(b []byte, step int32) []byte {
	if q.wide != nil {
		b = append(b, *q.wide...)
	} else {
		b = strconv.AppendUint(b, magnitude(q.mant), 10)
	}
	for range q.exp - step {
		b = append(b, '0')
	}
	return b
}

// stepBelow returns the largest multiple of three that is not above exp.
func stepBelow(exp int32) int32 { return exp - (exp%3+3)%3 }
