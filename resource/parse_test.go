package resource_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/resource"
)

func TestParse(t *testing.T) {
	const maxInt = 1<<63 - 1
	for _, tt := range []struct {
		text  string
		want  string // canonical text
		value int64
		milli int64
		why   string
	}{
		{"0", "0", 0, 0, ""},
		{"-0", "0", 0, 0, "there is one zero"},
		{"+5", "5", 5, 5000, "no plus sign is printed"},
		{"00001", "1", 1, 1000, ""},
		{"1.", "1", 1, 1000, "nothing is needed after the dot"},
		{".5", "500m", 1, 500, "nor before it"},
		{".", "0", 0, 0, "nor on both sides"},
		{"-.", "0", 0, 0, ""},
		{"e3", "0", 0, 0, "the digits may be missing altogether"},
		{"Ti", "0", 0, 0, ""},
		{"+", "0", 0, 0, ""},
		{"500m", "500m", 1, 500, ""},
		{"1000m", "1", 1, 1000, ""},
		{"1000k", "1M", 1e6, 1e9, ""},
		{"0.5m", "500u", 1, 1, "Value and MilliValue round away from zero"},
		{"-1.5m", "-1500u", -1, -2, "below zero too"},
		{"-1500.5", "-1500500m", -1501, -1500500, ""},
		{"1n", "1n", 1, 1, ""},
		{"0.1n", "1n", 1, 1, "nothing finer than nano is kept"},
		{"-1.0000000001", "-1000000001n", -2, -1001, "finer than nano goes away from zero"},
		{"0.9999999999", "1", 1, 1000, "and may carry all the way"},
		{"999999999.9999999999999", "1G", 1e9, 1e12, "also where the digits are many"},
		{"1e3", "1e3", 1000, 1e6, ""},
		{"1E3", "1e3", 1000, 1e6, "the canonical exponent is lower case"},
		{"1e+2", "100", 100, 1e5, "exponents go in steps of three, and 0 is left out"},
		{"1e-10", "1e-9", 1, 1, ""},
		{"1E", "1E", 1e18, maxInt, "E alone is exa"},
		{"12E", "12E", maxInt, maxInt, "counting saturates, where the reference wraps"},
		{"-12E", "-12E", -maxInt - 1, -maxInt - 1, ""},
		{"1e20", "100e18", maxInt, maxInt, "exponents have no upper bound"},
		{"1e00000000000000000000000003", "1e3", 1000, 1e6, ""},
		{"4746902032030000E", "4746902032030000E", maxInt, maxInt, "the reference loses the suffix here"},
		{"1Ki", "1Ki", 1024, 1024000, ""},
		{"1.5Gi", "1536Mi", 1610612736, 1610612736000, ""},
		{"1024Mi", "1Gi", 1 << 30, 1000 << 30, ""},
		{"0.1Ki", "102400m", 103, 102400, "a binary amount with a fraction prints as decimal"},
		{"0.5Ki", "512", 512, 512000, "and so does one below 1024"},
		{"0.9765625Ki", "1k", 1000, 1e6, ""},
		{"1.953125Ki", "2000", 2000, 2e6, "while this one is binary with no suffix left"},
		{"0.5" + strings.Repeat("0", 80) + "Ki", "512", 512, 512000, "digits beyond the 70th that are all 0 leave nothing to round up"},
		{"0.5" + strings.Repeat("0", 79) + "1Ki", "512000000001n", 513, 512001, "and any other does"},
		{"8Ei", "9223372036854775807", maxInt, maxInt, "binary amounts are capped"},
		{"8.3Ei", "9223372036854775807", maxInt, maxInt, "also with a fraction"},
		{"16Ei", "9223372036854775807", maxInt, maxInt, ""},
		{"-8Ei", "-9223372036854775807", -maxInt, -maxInt - 1, "at the same distance below 0"},
		{"999999999999999999999Ei", "9223372036854775807", maxInt, maxInt, ""},
		{"0.12345678901234567Gi", "132560717819299199n", 132560718, 132560717820, "binary fractions go to the next nano too"},
		{"0.002002777161578706Ti", "2202076777", 2202076777, 2202076777000, "and may carry into the whole"},
		{"7.999Ei", "9222219115350168961024m", 9222219115350168962, maxInt, ""},
		{"9007199254740991.99999999999999Ki", "9223372036854775807", maxInt, maxInt, "capped at the whole number"},
		{"9223372036854775807", "9223372036854775807", maxInt, maxInt, ""},
		{"9223372036854775808", "9223372036854775808", maxInt, maxInt, ""},
		{"-9223372036854775808", "-9223372036854775808", -maxInt - 1, -maxInt - 1, ""},
		{"-9223372036854775808.5", "-9223372036854775808500m", -maxInt - 1, -maxInt - 1, ""},
		{"9223372036854775807.5", "9223372036854775807500m", maxInt, maxInt, ""},
		{"9223372036854775.8070000001", "9223372036854775807000001n", 9223372036854776, maxInt, ""},
	} {
		q, err := resource.Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v (%s)", tt.text, err, tt.why)
			continue
		}
		if q.String() != tt.want || q.Value() != tt.value || q.MilliValue() != tt.milli {
			t.Errorf("Parse(%q) = %q, value %d, milli %d; want %q, %d, %d (%s)",
				tt.text, q, q.Value(), q.MilliValue(), tt.want, tt.value, tt.milli, tt.why)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for text, want := range map[string]resource.Format{
		"":          resource.DecimalSI, // the zero Quantity that comes with the error
		"5":         resource.DecimalSI,
		"5m":        resource.DecimalSI,
		"5e0":       resource.DecimalExponent,
		"0e0":       resource.DecimalExponent,
		"0Ki":       resource.BinarySI,
		"0.5Ki":     resource.BinarySI,
		"0.0009Ki":  resource.DecimalSI, // below 1
		"-0.0009Ki": resource.DecimalSI,
		"0.001Ki":   resource.BinarySI,
	} {
		q, _ := resource.Parse(text)
		if got := q.Format(); got != want {
			t.Errorf("Parse(%q).Format() = %v, want %v", text, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ text, why string }{
		{"", "empty"},
		{" ", "blank"},
		{" 1", "blank before"},
		{"1 ", "blank after"},
		{"1 Gi", "blank inside"},
		{"1\n", "newline"},
		{"abc", "no number at all"},
		{"1ki", "case matters"},
		{"1K", "case matters"},
		{"1kI", "case matters"},
		{"1GI", "case matters"},
		{"1i", "i alone"},
		{"1mi", "milli has no binary form"},
		{"1Gii", "more after the suffix"},
		{"1GiB", "more after the suffix"},
		{"1mm", "two suffixes"},
		{"1e", "an exponent needs digits"},
		{"1e+", "an exponent needs digits"},
		{"1E-", "an exponent needs digits"},
		{"1ee3", "two e"},
		{"1e3.5", "exponents are whole"},
		{"1e3Ki", "two suffixes"},
		{"1e1_0", "underscore in the exponent"},
		{"1e99999999999999999999", "exponent beyond int64"},
		{"0e99999999999999999999", "even where it would not matter"},
		{"1e-99999999999999999999", "exponent beyond int64"},
		{"1.2.3", "two dots"},
		{"..", "two dots"},
		{"--1", "two signs"},
		{"+-1", "two signs"},
		{"1-", "sign after"},
		{"1_000", "underscore"},
		{"1,5", "comma"},
		{"٣", "other scripts' digits"},
		{"1٣", "other scripts' digits"},
		{"0x10", "hexadecimal"},
		{"Inf", "not a number"},
		{"NaN", "not a number"},
		{"1\x00", "control character"},
		{"1\xff", "not UTF-8"},
		{"e", "no digits in the exponent either"},
		{"Ei", "no digits, and a suffix the reference stumbles over"},
		{".Pi", "the same with a dot"},
		{"e-10", "the same with an exponent"},
	} {
		q, err := resource.Parse(tt.text)
		if !errors.Is(err, resource.ErrSyntax) || !q.IsZero() {
			t.Errorf("Parse(%q) = %v, %v; want 0 and ErrSyntax (%s)", tt.text, q, err, tt.why)
		}
	}
}

func TestParseErrorQuotes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `resource: not a quantity: "": it is empty`},
		{"1 Gi", `resource: not a quantity: "1 Gi": unknown suffix`},
		{"e-10", `resource: not a quantity: "e-10": no digits`},
		{strings.Repeat("x", 1e6), `resource: not a quantity: "` + strings.Repeat("x", 64) + `"… (1000000 bytes): unknown suffix`},
		{strings.Repeat("x", 63) + "٣٣", `resource: not a quantity: "` + strings.Repeat("x", 63) + `"… (67 bytes): unknown suffix`},
		{strings.Repeat("\x80", 70), `resource: not a quantity: "` + strings.Repeat(`\x80`, 60) + `"… (70 bytes): unknown suffix`}, // no byte begins a character, so that the quote loses only the last four
	} {
		if _, err := resource.Parse(tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("Parse(%.70q): %v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestParseBoundsTheWork reads texts that would take minutes and gigabytes if
// an exponent were written out or megabytes of digits turned into binary.
func TestParseBoundsTheWork(t *testing.T) {
	const huge = 10_000_000
	zeros, nines := strings.Repeat("0", huge), strings.Repeat("9", huge)
	const maxInt, minInt = 1<<63 - 1, -1 << 63
	for _, tt := range []struct {
		name, text string
		want       int64 // Value
		prefix     string
	}{
		{"exponent", "1e100000", maxInt, "10e99999"},
		{"int32 exponent", "-1e2000000000", minInt, "-100e1999999998"},
		{"the cap", "1e2147483647", maxInt, "10e2147483646"},
		{"at the cap by its digits", "100e2147483645", maxInt, "10e2147483646"},
		{"above the cap", "2e2147483647", maxInt, "10e2147483646"},
		{"long above the cap", "12345678901234567890e2147483640", maxInt, "10e2147483646"},
		{"int64 exponent", "-7e9223372036854775807", minInt, "-10e2147483646"},
		{"small exponent", "-7e-9223372036854775808", -1, "-1e-9"},
		{"zero", "0e9223372036854775807", 0, "0"},
		{"exponent with zeros", "1e" + zeros + "3", 1000, "1e3"},
		{"exponent undone by zeros", "0." + zeros + "1e10000001", 1, "1"},
		{"digits", nines, maxInt, "9999"},
		{"negative digits", "-" + nines, minInt, "-9999"},
		{"round digits", "1" + zeros, maxInt, "10e9999999"},
		{"leading zeros", zeros + "42", 42, "42"},
		{"fraction", "0." + nines, 1, "1"},
		{"long fraction", "123." + nines + "k", 124000, "124k"},
		{"tiny fraction", "0." + zeros + "1", 1, "1n"},
		{"digits and exponent", nines + "e-9999999", 10, "10"},
		{"binary digits", nines + "Ki", maxInt, "9223372036854775807"},
		{"binary fraction", "1." + nines + "Ki", 2048, "2Ki"},
		{"tiny binary fraction", "-0." + zeros + "1Ei", -1, "-1n"},
		{"binary whole and tiny", "1." + zeros + "1Ki", 1025, "1024000000001n"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		q, err := resource.Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		text := q.String()
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 4*uint64(len(tt.text))+1<<16 {
			t.Errorf("%s: %d bytes for a text of %d", tt.name, allocated, len(tt.text))
		}
		back := resource.MustParse(text)
		if q.Value() != tt.want || !strings.HasPrefix(text, tt.prefix) {
			t.Errorf("%s: value %d, text %.40s; want %d, %s", tt.name, q.Value(), text, tt.want, tt.prefix)
		}
		if !back.Equal(q) || back.String() != text {
			t.Errorf("%s: %.40s does not come back from its text", tt.name, text)
		}
	}
}

func TestParseDoesNotAllocate(t *testing.T) {
	for _, text := range []string{
		"0", "500m", "1Gi", "1.5Gi", "1.5", "128974848", "-1e3", "2.5e-3", "0.0000000001", "999999999999999999", "8Ei",
	} {
		if n := testing.AllocsPerRun(100, func() { _, _ = resource.Parse(text) }); n != 0 {
			t.Errorf("Parse(%q) allocates %v times, want 0", text, n)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, resource.ErrSyntax) {
			t.Errorf("MustParse panicked with %v, want ErrSyntax", err)
		}
	}()
	resource.MustParse("1 Gi")
}
