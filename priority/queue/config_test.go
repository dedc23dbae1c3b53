package queue

import (
	"math"
	"testing"
	"time"

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
		{"first backoff above the default of the last", Config{InitialBackoff: time.Minute}, "queue config: MaxBackoff: 10s is less than InitialBackoff, 1m0s"},
		{"last backoff below the default of the first", Config{MaxBackoff: 1}, "queue config: MaxBackoff: 1ns is less than InitialBackoff, 1s"},
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
