package execution_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/outrank-go/outrank/preemption/kube" // the JSON of pods
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// No exported field of a report or result prints as a bare number that means a
// word.
func TestReportsHaveNoBareEnums(t *testing.T) {
	text, err := json.Marshal(execution.Verdict{Nomination: execution.Nomination{Override: true, Node: "n1"}, Result: execution.Requeued})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"Override":true,"Node":"n1"`)
	assert.Contains(t, string(text), `"Result":"requeued"`)
	text, err = json.Marshal(execution.Report{Result: execution.Completed, Victims: []execution.PodReport{{Result: execution.Evicted}}})
	require.NoError(t, err)
	assert.Contains(t, string(text), `"Result":"completed"`)
	assert.Contains(t, string(text), `"Result":"evicted"`)
}
