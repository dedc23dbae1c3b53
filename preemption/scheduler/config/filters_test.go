package config

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	filters "github.com/outrank-go/outrank/internal/filter"
)

// The default profile of a release with all gates has every filter, and the one
// that this module does not decide with.
func TestEveryFilterIsKnown(t *testing.T) {
	all, err := outrank.V1_37.With(map[string]bool{"InPlacePodVerticalScalingSchedulerPreemption": true})
	require.NoError(t, err)
	assert.ElementsMatch(t, append(filters.Names(), dynamicResources), defaultsIn(all).servingPoint(filter))
}
