package current

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/outrank-go/outrank/internal/tests/gen"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

// Both choose the same node in every row of the matrix, and take as many victims for a group.
func TestMeasure(t *testing.T) {
	differential.Quiet()
	var cells []*differential.Cell
	for _, row := range gen.MatrixRows() {
		c, err := Harness.Measure(differential.Cell{Row: row, Nodes: 30, Budgets: 20}, 1)
		require.NoError(t, err)
		assert.Equal(t, row == "never-fits" || row == "nobody-lower", c.Node == "", row)
		assert.Positive(t, c.Ratio())
		assert.Positive(t, c.Slower())
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
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, groupGate, true)
	group, err := MeasureGroup(8, 30, 20)
	require.NoError(t, err)
	assert.Positive(t, group.Ratio())
	_, err = Harness.Measure(differential.Cell{Row: "odd"}, 1)
	assert.ErrorContains(t, err, `no row "odd"`)
}
