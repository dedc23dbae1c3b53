package reference

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/internal/filter"
)

func TestEveryFilterIsKnown(t *testing.T) {
	var names []string
	for _, f := range filters {
		names = append(names, f.name)
	}
	assert.Equal(t, filter.Names(), names)
}
