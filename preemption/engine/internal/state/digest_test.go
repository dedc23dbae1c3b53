package state_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// A snapshot and its scratch are searched at once, after a change that neither has looked at yet.
// What the one makes anew the other never reads, which the race detector holds them to.
func TestScratchIsSearchedBesideItsOrigin(t *testing.T) {
	t.Parallel()
	c := &outrank.Cluster{}
	for i := range 3 {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", "4", "pods", "100")})
	}
	snap := snapshotOf(t, c)
	_, _, err := snap.Digests(context.Background())
	require.NoError(t, err)
	snap.Sieve(0)

	for i := range 20 {
		_, err := snap.PutPod(&outrank.Pod{
			Name: fmt.Sprint(i), NodeName: fmt.Sprint("n", i%3),
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "100m")}},
		})
		require.NoError(t, err)

		scratch := snap.Scratch()
		var both sync.WaitGroup
		both.Go(func() {
			_, _, err := snap.Digests(context.Background())
			assert.NoError(t, err)
			snap.Sieve(0)
		})
		both.Go(func() {
			_, _, err := scratch.Digests(context.Background())
			assert.NoError(t, err)
			scratch.Sieve(0)
		})
		both.Wait()
	}
}
