package resource_test

import (
	"math"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/resource"
)

// row is n digits, all the same.
func row(digit string, n int) string { return strings.Repeat(digit, n) }

// Amounts at 10^2147483647, the largest amount: just below they are exact,
// above they are the cap, and neither format nor sign is lost.
func TestParseAtTheCap(t *testing.T) {
	const most = "10e2147483646"
	for _, c := range []struct{ name, text, want string }{
		{"below, of few digits", "999999999999999999e2147483629", row("9", 18) + "0e2147483628"},
		{"below, of 19 digits", row("9", 19) + "e2147483628", row("9", 19) + "e2147483628"},
		{"below, of 20 digits", row("9", 20) + "e2147483627", row("9", 20) + "00e2147483625"},
		{"below, of 40 digits", row("9", 40) + "e2147483607", row("9", 40) + "e2147483607"},
		{"at the cap, of 18 digits", "100000000000000000e2147483630", most},
		{"at the cap, of 30 digits", "1" + row("0", 29) + "e2147483618", most},
		{"above, of 18 digits", "100000000000000001e2147483630", most},
		{"above, of 20 digits", "10000000000000000001e2147483628", most},
		{"above, of 40 digits", "1" + row("0", 38) + "1e2147483608", most},
		{"far above, of 20 digits", row("9", 20) + "e9223372036854775807", most},
		{"negative", "-" + row("9", 20) + "e2147483628", "-" + most},
		{"negative, below", "-" + row("9", 20) + "e2147483627", "-" + row("9", 20) + "00e2147483625"},
		{"an exponent above, undone by zeros", "0." + row("0", 10) + "1e2147483657", "1e2147483646"},
		{"an exponent far above, not undone", "0." + row("0", 10) + "1e2147483659", most},
		{"a fraction with the least exponent", "1.5e-9223372036854775808", "1e-9"},
		{"a long fraction with the least exponent", "0." + row("7", 40) + "e-9223372036854775808", "1e-9"},
	} {
		q, err := resource.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := q.String(); got != c.want {
			t.Errorf("%s: Parse(%q) = %s, want %s", c.name, c.text, got, c.want)
		}
		if q.Format() != resource.DecimalExponent {
			t.Errorf("%s: Parse(%q) is %v, want DecimalExponent", c.name, c.text, q.Format())
		}
		if back := resource.MustParse(q.String()); !back.Equal(q) {
			t.Errorf("%s: %s comes back as %s", c.name, q, back)
		}
	}
}

// A sum that would pass the cap is the cap, also where it fits an int64 but for
// its exponent.
func TestSumAtTheCap(t *testing.T) {
	const most = "10e2147483646"
	for _, c := range []struct{ name, a, b, want string }{
		{"18 digits and 18 digits", "999999999999999999e2147483629", "999999999999999999e2147483629", most},
		{"one more than nines", "999999999999999999e2147483629", "1e2147483629", most},
		{"one less", "999999999999999998e2147483629", "1e2147483629", row("9", 18) + "0e2147483628"},
		{"two halves", "5e2147483646", "5e2147483646", most},
		{"the cap and a little", "1e2147483647", "1", most},
		{"the cap and the cap", "1e2147483647", "1e2147483647", most},
		{"the cap without a little is the cap", "1e2147483647", "-1", most},
		{"the cap without the cap", "1e2147483647", "-1e2147483647", "0"},
		{"the cap without a tenth", "1e2147483647", "-1e2147483646", "9e2147483646"},
		{"the cap without a part of 20 digits", "1e2147483647", "-1e2147483627", row("9", 20) + "00e2147483625"},
		{"20 digits to the cap", row("9", 20) + "e2147483627", "1e2147483627", most},
		{"20 digits beyond the cap", row("9", 20) + "e2147483627", "2e2147483627", most},
		{"negative", "-999999999999999999e2147483629", "-1e2147483629", "-" + most},
	} {
		a, b := resource.MustParse(c.a), resource.MustParse(c.b)
		for how, got := range map[string]resource.Quantity{"a + b": a.Add(b), "b + a": b.Add(a), "a - -b": a.Sub(b.Sub(b).Sub(b))} {
			if got.String() != c.want {
				t.Errorf("%s: %s = %s, want %s", c.name, how, got, c.want)
			}
		}
	}
	capped := resource.MustParse(row("9", 40)).Add(resource.MustParse("1e2147483647"))
	if capped.Format() != resource.DecimalSI {
		t.Errorf("a sum at the cap is %v, want the format of the first, DecimalSI", capped.Format())
	}
}

// Counting stops at the ends of int64, one unit after the other.
func TestCountAtTheCap(t *testing.T) {
	for _, c := range []struct {
		text         string
		value, milli int64
	}{
		{"9223372036854775806", math.MaxInt64 - 1, math.MaxInt64},
		{"9223372036854775806.1", math.MaxInt64, math.MaxInt64},
		{"9223372036854775807", math.MaxInt64, math.MaxInt64},
		{"9223372036854775808", math.MaxInt64, math.MaxInt64},
		{"-9223372036854775807", -math.MaxInt64, math.MinInt64},
		{"-9223372036854775807.1", math.MinInt64, math.MinInt64},
		{"-9223372036854775808", math.MinInt64, math.MinInt64},
		{"-9223372036854775809", math.MinInt64, math.MinInt64},
		{"9e18", 9e18, math.MaxInt64},
		{"9e15", 9e15, 9e18},
		{"1e19", math.MaxInt64, math.MaxInt64},
		{"9223372036854775.806", 9223372036854776, math.MaxInt64 - 1},
		{"9223372036854775.8061", 9223372036854776, math.MaxInt64},
		{"9223372036854775.808", 9223372036854776, math.MaxInt64},
		{"-9223372036854775.808", -9223372036854776, math.MinInt64},
		{"-9223372036854775.8081", -9223372036854776, math.MinInt64},
		{"1e2147483647", math.MaxInt64, math.MaxInt64},
		{"-1e2147483647", math.MinInt64, math.MinInt64},
	} {
		q := resource.MustParse(c.text)
		if q.Value() != c.value || q.MilliValue() != c.milli {
			t.Errorf("%s: value %d, milli %d; want %d, %d", c.text, q.Value(), q.MilliValue(), c.value, c.milli)
		}
	}
}

// The largest amounts that a form can print. A binary amount is printed as one
// as long as it fits an int64, also without a suffix; a decimal one gets at most
// 10,000 zeros behind its digits.
func TestPrintAtTheCap(t *testing.T) {
	for _, c := range []struct {
		name string
		q    resource.Quantity
		want string
	}{
		{"the largest binary", resource.NewBinary(math.MaxInt64), "9223372036854775807"},
		{"the largest in thousands", resource.NewBinary(9223372036854775000), "9223372036854775000"},
		{"the largest in thousands, negative", resource.NewBinary(-9223372036854775000), "-9223372036854775000"},
		{"the next", resource.NewBinary(9223372036854775000).Add(resource.New(1000)), "9223372036854776k"},
		{"the largest in millions", resource.NewBinary(9223372036854000000), "9223372036854000000"},
		{"of a single digit", resource.NewBinary(9e18), "8789062500000000Ki"},
		{"of a single digit, beyond", resource.NewBinary(9e18).Add(resource.New(1e18)), "10E"},
		{"the largest suffix", resource.NewBinary(7 << 60), "7Ei"},
		{"the largest suffix and one", resource.NewBinary(7 << 60).Add(resource.New(1 << 60)), "9223372036854775808"},
		{"the lowest int64", resource.NewBinary(math.MinInt64), "-8Ei"},
		{"the lowest int64 as a sum", resource.MustParse("-8Ei").Sub(resource.New(1)), "-8Ei"},
		{"and one lower", resource.MustParse("-8Ei").Sub(resource.New(2)), "-9223372036854775809"},
		{"the lowest int64, decimal", resource.New(math.MinInt64), "-9223372036854775808"},
		{"10,000 zeros", resource.New(1e18).Add(resource.MustParse("1" + row("0", 10018))).Sub(resource.New(1e18)), "1" + row("0", 10_000) + "E"},
		{"10,001 zeros", resource.New(1e18).Add(resource.MustParse("1" + row("0", 10019))).Sub(resource.New(1e18)), "100e10017"},
	} {
		if got := c.q.String(); got != c.want {
			t.Errorf("%s: %.60s (%d bytes), want %.60s (%d bytes)", c.name, got, len(got), c.want, len(c.want))
		}
	}
}
