package queue

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/filter"
)

// The queue knows which events help each filter, and what each looks at in a pod.
func TestEveryFilterIsKnown(t *testing.T) {
	assert.ElementsMatch(t, filter.Names(), slices.Collect(maps.Keys(helpers)))
	assert.ElementsMatch(t, filter.Names(), slices.Collect(maps.Keys(looksAt)))
}
