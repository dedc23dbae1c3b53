package dafny_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/proof/dafny"
)

// words are definitions that the expressions of the tests may use.
const words = `
include "another.dfy"

// A comment with a { and the word function.
datatype Color = Red | Green | Mixed(first: Color, share: int)
type Colors = seq<Color>

function count<T>(list: seq<T>, wanted: T -> bool): int
  decreases |list|
{
  if list == [] then 0 else (if wanted(list[0]) then 1 else 0) + count(list[1..], wanted)
}

lemma NeverNegative<T>(list: seq<T>, wanted: T -> bool)
  ensures count(list, wanted) >= 0
{
  if list != [] { NeverNegative(list[1..], wanted); }
}

function halves(n: int): (int, int) { (n - 2, 2) }
`

func TestExpressions(t *testing.T) {
	for _, tc := range []struct{ expression, want string }{
		// How tightly operators bind.
		{"1 + 2 * 3 - 4 == 3", "true"},
		{"2 - 1 - 1 == 0", "true"},
		{"false ==> false ==> false", "true"}, // from the right; from the left it would be false
		{"true || false ==> false", "false"},
		{"!true || true", "true"},
		{"-2 < -1 < 0 <= 0", "true"},
		{"0 < 2 < 1", "false"},
		{"1 < 2 <==> 3 < 4", "true"},

		// The right side is not looked at where the left one decides.
		{"false && [1][7] == 1", "false"},
		{"true || [1][7] == 1", "true"},
		{"|[]| == 1 ==> [][0] == 1", "true"},

		// Sequences.
		{"[1, 2, 3][1..] + [4]", "[2,3,4,]"},
		{"[1, 2, 3][..1]", "[1,]"},
		{"[1, 2, 3][1..2]", "[2,]"},
		{"[1, 2, 3][1 := 7]", "[1,7,3,]"},
		{"|[1, 2] + [3]|", "3"},
		{"2 in [1, 2] && 3 !in [1, 2]", "true"},
		{"[] == [1][1..]", "true"},
		{"var s := [1, 2, 3]; var t := s[..1] + [9]; s", "[1,2,3,]"}, // appending writes into no other sequence

		// Sets and maps.
		{"{1, 2} + {2, 3} - {1}", "{2,3,}"},
		{"{1} <= {1, 2} && {1} < {1, 2} && !({1, 2} < {1, 2})", "true"},
		{"set x | x in [3, 1, 3] && x > 1", "{3,}"},
		{"set x | x in {1, 2} :: x * x", "{1,4,}"},
		{"|{1, 1}|", "1"},
		{"map[][1 := 2][1 := 3][1]", "3"},
		{"var m := map[][Red := 1]; Red in m && Green !in m", "true"},

		// Datatypes.
		{"Mixed(Red, 3).share", "3"},
		{"Mixed(Red, 3).Mixed? && !Red.Mixed?", "true"},
		{"Mixed(Red, 1) == Mixed(Red, 1) && Mixed(Red, 1) != Mixed(Green, 1)", "true"},
		{"match Mixed(Green, 5) case Red => 0 case Green => 1 case Mixed(of, much) => if of == Green then much else 2", "5"},
		{"halves(5).0 + halves(5).1", "5"},

		// Names.
		{"var x := 1; var x := x + 1; x", "2"},
		{"var x, y := 1, 2; x - y", "-1"},
		{"var (x, y) := halves(5); [x, y]", "[3,2,]"},
		{"var x := 1; (var x := 2; x) + x", "3"},

		// Functions as values see what was known where they were made.
		{"var limit := 2; count([1, 2, 3], (x: int) => x >= limit)", "2"},
		{"var f := (x: int) => (var y := x * x; y + y); f(1) + f(2)", "10"},
		{"var add := (x: int, y: int) => x + y; add(1, 2)", "3"},
		{"(var k := 5; (x: int) => x + k)(1)", "6"},

		// Quantifiers over the elements of a collection.
		{"forall x :: x in [1, 2] ==> x > 0", "true"},
		{"forall x :: x in [1, 2] ==> x > 1", "false"},
		{"forall x :: x in [] ==> false", "true"},
		{"exists x :: x in {1, 2} && x > 1", "true"},
		{"exists x, y :: x in [1, 2] && y in [x] && x + y == 4", "true"},

		// Reals are exact.
		{"1 as real / 3 as real + 2 as real / 3 as real == 1.0", "true"},
		{"0.5 * 0.5", "r1/4"},
	} {
		t.Run(tc.expression, func(t *testing.T) {
			p, err := dafny.Read(dafny.File{Name: "words.dfy", Text: words}, dafny.File{Name: "e.dfy", Text: "function e(): T { " + tc.expression + " }"})
			require.NoError(t, err)
			got, err := p.Call("e")
			require.NoError(t, err)
			assert.Equal(t, tc.want, dafny.Text(got))
		})
	}
}

// An error names the file and the line, and nothing panics.
func TestErrors(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"function e(): int { unknown }", "e.dfy:1: unknown is not known"},
		{"function e(): int {\n  1 + }", `e.dfy:2: } is not known`},
		{"function e(): int { 1", `e.dfy:1: "" stands where "}" is expected`},
		{"method e() { }", `e.dfy:1: "method" does not begin a declaration`},
		{"datatype A = B(x: int)\nfunction e(): A { B(1, 2) }", "e.dfy:2: B has 1 fields, not 2"},
		{"function e(): int { 1 }\nfunction e(): int { 2 }", "e.dfy:2: there are two functions e"},
		{"function e(): int { [1][1] }", "e.dfy:1: nothing stands at 1"},
		{"function e(): seq<int> { [1][2..] }", "e.dfy:1: a sequence of 1 has no part from 2 to 1"},
		{"function e(): bool { forall x :: x > 0 }", "e.dfy:1: nothing says through which elements the quantifier goes"},
		{"function e(): int { 9223372036854775807 + 1 }", "e.dfy:1: 9223372036854775807 + 1 has more than 64 bits"},
		{"function e(): int { 4294967296 * 2147483648 }", "e.dfy:1: 4294967296 * 2147483648 has more than 64 bits"},
		{"function e(): int { 1 + true }", "e.dfy:1: a dafny.Bool stands where a dafny.Int is needed"},
		{"function e(): bool { true + true }", "e.dfy:1: + is not known between these operands"},
		{"function e(): int { if 1 then 2 else 3 }", "a condition is neither true nor false"},
		{"function e(): bool { ((x: int) => x) == ((x: int) => x) }", "two functions cannot be compared"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			p, err := dafny.Read(dafny.File{Name: "e.dfy", Text: tc.text})
			if err == nil {
				_, err = p.Call("e")
			}
			assert.EqualError(t, err, tc.want)
		})
	}

	p, err := dafny.Read(dafny.File{Name: "words.dfy", Text: words})
	require.NoError(t, err)
	_, err = p.Call("nobody")
	assert.EqualError(t, err, "there is no function nobody")
	_, err = p.Call("halves")
	assert.EqualError(t, err, "halves takes 1 values, not 0")
	_, err = p.Make("Mixed", dafny.Int(1))
	assert.EqualError(t, err, "there is no constructor Mixed with 1 fields")
}
