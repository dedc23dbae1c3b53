package resource_test

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/resource"
)

// The oracle reads, rounds and prints with math/big.Rat, one plain step after
// the other, and shares nothing with the package.

// slow is the oracle's quantity.
type slow struct {
	amount *big.Rat
	format resource.Format
}

var grammar = regexp.MustCompile(`^([+-]?)([0-9]*)(?:\.([0-9]*))?([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$`)

// readSlowly reads a quantity whose exponent is small.
func readSlowly(text string) (q slow, ok bool) {
	m := grammar.FindStringSubmatch(text)
	if text == "" || m == nil {
		return slow{}, false
	}
	sign, digits, suffix := m[1], m[2]+m[3], m[4]
	scale, format, exp, ok := suffixSlowly(suffix)
	if !ok {
		return slow{}, false
	}
	if digits == "" {
		if suffix == "Pi" || suffix == "Ei" || exp < -9 {
			return slow{}, false
		}
		digits = "0"
	}
	number, _ := new(big.Int).SetString(digits, 10)
	amount := new(big.Rat).SetInt(number)
	amount.Mul(amount, scale)
	amount.Mul(amount, power(10, -len(m[3])))
	amount = roundNano(amount)
	if format == resource.BinarySI {
		if largest := rat(math.MaxInt64); amount.Cmp(largest) > 0 {
			amount = largest
		}
		if amount.Sign() > 0 && amount.Cmp(rat(1)) < 0 {
			format = resource.DecimalSI
		}
	}
	if sign == "-" {
		amount.Neg(amount)
	}
	return slow{amount, format}, true
}

func suffixSlowly(s string) (scale *big.Rat, f resource.Format, exp int, ok bool) {
	switch {
	case strings.HasSuffix(s, "i"):
		return power(1024, 1+strings.Index("KMGTPE", s[:1])), resource.BinarySI, 0, true
	case len(s) > 1:
		exp, err := strconv.Atoi(s[1:])
		return power(10, exp), resource.DecimalExponent, exp, err == nil
	}
	exp = map[string]int{"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}[s]
	return power(10, exp), resource.DecimalSI, exp, true
}

// printSlowly tries the suffixes from the largest down, and the exponents from
// the smallest up.
func printSlowly(q slow) string {
	switch q.format {
	case resource.BinarySI:
		if size := new(big.Rat).Abs(q.amount); size.IsInt() && size.Cmp(rat(1024)) >= 0 && q.amount.Num().IsInt64() {
			for i, s := range []string{"Ei", "Pi", "Ti", "Gi", "Mi", "Ki", ""} {
				if r := new(big.Rat).Quo(q.amount, power(1024, 6-i)); r.IsInt() {
					return r.RatString() + s
				}
			}
		}
	case resource.DecimalExponent:
		if q.amount.Sign() == 0 {
			return "0"
		}
		exp := -9
		for new(big.Rat).Quo(q.amount, power(10, exp+3)).IsInt() {
			exp += 3
		}
		number := new(big.Rat).Quo(q.amount, power(10, exp)).RatString()
		return strings.TrimSuffix(number+"e"+strconv.Itoa(exp), "e0")
	}
	if q.amount.Sign() == 0 {
		return "0"
	}
	for i, s := range []string{"E", "P", "T", "G", "M", "k", "", "m", "u", "n"} {
		if r := new(big.Rat).Quo(q.amount, power(10, 18-3*i)); r.IsInt() {
			return r.RatString() + s
		}
	}
	panic("finer than nano")
}

// countSlowly is the amount × scale, away from zero, saturating.
func countSlowly(amount *big.Rat, scale int64) int64 {
	n := roundAway(new(big.Rat).Mul(amount, rat(scale)))
	switch {
	case n.IsInt64():
		return n.Int64()
	case n.Sign() > 0:
		return math.MaxInt64
	}
	return math.MinInt64
}

func rat(v int64) *big.Rat { return new(big.Rat).SetInt64(v) }

func power(base int64, exp int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(exp, -exp))), nil))
	if exp < 0 {
		p.Inv(p)
	}
	return p
}

func roundNano(r *big.Rat) *big.Rat {
	nano := roundAway(new(big.Rat).Mul(r, rat(1e9)))
	return new(big.Rat).SetFrac(nano, big.NewInt(1e9))
}

func roundAway(r *big.Rat) *big.Int {
	n, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	return n.Add(n, big.NewInt(int64(rest.Sign())))
}

// Generators.

var suffixes = []string{
	"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
	"e0", "E-3", "e+2", "e3", "e-9", "e-12", "E18", "e40", "e300", "e-300",
}

// digitsOf draws digit rows, short ones and ones around the lengths where the
// package changes its way of counting; zeros and nines abound.
func digitsOf() *rapid.Generator[string] {
	digit := rapid.SampledFrom([]rune("0123456789000999"))
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.OneOf(rapid.IntRange(0, 22), rapid.SampledFrom([]int{0, 17, 18, 19, 20, 40, 90})).Draw(t, "length")
		return rapid.StringOfN(digit, n, n, -1).Draw(t, "digits")
	})
}

// texts draws quantities that follow the grammar.
func texts() *rapid.Generator[string] {
	edges := []string{
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		"8Ei", "-8Ei", "7.9999999999999999999Ei", "9223372036854775.807", "0.0000000001", "999999999999999999999n",
	}
	return rapid.OneOf(
		rapid.SampledFrom(edges),
		rapid.Custom(func(t *rapid.T) string {
			text := rapid.SampledFrom([]string{"", "", "-", "+"}).Draw(t, "sign") + digitsOf().Draw(t, "whole")
			if rapid.Bool().Draw(t, "dot") {
				text += "." + digitsOf().Draw(t, "frac")
			}
			return text + rapid.SampledFrom(suffixes).Draw(t, "suffix")
		}),
	)
}

var monster = regexp.MustCompile(`[eE][+-]?0*[1-9][0-9]{4}`)

// anything draws texts of all sorts, except for exponents that the oracle would
// write out in full.
func anything() *rapid.Generator[string] {
	return rapid.OneOf(texts(), damaged(), rapid.String()).Filter(func(s string) bool { return !monster.MatchString(s) })
}

// damaged draws quantities with one character put in or taken out.
func damaged() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := []rune(texts().Draw(t, "text"))
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		if at < len(text) && rapid.Bool().Draw(t, "take out") {
			return string(text[:at]) + string(text[at+1:])
		}
		extra := rapid.SampledFrom([]string{" ", "_", ",", ".", "-", "+", "i", "K", "k", "٣", "\x00", "\xff", "0"}).Draw(t, "extra")
		return string(text[:at]) + extra + string(text[at:])
	})
}

// quantities draws amounts together with the oracle's value for them.
func quantities() *rapid.Generator[pair] {
	return rapid.Custom(func(t *rapid.T) pair {
		text := texts().Filter(func(s string) bool { _, ok := readSlowly(s); return ok }).Draw(t, "text")
		want, _ := readSlowly(text)
		return pair{text, resource.MustParse(text), want}
	})
}

type pair struct {
	text string
	fast resource.Quantity
	slow slow
}
