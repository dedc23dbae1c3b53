package dryrun_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// After any sequence of pods removed and added, a node answers as a new attempt
// on the cluster with the same changes. Three rules of the reference break this
// on purpose and are left out: host ports are a set, terminating pods are
// subtracted from a spread that never counted them, and a filter that had
// nothing to do at the start does not look at nominated pods.
func TestPropertyFollowingEqualsAskingAfresh(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]gen.Shape{
		"nominated": {Nominated: 4, Taints: true, Selectors: true},
		"affinity":  {Nodes: 8, PodsPerNode: 4, Affinity: true, Spread: true},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shape).Draw(t, "cluster")
				p := gen.Preemptor(shape).Draw(t, "preemptor")
				for _, q := range c.Pods {
					q.DeletionTimestamp = time.Time{}
				}
				follow(t, c, p)
			})
		})
	}
}

func follow(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
	snap, err := state.New(c, state.UsualTraits)
	require.NoError(t, err)
	a := attemptOn(t, snap, p)
	w := dryrun.NewDryRunner(a)
	n := snap.NodeStates[rapid.SampledFrom(snap.Order).Draw(t, "node")]
	w.Enter(n)
	there := slices.Clone(n.Pods)
	if len(there) == 0 {
		return
	}
	gone := map[*state.PodState]bool{}
	mark := snap.Mark()
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		q := rapid.SampledFrom(there).Draw(t, "pod")
		if gone[q] {
			w.Change(q, 1)
			snap.Put(q)
		} else {
			w.Change(q, -1)
			snap.Drop(q)
		}
		gone[q] = !gone[q]
		fresh := attemptOn(t, snap, p)
		other := dryrun.NewDryRunner(fresh)
		other.Enter(snap.NodeState(n.Name))
		require.Equal(t, fresh.Public(other.Check()), a.Public(w.Check()), "node %s", n.Name)
	}
	require.NoError(t, snap.Undo(mark))
}

func attemptOn(t *rapid.T, snap *state.Snapshot, p *outrank.Pod) *dryrun.Attempt {
	a, err := dryrun.NewAttempt(context.Background(), &dryrun.Terms{}, snap, p, gen.Now)
	require.NoError(t, err)
	return a
}
