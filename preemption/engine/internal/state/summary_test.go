package state_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// A summary fills one cache line: a pass over all nodes reads little else.
func TestSummaryFillsACacheLine(t *testing.T) {
	assert.EqualValues(t, 64, unsafe.Sizeof(state.NodeSummary{}))
}
