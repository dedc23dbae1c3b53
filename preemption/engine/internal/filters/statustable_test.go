package filters_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// The table numbers statuses as a list does that looks each up by all of its fields.
func TestPropertyStatusTable(t *testing.T) {
	t.Parallel()
	texts := [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {`["a" "b"]`}, {}}
	draw := rapid.Custom(func(t *rapid.T) filters.Status {
		s := filters.Status{
			Code: rapid.SampledFrom([]filters.Code{filters.Success, filters.Unschedulable, filters.UnschedulableAndUnresolvable}).Draw(t, "code"),
			By:   rapid.IntRange(filters.ByGuard, 1).Draw(t, "by"), Short: uint64(rapid.IntRange(0, 2).Draw(t, "short")),
			TooMany: rapid.Bool().Draw(t, "too many"), Excluded: rapid.Bool().Draw(t, "excluded"), Filter: rapid.SampledFrom([]string{"", "F"}).Draw(t, "filter"),
		}
		s.Text = rapid.SampledFrom(texts).Draw(t, "text")
		if rapid.Bool().Draw(t, "a text of its own") {
			s.Text = slices.Clone(s.Text)
		}
		return s
	})
	equal := func(a, b filters.Status) bool {
		same := slices.Equal(a.Text, b.Text)
		a.Text, b.Text = nil, nil
		return same && a.Code == b.Code && a.By == b.By && a.Short == b.Short && a.TooMany == b.TooMany && a.Excluded == b.Excluded && a.Filter == b.Filter
	}
	rapid.Check(t, func(t *rapid.T) {
		table, list := filters.NewStatusTable(), []filters.Status{{}}
		for _, s := range rapid.SliceOfN(draw, 0, 60).Draw(t, "statuses") {
			want := slices.IndexFunc(list, func(known filters.Status) bool { return equal(known, s) })
			switch {
			case s.Code == filters.Success:
				want = 0
			case want < 0:
				want, list = len(list), append(list, s)
			}
			require.Equal(t, want, int(table.ID(s)), "%+v", s)
			require.Equal(t, len(list), table.Len())
			require.True(t, equal(list[want], table.Of(filters.StatusID(want))))
			require.True(t, filters.SameStatus(&s, &s))
			other := rapid.SampledFrom(list).Draw(t, "another")
			require.Equal(t, equal(s, other), filters.SameStatus(&s, &other))
		}
	})
}
