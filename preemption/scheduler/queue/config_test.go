package queue

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

func TestQueueConfigValidate(t *testing.T) {
	for _, c := range []struct {
		name   string
		config Config
		want   string
	}{
		{"zero", Config{}, ""},
		{"all set", Config{InitialBackoff: 1, MaxBackoff: 1, UnschedulableTimeout: 1}, ""},
		{"gates without anything", Config{Gates: []Gate{{Name: "a", Holds: (*outrank.Pod).Gated}, {}}},
			"queue config: Gates[1].Holds: missing\nqueue config: Gates[1].Name: missing"},
		{"first backoff above the default of the last", Config{InitialBackoff: time.Minute}, "queue config: MaxBackoff: 10s is less than InitialBackoff, 1m0s"},
		{"last backoff below the default of the first", Config{MaxBackoff: 1}, "queue config: MaxBackoff: 1ns is less than InitialBackoff, 1s"},
		{"of v1.13", Config{Variant: outrank.VariantV1_13, UnschedulableTimeout: 1}, ""},
		{"of no variant", Config{Variant: 3}, "queue config: Variant: 3 is none"},
		{"what v1.13 has not", Config{Variant: outrank.VariantV1_13, InitialBackoff: 1, MaxBackoff: 2, NoEarlyPop: true, Helps: func(*Entry, ClusterEvent) bool { return true }},
			"queue config: InitialBackoff: set, and the variant v1.13 has none\nqueue config: MaxBackoff: set, and the variant v1.13 has none\n" +
				"queue config: NoEarlyPop: set, and the variant v1.13 has none\nqueue config: Helps: set, and the variant v1.13 has none"},
		{"all negative", Config{InitialBackoff: -1, MaxBackoff: -2, UnschedulableTimeout: -3},
			"queue config: InitialBackoff: -1ns is negative\nqueue config: MaxBackoff: -2ns is negative\nqueue config: UnschedulableTimeout: -3ns is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := New(c.config)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Nil(t, q)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.EqualError(t, err, c.want)
		})
	}
}

func TestBackoffAfter(t *testing.T) {
	for _, c := range []struct {
		name         string
		initial, max time.Duration
		attempts     int
		want         time.Duration
	}{
		{"first", 0, 0, 1, time.Second},
		{"second", 0, 0, 2, 2 * time.Second},
		{"fourth", 0, 0, 4, 8 * time.Second},
		{"fifth, capped", 0, 0, 5, 10 * time.Second},
		{"far beyond", 0, 0, math.MaxInt, 10 * time.Second},
		{"odd cap", 3, 7, 3, 7},
		{"cap reached exactly", 3, 6, 2, 6},
		{"no growth", time.Hour, time.Hour, 9, time.Hour},
		{"no overflow", 1, math.MaxInt64, 63, 1 << 62},
		{"no overflow beyond", 1, math.MaxInt64, 64, math.MaxInt64},
	} {
		config := Config{InitialBackoff: c.initial, MaxBackoff: c.max}.filledIn()
		require.Equal(t, c.want, config.backoffAfter(c.attempts), c.name)
	}
}

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
		q, err := New(Config{InitialBackoff: c.initial, MaxBackoff: c.most, NoEarlyPop: true})
		require.NoError(t, err)
		require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
		var got []time.Duration
		for range c.want {
			e, ok := q.TryPop(noon)
			require.True(t, ok)
			require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
			got = append(got, q.Pending().Backoff[0].BackoffEnd.Sub(noon))
			require.Equal(t, 1, q.Activate(e.Pod))
		}
		assert.Equal(t, c.want, got, "from %d to %d", c.initial, c.most)
	}
}
