package priority_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/priority"
)

// Backoff doubles as long as the double is no more than the most, also where
// the most is not a power of two times the first.
func TestBackoffUpToAnyLimit(t *testing.T) {
	for _, c := range []struct {
		initial, most time.Duration
		want          []time.Duration
	}{
		{5, 11, []time.Duration{5, 10, 11, 11}},
		{5, 10, []time.Duration{5, 10, 10}},
		{5, 9, []time.Duration{5, 9, 9}},
		{5, 5, []time.Duration{5, 5}},
		{1, 1<<63 - 1, []time.Duration{1, 2, 4}},
		{1 << 61, 1<<63 - 1, []time.Duration{1 << 61, 1 << 62, 1<<63 - 1, 1<<63 - 1}},
	} {
		q, err := priority.NewQueue(priority.QueueConfig{InitialBackoff: c.initial, MaxBackoff: c.most})
		require.NoError(t, err)
		require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, midnight))
		var got []time.Duration
		for range c.want {
			e, ok := q.TryPop(midnight)
			require.True(t, ok)
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, midnight))
			got = append(got, q.Pending().Backoff[0].BackoffEnd.Sub(midnight))
			require.Equal(t, 1, q.Activate(e.Pod))
		}
		assert.Equal(t, c.want, got, "from %d to %d", c.initial, c.most)
	}
}
