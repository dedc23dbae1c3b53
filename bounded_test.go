package outrank_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	"github.com/outrank-go/outrank/resource"
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

// A node's amounts are such a list, also where no pod asks for one of them (rule 26.1.8).
func TestLongNodesAreRefused(t *testing.T) {
	n := &outrank.Node{Name: "n", Allocatable: resource.List{}}
	for i := range 10_000 {
		n.Allocatable[resource.Name(fmt.Sprint("example.com/r", i))] = resource.New(1)
	}
	require.NoError(t, n.Validate())
	n.Allocatable["pods"] = resource.New(1)
	assert.EqualError(t, n.Validate(), "node n: status.allocatable: 10001 entries, and there can be 10000")
}
