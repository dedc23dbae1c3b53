package current

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// Both choose the same node and the same victims on every real cluster, in whatever way outrank is asked.
func TestMeasureReal(t *testing.T) {
	differential.Quiet()
	for _, row := range gen.RealRows() {
		c, err := Harness.MeasureReal(row, 24, 1)
		require.NoError(t, err)
		assert.NotEmpty(t, c.Victims, row)
		assert.Len(t, c.Ours, len(gen.RealWays()), row)
	}
	_, err := Harness.MeasureReal("odd", 24, 1)
	assert.ErrorContains(t, err, `no row "odd"`)
}
