package filters

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The table numbers statuses as a list does that looks each up by all of its fields.
func TestPropertyStatusTable(t *testing.T) {
	t.Parallel()
	texts := [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"a\" \"b"}, {}}
	draw := rapid.Custom(func(t *rapid.T) Status {
		s := Status{
			Code: rapid.SampledFrom([]Code{Success, Unschedulable, UnschedulableAndUnresolvable}).Draw(t, "code"),
			By:   rapid.IntRange(ByGuard, 1).Draw(t, "by"), Short: uint64(rapid.IntRange(0, 2).Draw(t, "short")),
			TooMany: rapid.Bool().Draw(t, "too many"), Excluded: rapid.Bool().Draw(t, "excluded"), Filter: rapid.SampledFrom([]string{"", "F"}).Draw(t, "filter"),
		}
		s.Text = rapid.SampledFrom(texts).Draw(t, "text")
		if rapid.Bool().Draw(t, "a text of its own") {
			s.Text = slices.Clone(s.Text)
		}
		return s
	})
	equal := func(a, b Status) bool {
		same := slices.Equal(a.Text, b.Text)
		a.Text, b.Text = nil, nil
		return same && a.Code == b.Code && a.By == b.By && a.Short == b.Short && a.TooMany == b.TooMany && a.Excluded == b.Excluded && a.Filter == b.Filter
	}
	rapid.Check(t, func(t *rapid.T) {
		table, list := NewStatusTable(), []Status{{}}
		for _, s := range rapid.SliceOfN(draw, 0, 60).Draw(t, "statuses") {
			want := slices.IndexFunc(list, func(known Status) bool { return equal(known, s) })
			switch {
			case s.Code == Success:
				want = 0
			case want < 0:
				want, list = len(list), append(list, s)
			}
			require.Equal(t, want, int(table.ID(s)), "%+v", s)
			require.Equal(t, len(list), table.Len())
			require.True(t, equal(list[want], table.Of(StatusID(want))))
			require.True(t, SameStatus(&s, &s))
			other := rapid.SampledFrom(list).Draw(t, "another")
			require.Equal(t, equal(s, other), SameStatus(&s, &other))
		}
	})
}
