package explain

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/filter"
)

// An explanation names what stands behind a status of each filter.
func TestEveryFilterIsKnown(t *testing.T) {
	assert.ElementsMatch(t, filter.Names(), slices.Collect(maps.Keys(behind)))
}
