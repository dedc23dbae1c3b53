package resource

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrSyntax is wrapped by every error about a text that is not a quantity.
var ErrSyntax = errors.New("resource: not a quantity")

// Parse reads a quantity:
//
//	quantity = [ "+" | "-" ] { digit } [ "." { digit } ] [ suffix ]
//	suffix   = "Ki" | "Mi" | "Gi" | "Ti" | "Pi" | "Ei"
//	         | "n" | "u" | "m" | "k" | "M" | "G" | "T" | "P" | "E"
//	         | ( "e" | "E" ) [ "+" | "-" ] digit { digit }
//
// The suffix decides the format: binary (decimal for amounts between -1 and 1),
// decimal (also without a suffix) or exponent. "E" without digits after it is
// exa. The empty text is refused, and so is an exponent that does not fit
// int64. A text without any digit before the suffix, like "." or "Gi", is 0, but
// is refused with Pi, Ei or an exponent below -9, as in the reference (rule
// 1.1.6).
//
// Reading is exact. Fractions of a billionth are rounded away from zero. Binary
// amounts are limited to ±(2^63-1), others to ±10^2147483647. The error wraps
// [ErrSyntax] and quotes the text, or the beginning of a long one.
//
// The time is linear in the length of the text, whatever the exponent, and
// texts of up to 18 digits allocate nothing.
func Parse(text string) (Quantity, error) {
	n, rest := scan(text)
	u, ok := parseSuffix(rest)
	switch {
	case text == "":
		return Quantity{}, refuse(text, "it is empty")
	case !ok:
		return Quantity{}, refuse(text, "unknown suffix")
	case len(n.whole)+len(n.frac) == 0 && (u.exp < minExp || u.shift >= 50):
		return Quantity{}, refuse(text, "no digits")
	case u.format == BinarySI:
		return n.binary(u.shift), nil
	}
	return n.decimal(u), nil
}

// MustParse is [Parse] for texts that are known to be valid: literals and
// tests. It panics if Parse returns an error, so it must not be used for input.
func MustParse(text string) Quantity {
	q, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return q
}

// maxQuoted is how many bytes of a text an error quotes.
const maxQuoted = 64

// refuse returns the error about a text. It quotes the beginning of a long one, cut
// between two characters.
func refuse(text, why string) error {
	if len(text) > maxQuoted {
		cut := maxQuoted
		for cut > maxQuoted-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return fmt.Errorf("%w: %q… (%d bytes): %s", ErrSyntax, text[:cut], len(text), why)
	}
	return fmt.Errorf("%w: %q: %s", ErrSyntax, text, why)
}

// number is the part of a text before its suffix.
type number struct {
	negative bool
	// whole and frac are the digits before and after the dot.
	whole, frac string
	// mag is whole and frac read as one number. long is set if they have more
	// than 18 digits after the leading zeros; mag is then not used.
	mag  uint64
	long bool
}

// scan splits a text into its number and the rest, which has to be a suffix.
func scan(text string) (n number, rest string) {
	start := 0
	if text != "" && (text[0] == '+' || text[0] == '-') {
		n.negative = text[0] == '-'
		start = 1
	}

	i, dot := start, -1
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && dot < 0 {
			dot = i
			continue
		}
		if c < '0' || c > '9' {
			break
		}

		// A 19th digit might not fit.
		if n.mag >= pow10[17] {
			n.long = true
			continue
		}
		n.mag = 10*n.mag + uint64(c-'0')
	}

	if dot < 0 {
		n.whole = text[start:i]
	} else {
		n.whole, n.frac = text[start:dot], text[dot+1:i]
	}
	return n, text[i:]
}

// unit is the meaning of a suffix: 10^exp, or 2^shift if it is binary.
type unit struct {
	format Format
	exp    int64
	shift  uint
}

// parseSuffix reads a suffix, the empty one included (rule 1.1.3).
func parseSuffix(s string) (u unit, ok bool) {
	switch {
	case s == "":
		return unit{}, true
	case len(s) == 1:
		exp, ok := decimalExponentOf(s[0])
		return unit{exp: exp}, ok
	case len(s) == 2 && s[1] == 'i':
		power := strings.IndexByte("KMGTPE", s[0]) + 1 // 0 for another letter
		return unit{format: BinarySI, shift: uint(10 * power)}, power > 0
	case s[0] == 'e' || s[0] == 'E':
		exp, err := strconv.ParseInt(s[1:], 10, 64)

		// The exponent is held to a range where adding the length of a text to it cannot
		// overflow. Beyond the range every amount is capped, or rounded up to a billionth.
		exp = min(max(exp, -1<<60), 1<<60)
		return unit{format: DecimalExponent, exp: exp}, err == nil
	}
	return unit{}, false
}

// decimalExponentOf returns the power of ten that a decimal suffix stands for.
func decimalExponentOf(suffix byte) (exp int64, ok bool) {
	switch suffix {
	case 'n':
		return -9, true
	case 'u':
		return -6, true
	case 'm':
		return -3, true
	case 'k':
		return 3, true
	case 'M':
		return 6, true
	case 'G':
		return 9, true
	case 'T':
		return 12, true
	case 'P':
		return 15, true
	case 'E':
		return 18, true
	}
	return 0, false
}

// decimal returns the amount of n × 10^u.exp, rounded away from zero to whole billionths.
func (n number) decimal(u unit) Quantity {
	exp := u.exp - int64(len(n.frac))
	if n.long {
		return fromDigits(n.negative, n.digits(), exp, u.format)
	}

	// drop is the number of places below a billionth. If there are more than 18, all of mag
	// is below a billionth, and rounds up to 1 unless it is 0.
	mag := n.mag
	if drop := minExp - exp; drop > 18 {
		mag, exp = min(mag, 1), minExp
	} else if drop > 0 {
		mag, exp = (mag+pow10[drop]-1)/pow10[drop], minExp
	}
	return narrow(n.negative, mag, exp, u.format)
}

// digits returns the digits before and after the dot in one new slice.
func (n number) digits() digits {
	d := make(digits, 0, len(n.whole)+len(n.frac))
	d = append(d, n.whole...)
	return append(d, n.frac...)
}
