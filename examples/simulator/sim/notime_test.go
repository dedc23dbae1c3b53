package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Attempts that take no time come to an end, even where each is cause for another: a
// property of runs with many equal pods found pods that took nominations from one
// another for ever, while a kubelet's victim was on the way out.
func TestNoTimePasses(t *testing.T) {
	s := scheduling{clock: &clock{}, line: &line{inQueue: 100}}
	many := func(at time.Duration) (err error) {
		for range 200_000 {
			require.NoError(t, s.advanceTo(at))
		}
		return s.advanceTo(at)
	}
	require.ErrorContains(t, many(0), "200001 attempts in which no time passes")
	require.ErrorContains(t, many(time.Second), "200001 attempts in which no time passes", "time has passed")
}
