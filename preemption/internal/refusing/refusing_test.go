package refusing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption/internal/refusing"
)

// A state that embeds a refusal is told from others, and has the status that was put in.
func TestStatesThatRefuse(t *testing.T) {
	type refuses struct{ refusing.Of[string] }
	var state any = refuses{refusing.Of[string]{Status: "closed"}}
	refusal, ok := state.(refusing.State[string])
	assert.True(t, ok)
	assert.Equal(t, "closed", refusal.Refused().Status)
	_, ok = any(struct{}{}).(refusing.State[string])
	assert.False(t, ok)
}
