package engine_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// enum is a type whose values have words.
type enum interface {
	~uint8
	comparable
	encoding.TextMarshaler
}

// words checks that an enum has exactly these words, beginning with value first,
// each of which is read back as its value, and that nothing else is a word.
func words[E enum, P interface {
	*E
	encoding.TextUnmarshaler
}](t *testing.T, first E, want ...string) {
	t.Helper()
	name := fmt.Sprintf("%T", first)
	for v := range 256 {
		e := E(v)
		text, err := json.Marshal(e)
		if i := v - int(first); i < 0 || i >= len(want) {
			assert.ErrorIs(t, err, outrank.ErrInvalid, "%s %d", name, v)
			assert.ErrorContains(t, err, fmt.Sprintf("%s: there is no value %d", name, v))
			continue
		}
		require.NoError(t, err, "%s %d", name, v)
		assert.Equal(t, `"`+want[v-int(first)]+`"`, string(text), "%s %d", name, v)
		read := E(255)
		require.NoError(t, json.Unmarshal(text, &read), "%s %s", name, text)
		assert.Equal(t, e, read)
	}
	for _, bad := range []string{`"Preempt"`, `"fits "`, `"no such word"`, `"Success"`, `3`} {
		read := first
		err := json.Unmarshal([]byte(bad), &read)
		assert.Error(t, err, "%s %s", name, bad)
		assert.Equal(t, first, read, "%s %s", name, bad)
	}
	err := P(new(E)).UnmarshalText([]byte("nonsense"))
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, name+`: "nonsense" is none of `)
}

// The words that programs read. They never change.
func TestWords(t *testing.T) {
	words(t, preemption.Success, "success", "unschedulable", "unschedulable-and-unresolvable", "contradiction")
	words(t, preemption.Fits, "fits", "not-eligible", "nothing-helps", "preempt")
	words(t, preemption.Eligible, "eligible", "policy-never", "victims-terminating", "nominated", "disabled", "by-caller")
	words(t, preemption.Rank(0), "", "budget-violations", "top-priority", "priority-sum", "victim-count", "start-time", "node-order", "own-score", "cost")
}

// Every value that has a text for people has a word for programs.
func TestEveryValueHasAWord(t *testing.T) {
	for v := range 256 {
		for _, e := range []interface {
			fmt.Stringer
			encoding.TextMarshaler
		}{preemption.Code(v), preemption.Outcome(v), preemption.Ineligibility(v)} {
			_, err := e.MarshalText()
			unknown := e.String() == fmt.Sprintf("%s(%d)", strings.TrimPrefix(fmt.Sprintf("%T", e), "preemption."), v)
			assert.Equal(t, unknown, err != nil, "%T %d", e, v)
		}
	}
}
