package resource_test

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/resource"
)

// mustAgree fails unless got is the oracle's value.
func mustAgree(t *rapid.T, what string, got resource.Quantity, want slow) {
	t.Helper()
	if g, w := got.Format(), want.format; g != w {
		t.Fatalf("%s: Format() = %v, want %v", what, g, w)
	}
	if g, w := got.String(), printSlowly(want); g != w {
		t.Fatalf("%s: String() = %q, want %q", what, g, w)
	}
	if g, w := got.Sign(), want.amount.Sign(); g != w || got.IsZero() != (w == 0) {
		t.Fatalf("%s: Sign() = %d, IsZero() = %v, want %d", what, g, got.IsZero(), w)
	}
	if g, w := got.Value(), countSlowly(want.amount, 1); g != w {
		t.Fatalf("%s: Value() = %d, want %d", what, g, w)
	}
	if g, w := got.MilliValue(), countSlowly(want.amount, 1000); g != w {
		t.Fatalf("%s: MilliValue() = %d, want %d", what, g, w)
	}
}

// checkParse: any text is read as the oracle reads it, or refused with it.
func checkParse(t *rapid.T) {
	for _, text := range rapid.SliceOfN(anything(), 1, 40).Draw(t, "texts") {
		checkParseOf(t, text)
	}
}

func checkParseOf(t *rapid.T, text string) {
	want, ok := readSlowly(text)
	got, err := resource.Parse(text)
	if (err == nil) != ok {
		t.Fatalf("Parse(%q) = %v, %v; want ok = %v", text, got, err, ok)
	}
	if err != nil {
		if !errors.Is(err, resource.ErrSyntax) {
			t.Fatalf("Parse(%q): %v does not wrap ErrSyntax", text, err)
		}
		return
	}
	mustAgree(t, "Parse("+text+")", got, want)
}

func TestParseAgreesWithOracle(t *testing.T) { rapid.Check(t, checkParse) }

func FuzzParse(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkParse)) }

// settles reports whether the canonical text of q is read back in a format
// that prints the same; see Quantity.String for the exception.
func settles(q slow) bool {
	if q.format != resource.BinarySI || !q.amount.IsInt() || new(big.Rat).Abs(q.amount).Cmp(rat(1024)) < 0 {
		return true
	}
	n := q.amount.Num()
	divides := func(by int64) bool { return new(big.Int).Rem(n, big.NewInt(by)).Sign() == 0 }
	return divides(1024) || !divides(1000)
}

// checkRoundTrip: the canonical text stands for the same amount, and is its
// own canonical text.
func checkRoundTrip(t *rapid.T) {
	q := quantities().Draw(t, "q")
	text := q.fast.String()
	back, err := resource.Parse(text)
	if err != nil || !back.Equal(q.fast) {
		t.Fatalf("Parse(%q) = %v, %v; want the amount of %q", text, back, err, q.text)
	}
	again := back.String()
	if settles(q.slow) && again != text {
		t.Fatalf("%q prints as %q, and that as %q", q.text, text, again)
	}
	if last := resource.MustParse(again).String(); last != again {
		t.Fatalf("%q prints as %q, that as %q, and that as %q", q.text, text, again, last)
	}
}

func TestRoundTrip(t *testing.T) { rapid.Check(t, checkRoundTrip) }

func FuzzRoundTrip(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkRoundTrip)) }

// near draws a pair that is often close together or equal.
func near(t *rapid.T) (a, b pair) {
	a, b = quantities().Draw(t, "a"), quantities().Draw(t, "b")
	switch rapid.IntRange(0, 3).Draw(t, "relation") {
	case 0: // the same amount, possibly in another format
		text := a.fast.String()
		want, _ := readSlowly(text)
		return a, pair{text, resource.MustParse(text), want}
	case 1: // a billionth apart
		sum := new(big.Rat).Add(a.slow.amount, big.NewRat(1, 1e9))
		text := printSlowly(slow{sum, resource.DecimalSI})
		return a, pair{text, resource.MustParse(text), slow{sum, resource.DecimalSI}}
	}
	return a, b
}

func TestOrderAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := near(t)
		want := a.slow.amount.Cmp(b.slow.amount)
		if got := a.fast.Cmp(b.fast); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a.text, b.text, got, want)
		}
		if got := b.fast.Cmp(a.fast); got != -want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", b.text, a.text, got, -want)
		}
		if got := a.fast.Equal(b.fast); got != (want == 0) {
			t.Fatalf("Equal(%s, %s) = %v, want %v", a.text, b.text, got, want == 0)
		}
	})
}

func TestSumsAgreeWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := near(t)
		format := a.slow.format
		if a.fast.IsZero() {
			format = b.slow.format
		}
		sum := new(big.Rat).Add(a.slow.amount, b.slow.amount)
		mustAgree(t, a.text+" + "+b.text, a.fast.Add(b.fast), slow{sum, format})
		diff := new(big.Rat).Sub(a.slow.amount, b.slow.amount)
		mustAgree(t, a.text+" - "+b.text, a.fast.Sub(b.fast), slow{diff, format})
		neg := new(big.Rat).Neg(a.slow.amount)
		mustAgree(t, "-("+a.text+")", a.fast.Sub(a.fast).Sub(a.fast), slow{neg, a.slow.format})
		// Amounts are shared, so nothing above may have touched them.
		mustAgree(t, a.text+" afterwards", a.fast, a.slow)
		mustAgree(t, b.text+" afterwards", b.fast, b.slow)
	})
}

func TestConstructorsAgreeWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, 1000, math.MaxInt64, math.MinInt64})).Draw(t, "v")
		milli := new(big.Rat).Mul(rat(v), big.NewRat(1, 1000))
		mustAgree(t, "New", resource.New(v), slow{rat(v), resource.DecimalSI})
		mustAgree(t, "NewMilli", resource.NewMilli(v), slow{milli, resource.DecimalSI})
		mustAgree(t, "NewBinary", resource.NewBinary(v), slow{rat(v), resource.BinarySI})
	})
}

func TestSaturatingArithmetic(t *testing.T) {
	numbers := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{
		0, 1, -1, 2, -2, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, 1 << 31, -1 << 32,
	}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := numbers.Draw(t, "a"), numbers.Draw(t, "b")
		for _, op := range []struct {
			name string
			got  int64
			want *big.Rat
		}{
			{"AddSat", resource.AddSat(a, b), new(big.Rat).Add(rat(a), rat(b))},
			{"SubSat", resource.SubSat(a, b), new(big.Rat).Sub(rat(a), rat(b))},
			{"MulSat", resource.MulSat(a, b), new(big.Rat).Mul(rat(a), rat(b))},
		} {
			if want := countSlowly(op.want, 1); op.got != want {
				t.Fatalf("%s(%d, %d) = %d, want %d", op.name, a, b, op.got, want)
			}
		}
	})
}
