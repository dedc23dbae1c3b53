package execution_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/execution"
	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods
)

// Reports that are written as JSON say in words what was done. The words never
// change.
func TestWords(t *testing.T) {
	for _, test := range []struct {
		value any // the first of its type
		words []string
	}{
		{execution.Interrupted, []string{"interrupted", "completed", "preemptor-gone", "preemptor-bound"}},
		{execution.Skipped, []string{"skipped", "evicted", "rejected-while-waiting", "already-terminating", "already-evicted", "already-gone", "failed"}},
		{execution.OrderOfRelease, []string{"of-release", "synchronous", "asynchronous"}},
		{execution.NoNodes, []string{"no-nodes", "no-fit", "node-refused", "scheduler-failed"}},
		{execution.KeepNomination, []string{"keep", "set", "drop"}},
		{execution.Requeued, []string{"requeued", "gone", "bound", "replaced"}},
	} {
		for v := range 256 {
			e := reflect.New(reflect.TypeOf(test.value)).Elem()
			e.SetUint(uint64(v))
			text, err := json.Marshal(e.Interface())
			if v >= len(test.words) {
				assert.ErrorIs(t, err, outrank.ErrInvalid)
				assert.ErrorContains(t, err, fmt.Sprintf("%T: there is no value %d", test.value, v))
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, `"`+test.words[v]+`"`, string(text), "%T %d", test.value, v)
		}
	}
}

// No exported field of a report or result prints as a bare number that means a
// word.
func TestReportsHaveNoBareEnums(t *testing.T) {
	text, err := json.Marshal(execution.FailureResult{Verdict: execution.Verdict{Kind: execution.NoFit, Nomination: execution.Nomination{Change: execution.SetNomination}}})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"Kind":"no-fit"`)
	assert.Contains(t, string(text), `"Change":"set"`)
	assert.Contains(t, string(text), `"Requeue":"requeued"`)
	text, err = json.Marshal(execution.Report{Result: execution.Completed, Victims: []execution.VictimReport{{Result: execution.Evicted}}})
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"Result":"completed"`)
	assert.Contains(t, string(text), `"Result":"evicted"`)
}
