package sim

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

// Where a sample of nodes begins is decided by the seed: at the first node with none, and else at one that another
// seed mostly differs in and the same seed does not.
func TestSampleBeginsBySeed(t *testing.T) {
	preempted := func(seed uint64) (at string) {
		cluster := nodes()
		var work []Work
		for i := range 10 {
			cluster.Nodes = append(cluster.Nodes, node(fmt.Sprint("n", i), "1"))
			work = append(work, endless(asking(fmt.Sprint("batch-", i), 0, "1"), 0))
		}
		work = append(work, endless(asking("urgent", 9, "1"), 100))
		s, err := New(cluster, work, Config{
			Seed: seed, End: seconds(200),
			Schedulers: []Scheduler{{Name: "default-scheduler", Preemption: preemption.Config{Sample: &preemption.Sample{Percent: -1, Minimum: 1}}}},
			Decided: func(d Decision) error {
				at = d.Plan.Node
				return nil
			},
		})
		require.NoError(t, err)
		_, err = s.Run(context.Background())
		require.NoError(t, err)
		require.NotEmpty(t, at)
		return at
	}
	assert.Equal(t, "n0", preempted(0))
	seen := map[string]bool{}
	for seed := range uint64(20) {
		at := preempted(seed + 1)
		assert.Equal(t, at, preempted(seed+1))
		seen[at] = true
	}
	assert.Greater(t, len(seen), 4)
}
