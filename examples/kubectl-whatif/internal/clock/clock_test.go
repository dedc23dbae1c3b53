package clock

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// The second after a time is never beyond what RFC 3339 can write.
func TestAfter(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for _, c := range []struct{ of, want time.Time }{
		{at, at.Add(time.Second)}, {time.Time{}, time.Time{}}, {last.Add(-time.Second), last}, {last.Add(-1), last.Add(time.Second - 1)},
		{last, last}, {last.Add(time.Hour), last}, {time.Unix(1<<60, 0), last}, {last.In(time.FixedZone("west", -10*3600)), last},
	} {
		got := After(c.of)
		assert.True(t, c.want.Equal(got), "%v: %v, want %v", c.of, got, c.want)
		_, err := json.Marshal(got)
		assert.NoError(t, err)
	}
}

// Creations go before starts, and starts do where there is no creation.
func TestOf(t *testing.T) {
	early, late := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(3026, 1, 1, 0, 0, 0, 0, time.UTC)
	pods := []*outrank.Pod{{Name: "a", StartTime: early}, {Name: "b", StartTime: late}, {Name: "c"}}
	assert.Equal(t, early.Add(time.Second), Of(&outrank.Cluster{Pods: pods, AsOf: early}))
	assert.Equal(t, late.Add(time.Second), Of(&outrank.Cluster{Pods: pods}))
	assert.True(t, Of(&outrank.Cluster{Pods: pods[2:]}).IsZero())
}

// The first three pods that start after now are named, but for those that have ended.
func TestDoubtsNameTheFirst(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := &outrank.Cluster{AsOf: now}
	for _, name := range []string{"e", "d", "c", "b", "a"} {
		c.Pods = append(c.Pods, &outrank.Pod{Name: name, NodeName: "n", StartTime: now.Add(time.Hour)})
	}
	c.Pods[4].Phase = outrank.PhaseSucceeded
	doubts := Doubts(c, now, false)
	require.Len(t, doubts, 1)
	assert.True(t, strings.HasPrefix(doubts[0], "has 4 pods that start after 2026-01-01 00:00:00 UTC, the time of this answer: default/b, default/c, default/d and 1 more;"), doubts[0])
	assert.Empty(t, Doubts(c, now.Add(time.Hour), true))
}

// A flag takes no time that an answer could not say.
func TestParse(t *testing.T) {
	for _, text := range []string{"2026-01-10T12:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-01-10T12:00:00.5+14:00"} {
		at, err := Parse(text)
		require.NoError(t, err, text)
		_, err = json.Marshal(at.UTC())
		assert.NoError(t, err, text)
	}
	for _, text := range []string{"", "noon", "0001-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "9999-12-31T23:59:59-10:00", "0000-01-01T00:00:00+23:59"} {
		_, err := Parse(text)
		assert.Error(t, err, text)
	}
}

// A time of any year can be written.
func TestTimes(t *testing.T) {
	for want, at := range map[string]time.Time{
		"2026-01-10T12:00:00+03:00": time.Date(2026, 1, 10, 12, 0, 0, 0, time.FixedZone("", 3*3600)),
		"10000-01-01T09:59:59Z":     time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("", -10*3600)),
		"-0001-12-31T00:01:00Z":     time.Date(-1, 12, 31, 0, 1, 0, 0, time.UTC),
	} {
		text, err := json.Marshal(struct {
			At   Time `json:"at"`
			None Time `json:"none,omitzero"`
		}{At: Time{at}})
		require.NoError(t, err)
		assert.JSONEq(t, `{"at":"`+want+`"}`, string(text))
	}
}
