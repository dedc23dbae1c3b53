package state_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// Pods that come and go leave the index as large as it was: it grows by the pods that are there, and not by those that
// have been.
func TestIndexDoesNotGrowByPodsThatAreGone(t *testing.T) {
	s := snapshotOf(t, &outrank.Cluster{})
	index := reflect.ValueOf(&s.PodStates).Elem()
	pages := func() int { return index.FieldByName("pages").Len() }
	before := pages()
	require.Equal(t, 1, before, "which is 128 cells")
	for i := range 10 * 128 {
		p := &outrank.Pod{Name: fmt.Sprint("p", i)}
		_, err := s.PutPod(p)
		require.NoError(t, err)
		require.NoError(t, s.RemovePod(p.Key()))
	}
	require.Equal(t, before, pages())
	require.Zero(t, index.FieldByName("pods").Int())

	// By those that are there it does grow.
	for i := range 128 {
		_, err := s.PutPod(&outrank.Pod{Name: fmt.Sprint("p", i)})
		require.NoError(t, err)
	}
	require.Greater(t, pages(), before)
}
