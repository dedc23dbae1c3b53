package manifest_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/manifest"
)

// Any second that an int64 counts survives being written as an API server does.
func TestPropertyParseTime(t *testing.T) {
	comesBack := func(t require.TestingT, seconds, nanos int64) {
		want := time.Unix(seconds, nanos)
		text := manifest.FormatTime(want)
		// Near the least int64, and where an int has 32 bits, time.Format writes other years.
		if strconv.IntSize == 64 && seconds > math.MinInt64+1<<40 {
			require.Equal(t, want.UTC().Format(time.RFC3339Nano), text)
		}
		got, err := manifest.ParseTime(text)
		require.NoError(t, err, "%d", seconds)
		require.True(t, want.Equal(got), "%d: %v, %v", seconds, want.UTC(), got)
	}
	year0 := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	year10000 := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for _, s := range []int64{0, -1, year0 - 1, year0, year10000 - 1, year10000, year0 - 400*366*86400, year0 - 3*366*86400, math.MaxInt64, math.MinInt64, math.MinInt64 + 1<<38} {
		comesBack(t, s, 5)
	}
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.SampledFrom([]int64{1 << 34, 1 << 40, 1 << 50, 1 << 62, math.MaxInt64 - 1<<36}).Draw(t, "span")
		comesBack(t, rapid.Int64Range(-span, span).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanos"))
	})
}

func TestNoTimes(t *testing.T) {
	for _, text := range []string{
		"", "-", "--", "noon", "-0001", "-0001-01-01", "-001-01-01T00:00:00Z", "10000-13-01T00:00:00Z", "-0001-02-29T00:00:00Z",
		"-0001-01-01T00:00:00+01:00", "+10000-01-01T00:00:00Z", "1x000-01-01T00:00:00Z", "99999999999999999999-01-01T00:00:00Z",
		"9999999999999-01-01T00:00:00Z", "-9999999999999-01-01T00:00:00Z",
	} {
		_, err := manifest.ParseTime(text)
		assert.Error(t, err, text)
	}
}
