package current

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// Both choose the same node of the benchmark cluster, and outrank is faster.
func TestMeasure(t *testing.T) {
	differential.Quiet()
	ms, err := Harness.Measure(100, 20, 1)
	require.NoError(t, err)
	require.Len(t, ms, 2)
	for _, m := range ms {
		assert.NotEmpty(t, m.Node)
		assert.Greater(t, m.Ratio(), 1.0)
	}
}
