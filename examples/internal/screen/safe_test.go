package screen

import "testing"

func TestSafe(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"plain name", "plain name"},
		{"größer/名前", "größer/名前"},
		{"a\nb\tc", `a\nb\tc`},
		{"\x1b[31mred", `\x1b[31mred`},
		{"quote'\"", `quote'"`},
		{"bad\xffbyte", `bad\xffbyte`},
		{"\u202eback", `\u202eback`},
		{"\ufffd", "\ufffd"},
	} {
		if got := Safe(tt.in); got != tt.want {
			t.Errorf("Safe(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}
