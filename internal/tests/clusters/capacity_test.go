package clusters

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/resource"
)

// Amounts close to the largest there is, for which no cluster of a test is
// large enough.
func TestCapacityDoesNotOverflow(t *testing.T) {
	for _, name := range []resource.Name{resource.CPU, resource.Memory, gpu} {
		for _, used := range []int64{math.MaxInt64, math.MaxInt64 / 2, math.MaxInt64 / 200, 1 << 40} {
			for _, percent := range []int64{1, 95, 205} {
				q := capacity(name, used, percent, true)
				assert.Positive(t, resource.Amount(name, q), "%s: %d used, %d percent", name, used, percent)
			}
		}
	}
	assert.EqualValues(t, 2000, resource.Amount(resource.CPU, capacity(resource.CPU, 950, 95, true)))
	assert.EqualValues(t, 1000, resource.Amount(resource.CPU, capacity(resource.CPU, 950, 95, false)))
}
