package state

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Pods that come and go leave the index as large as it was: it grows by the pods that are there, and not by those that
// have been.
func TestIndexDoesNotGrowByPodsThatAreGone(t *testing.T) {
	x := newPodIndex(10)
	cells := x.size()
	for i := range 10 * cells {
		p := &PodState{Pod: &outrank.Pod{Name: fmt.Sprint("p", i)}}
		x.set(p)
		x.remove(p)
	}
	require.Equal(t, cells, x.size())
	require.Zero(t, x.pods)
}
