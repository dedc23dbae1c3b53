package search

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The least key is always the first, whatever order they came in.
func TestPropertyBoundQueueIsSorted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Map(rapid.Uint64Range(0, 20), func(n uint64) boundKey { return boundKey(n) }), 0, 12).Draw(t, "keys")
		q := boundQueue{slices.Clone(keys)}
		q.order()
		var out []boundKey
		for len(q.keys) > 0 {
			out = append(out, q.keys[0])
			q.dropFirst()
		}
		slices.Sort(keys)
		require.True(t, slices.Equal(keys, out), "%v, want %v", out, keys)
	})
}
