package explain_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// A score is written and read back with each of its fields, with the plain sum of the priorities and
// with a start of any year.
func TestScoresOfAnyYear(t *testing.T) {
	of := func(s preemption.Score) explain.NodeAnswer {
		return explain.NodeAnswer{Verdict: explain.Verdict{Score: &s}}
	}
	for want, at := range map[string]time.Time{
		"2026-01-10T12:00:00.5Z": time.Date(2026, 1, 10, 12, 0, 0, 500_000_000, time.UTC),
		"9999-12-31T23:59:59Z":   time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		"10000-01-01T00:00:00Z":  time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
		"-0001-12-31T00:01:00Z":  time.Date(-1, 12, 31, 0, 1, 0, 0, time.UTC),
	} {
		answer := of(preemption.Score{Violations: 1, TopPriority: 2, PrioritySum: 3 + 4<<31, Victims: 4, Start: at, Own: map[string]int64{"cost": 5}})
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"score":{"violations":1,"topPriority":2,"prioritySum":3,"victims":4,"start":"`+want+`","own":{"cost":5}}`)
		var read explain.NodeAnswer
		require.NoError(t, json.Unmarshal(text, &read))
		assert.Equal(t, *answer.Score, *read.Score)
	}
	text, err := json.Marshal(of(preemption.Score{}))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"score":{"violations":0,"topPriority":0,"prioritySum":0,"victims":0}`)
	kept := of(preemption.Score{Victims: 7})
	for broken, field := range map[string]string{
		`{"score":{"start":"noon"}}`: "score.start", `{"score":{"victims":"x"}}`: "score.victims", `{"budgets":[{},{"victims":3}]}`: "budgets[1].victims",
	} {
		err := json.Unmarshal([]byte(broken), &kept)
		assert.ErrorIs(t, err, outrank.ErrInvalid)
		var input *outrank.InputError
		require.ErrorAs(t, err, &input)
		assert.Equal(t, field, input.Problems[0].Field)
		assert.Equal(t, of(preemption.Score{Victims: 7}), kept)
	}
}
