package resource_test

import (
	"strings"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/resource"
)

func TestZeroQuantity(t *testing.T) {
	var q resource.Quantity
	if q.String() != "0" || !q.IsZero() || q.Sign() != 0 || q.Value() != 0 || q.MilliValue() != 0 {
		t.Errorf("the zero Quantity is %v, sign %d", q, q.Sign())
	}
	if !q.Equal(resource.MustParse("-0.00Ki")) || q.Format() != resource.DecimalSI {
		t.Errorf("the zero Quantity is not 0 in DecimalSI")
	}
}

// ascending is in order of the amount.
var ascending = []string{
	"-1e2147483647", "-1e2147483646", "-1e100000", "-" + strings.Repeat("9", 400), "-9.3E", "-8Ei",
	"-1", "-999999999n", "-1n", "0", "1n", "999m", "1", "1000000001n", "10", "1k", "1Ki",
	"9223372036854775806", "9223372036854775807", "9223372036854775807000000001n", "9223372036854775808",
	strings.Repeat("9", 400), "1e400", "1e100000", "2e100000", "99e2000000000", "1e2147483646", "1e2147483647",
}

func TestCmp(t *testing.T) {
	for i, a := range ascending {
		for j, b := range ascending {
			want := 0
			if i < j {
				want = -1
			} else if i > j {
				want = 1
			}
			if got := resource.MustParse(a).Cmp(resource.MustParse(b)); got != want {
				t.Errorf("Cmp(%.30s, %.30s) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestEqualIgnoresFormat(t *testing.T) {
	same := []string{"1024Mi", "1Gi", "1073741824", "1073741824e0", "1073741824000m", "+1.073741824e9"}
	for _, a := range same {
		for _, b := range same {
			if diff := testdiff.Diff(resource.MustParse(a), resource.MustParse(b)); diff != "" {
				t.Errorf("testdiff.Diff(%s, %s): %s", a, b, diff)
			}
		}
	}
}

func TestAdd(t *testing.T) {
	for _, tt := range []struct{ a, b, sum, why string }{
		{"1Gi", "1G", "2073741824", "the receiver's format, for which this has no suffix"},
		{"1G", "1Gi", "2073741824", ""},
		{"1Gi", "1024Mi", "2Gi", ""},
		{"0", "1Gi", "1Gi", "0 takes the other's format"},
		{"0Ki", "1e3", "1e3", ""},
		{"1e3", "0Ki", "1e3", ""},
		{"1Gi", "-1Gi", "0", ""},
		{"1n", "1E", "1000000000000000000000000001n", ""},
		{"9223372036854775807", "1", "9223372036854775808", "no longer an int64"},
		{"9223372036854775808", "-1", "9223372036854775807", "and back"},
		{"8Ei", "1Ki", "9223372036854776831", "only a text is capped, not a sum; it prints as decimal"},
		{"8Ei", "1", "9223372036854775808", ""},
		{"4882812500000000Ki", "4199218750000000Ki", "9300P", "5,000 P and 4,300 P, above what binary may show"},
		{"10000Ki", "12345678901234567890e4", "123456789012345689140k", ""},
		{"1e100000", "-1e100000", "0", "gigantic amounts cancel"},
		{"9e2147483646", "1e2147483646", "10e2147483646", "the cap is reached exactly"},
		{"9e2147483646", "9e2147483646", "10e2147483646", "and not passed"},
		{"1e1000", "1", "1" + strings.Repeat("0", 999) + "1", "exact up to a gap of 1,000 places"},
		{"1e1001", "1", "1" + strings.Repeat("0", 1000) + "1", ""},
		{"1e1002", "1", "1e1002", "beyond it the larger is the sum"},
		{"1", "1e1002", "1" + strings.Repeat("0", 984) + "E", "in the receiver's format"},
		{"1", "1e100000", "10e99999", "which gives way to an exponent after 10,000 zeros"},
		{"1Ki", "-1e2000000000", "-100e1999999998", ""},
	} {
		got := resource.MustParse(tt.a).Add(resource.MustParse(tt.b))
		if got.String() != tt.sum {
			t.Errorf("%s + %s = %.50s, want %.50s (%s)", tt.a, tt.b, got, tt.sum, tt.why)
		}
	}
}

// TestSumOfLongDigitsIsExact: digits that overlap are never given up, however
// many there are.
func TestSumOfLongDigitsIsExact(t *testing.T) {
	long := resource.MustParse(strings.Repeat("7", 2_000_000))
	more := long.Add(resource.New(5))
	if got := more.Sub(long); !got.Equal(resource.New(5)) {
		t.Errorf("(long + 5) - long = %.40s, want 5", got)
	}
	if got := long.Sub(more); got.Value() != -5 {
		t.Errorf("long - (long + 5) = %.40s, want -5", got)
	}
}

func TestArithmeticDoesNotAllocate(t *testing.T) {
	a, b := resource.MustParse("1.5Gi"), resource.MustParse("300m")
	far := resource.MustParse("7e1000000")
	if n := testing.AllocsPerRun(100, func() {
		_, _, _ = a.Add(b), a.Sub(b), b.Sub(a)
		_, _, _ = a.Cmp(b), far.Cmp(a), far.Equal(b)
		_, _, _ = a.Value(), b.MilliValue(), far.Value()
	}); n != 0 {
		t.Errorf("arithmetic allocates %v times, want 0", n)
	}
}

func TestFormatString(t *testing.T) {
	for f, want := range map[resource.Format]string{
		resource.DecimalSI: "DecimalSI", resource.DecimalExponent: "DecimalExponent", resource.BinarySI: "BinarySI", 7: "Format(7)",
	} {
		if got := f.String(); got != want {
			t.Errorf("Format(%d).String() = %q, want %q", uint8(f), got, want)
		}
	}
}
