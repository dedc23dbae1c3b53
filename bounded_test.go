package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/hostile"
)

// Where each entry of a list is compared with each of another one, 10,000 of them can be read, and
// more are an error that names the list (rule 26.1.8).
func TestLongListsAreRefused(t *testing.T) {
	const most = 10_000
	for _, lists := range hostile.Bounded {
		c, asks := lists.Cluster(most - 9) // some are there besides
		require.NoError(t, asks.Validate(), lists.Name)
		require.NoError(t, c.Validate(), lists.Name)

		c, asks = lists.Cluster(most + 1)
		assert.ErrorContains(t, asks.Validate(), "entries, and there can be 10000", lists.Name)
		c.Pods = append(c.Pods, asks)
		assert.ErrorContains(t, c.Validate(), "entries, and there can be 10000", lists.Name)
	}
}
