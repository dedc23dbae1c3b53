package current

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// Both choose the same node in every row of the matrix.
func TestMeasure(t *testing.T) {
	differential.Quiet()
	var cells []*differential.Cell
	for _, row := range gen.MatrixRows() {
		c, err := Harness.Measure(differential.Cell{Row: row, Nodes: 30, Budgets: 20}, 1)
		require.NoError(t, err)
		assert.Equal(t, row == "never-fits" || row == "nobody-lower", c.Node == "", row)
		assert.Positive(t, c.Ratios()[0])
		cells = append(cells, c)
	}
	sampled, err := Harness.Measure(differential.Cell{Row: "plain", Nodes: 30, Sampled: true}, 1)
	require.NoError(t, err)
	assert.NotEmpty(t, sampled.Node)
	var table bytes.Buffer
	differential.WriteCells(&table, cells)
	for _, row := range gen.MatrixRows() {
		assert.Contains(t, table.String(), "| "+row+" |")
	}
	_, err = Harness.Measure(differential.Cell{Row: "odd"}, 1)
	assert.ErrorContains(t, err, `no row "odd"`)
}
