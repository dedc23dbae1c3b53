package console

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "größe": 5, "日本語": 6, "ｗｉｄｅ": 8, "😀": 2, "👩‍👩‍👧": 2, "🇩🇪": 2, "é": 1, "שלום": 4, "\u2068שלום\u2069": 4,
		"\x1b[31mred\x1b[0m": 3,
	} {
		assert.Equal(t, want, Width(text), "%q", text)
	}
}

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"shop/checkout-2", 15, "shop/checkout-2"},
		{"shop/checkout-2", 14, "shop/ch…kout-2"},
		{"shop/checkout-2", 8, "shop…t-2"},
		{"shop/checkout-2", 2, "s…"},
		{"shop/checkout-2", 1, "…"},
		{"shop/checkout-2", 0, "shop/checkout-2"},
		{"日本語日本語", 7, "日…語"},
		{"a😀b😀c😀d", 6, "a😀…d"},
		{"👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 5, "👩‍👩‍👧…👩‍👩‍👧"},
		{strings.Repeat("x", 253), 5, "xx…xx"},
	} {
		got := Shorten(tt.text, tt.width)
		assert.Equal(t, tt.want, got)
		assert.LessOrEqual(t, Width(got), max(tt.width, Width(tt.text)*min(1, 1-min(1, tt.width))), tt.text)
	}
}

func TestWrap(t *testing.T) {
	assert.Equal(t, []string{"a bb", "ccc"}, Wrap(" a  bb ccc", 5))
	assert.Equal(t, []string{"a", "waytoowide", "b"}, Wrap("a waytoowide b", 5))
	assert.Equal(t, []string{"日本 語"}, Wrap("日本 語", 7))
	assert.Equal(t, []string{"日本", "語"}, Wrap("日本 語", 6))
	assert.Equal(t, []string{"a b c"}, Wrap("a b c", 0))
	assert.Empty(t, Wrap(" ", 5))
}

// sample is a table with all difficulties of names.
func sample() *Table {
	t := &Table{Right: map[int]bool{1: true}}
	t.Head("POD", "N", "EMPTY", "NODE")
	t.Add("shop/checkout-2", "1", "", "n1")
	t.Note("because %s", "it has to, and this says so at some length, so that it does not fit into one line of any width that anybody has, not even here")
	t.Add("日本/"+strings.Repeat("長", 100)+"-1", "20", "", strings.Repeat("y", 253))
	t.Add("שלום/<script>\"'&😀", "300", "", "evil\x1b[2J\u202e\n")
	return t
}

// A table keeps to its width with any contents, and every column begins at the
// same place in each row.
func TestTablesFit(t *testing.T) {
	for _, width := range []int{20, 30, 40, 80, 200} {
		for _, s := range []Screen{{Width: width}, {Width: width, Terminal: true}, {Width: width, Terminal: true, Color: true}} {
			var out bytes.Buffer
			sample().Print(Page{&out, s})
			for line := range strings.Lines(out.String()) {
				assert.LessOrEqual(t, Width(strings.TrimSuffix(line, "\n")), max(width, 2*(narrowest+2)+5), line)
			}
			assert.Equal(t, s.Color, strings.Contains(out.String(), "\x1b[1mPOD\x1b[0m"))
			assert.NotContains(t, out.String(), "\x1b[2J")
			assert.NotContains(t, out.String(), "EMPTY")
			assert.Equal(t, s.Terminal && width > 60, strings.Contains(out.String(), "\u2068שלום/<script>\"'&😀\u2069"))
		}
	}
	var out bytes.Buffer
	sample().Print(Page{W: &out})
	assert.Contains(t, out.String(), "  日本/"+strings.Repeat("長", 100)+"-1   20  "+strings.Repeat("y", 253)+"\n", "a pipe has everything")
	assert.Contains(t, out.String(), "evil\\x1b[2J\\u202e\\n\n")
}

// Before names lose their middle, less important columns are left out; names that
// are too long anyway change nothing about that.
func TestSpareColumns(t *testing.T) {
	print := func(width int, name string) string {
		table := Table{Spare: []int{2, 1}}
		table.Head("POD", "CLASS", "STARTED", "AGE")
		table.Add(name, "production", "2026-02-28 17:10", "1d15h")
		var out bytes.Buffer
		table.Print(Page{&out, Screen{Width: width}})
		return out.String()
	}
	const name, started = "reports/exporter-5c7d8-mm2zx", "STARTED"
	for width, want := range map[int][2]bool{0: {true, true}, 67: {true, true}, 66: {true, false}, 49: {true, false}, 48: {false, false}, 38: {false, false}} {
		out := print(width, name)
		assert.Contains(t, out, name, width)
		assert.Equal(t, want, [2]bool{strings.Contains(out, "CLASS"), strings.Contains(out, started)}, width)
	}
	assert.Contains(t, print(80, strings.Repeat("n", 253)), started)
	assert.NotContains(t, print(30, name), name)
}

func TestLinesFit(t *testing.T) {
	var out bytes.Buffer
	p := Page{&out, Screen{Width: 30}}
	p.Line("\n  Who would %s push out of %s?", "shop/checkout-2", "the\tsample cluster")
	p.Items([]string{"a text that is longer than the width of the screen"})
	p.Line("  cluster    8 nodes,  47 pods of which 4 wait")
	assert.Equal(t, "\n  Who would shop/checkout-2\n    push out of the\\tsample\n    cluster?\n  - a text that is longer than\n    the width of the screen\n  cluster    8 nodes,  47 pods\n    of which 4 wait\n", out.String())
}

func TestColor(t *testing.T) {
	env := func(vars map[string]string) func(string) string {
		return func(name string) string { return vars[name] }
	}
	terminal := Screen{Terminal: true}
	for _, tt := range []struct {
		s    Screen
		when string
		vars map[string]string
		want bool
	}{
		{terminal, Auto, nil, true},
		{terminal, Auto, map[string]string{"NO_COLOR": "1"}, false},
		{terminal, Auto, map[string]string{"TERM": "dumb"}, false},
		{terminal, Auto, map[string]string{"TERM": "xterm-256color"}, true},
		{Screen{}, Auto, nil, false},
		{terminal, Never, nil, false},
		{Screen{}, Always, map[string]string{"NO_COLOR": "1", "TERM": "dumb"}, true},
	} {
		s, err := tt.s.colored(tt.when, env(tt.vars))
		require.NoError(t, err)
		assert.Equal(t, tt.want, s.Color, "%+v", tt)
	}
	_, err := terminal.colored("often", env(nil))
	assert.ErrorIs(t, err, ErrColor)

	var out bytes.Buffer
	Page{&out, Screen{Color: true}}.Line("%s!", Styled{"x\x1b", Red})
	assert.Equal(t, "\x1b[31mx\\x1b\x1b[0m!\n", out.String())
	out.Reset()
	type name string
	Page{W: &out}.Line("%s %d", name("x\x1b"), 1)
	assert.Equal(t, "x\\x1b 1\n", out.String(), "a name of another type is a name")
	assert.Equal(t, "[##\x1b[31mxx\x1b[0m.]", PaintRuns(map[rune]Style{'x': Red})(Screen{Color: true}, "[##xx.]"))
}

// A name from right to left stays where it is, and so does what stands beside it.
func TestRightToLeft(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                   "plain",
		"shop/שלום-2 (100), next": "\u2068shop/שלום-2\u2069 (100), next",
		"  a  (שלום, עולם).":      "  a  (\u2068שלום\u2069, \u2068עולם\u2069).",
		"\x1b[31mשלום\x1b[0m 5":   "\x1b[31m\u2068שלום\u2069\x1b[0m 5",
		"مرحبا":                   "\u2068مرحبا\u2069",
	} {
		assert.Equal(t, want, Screen{Terminal: true}.apart(text))
		assert.Equal(t, text, Screen{}.apart(text), "a pipe has names as they are")
		assert.Equal(t, Width(text), Width(want))
	}
	var out bytes.Buffer
	p := Page{&out, Screen{Terminal: true}}
	p.Line("%s 1", "שלום")
	p.Items([]string{"שלום 2"})
	assert.Equal(t, "\u2068שלום\u2069 1\n  - \u2068שלום\u2069 2\n", out.String())
}

// Pipes and files have no width and no colour.
func TestScreenOfPipes(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	s, err := ScreenOf(w, Auto, func(name string) string { return map[string]string{"COLUMNS": "20"}[name] })
	require.NoError(t, err)
	assert.Equal(t, Screen{}, s)
}
