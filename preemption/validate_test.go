package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The address of a rule for victims, and what embeds one, would be a rule for Go, and is refused: nothing reads it.
func TestVictimRulesAreValues(t *testing.T) {
	for _, rule := range []preemption.VictimRule{
		&preemption.Exact{}, &preemption.Across{}, &preemption.Chooser{}, (*preemption.Exact)(nil), struct{ preemption.Exact }{},
	} {
		err := (&preemption.Config{Victims: rule}).Validate()
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, "preemption config: Victims: a ")
	}
	for _, rule := range []preemption.VictimRule{preemption.Exact{}, preemption.Across{}, nil} {
		assert.NoError(t, (&preemption.Config{Victims: rule}).Validate())
	}
}
