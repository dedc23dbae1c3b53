package dryrun_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
)

// EnoughOf says how many candidates end the search (rules 10.1.2 and 10.1.5).
func TestEnoughOf(t *testing.T) {
	for _, test := range []struct {
		name   string
		sample preemption.Sample
		nodes  int
		want   int
	}{
		{"a tenth", preemption.Sample{}, 5000, 500},
		{"or a hundred", preemption.Sample{}, 300, 100},
		{"never more than there are", preemption.Sample{}, 60, 60},
		{"a percentage", preemption.Sample{Percent: 50, Minimum: 1}, 300, 150},
		{"a minimum", preemption.Sample{Percent: 1, Minimum: 7}, 300, 7},
		{"no percentage", preemption.Sample{Percent: -1}, 5000, 100},
		{"no minimum, and less than one node", preemption.Sample{Percent: 1, Minimum: -1}, 99, 0},
		{"no minimum, and one node", preemption.Sample{Percent: 1, Minimum: -1}, 100, 1},
	} {
		assert.Equal(t, test.want, dryrun.EnoughOf(&test.sample, test.nodes), test.name)
	}
}

// The search may begin at any offset and goes round (rule 10.1.1).
func TestStartOf(t *testing.T) {
	for offset, want := range map[int]int{0: 0, 3: 3, 5: 0, 7: 2, -1: 4, -5: 0, -6: 4} {
		assert.Equal(t, want, dryrun.StartOf(offset, 5), "offset %d of 5 nodes", offset)
	}
}

// Every position is visited once, by any of the workers.
func TestInChunks(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		for _, n := range []int{0, 1, 63, 64, 65, 300} {
			visits := make([]int, n)
			require.NoError(t, dryrun.InChunks(context.Background(), workers, n, 16, func(_, from, to int) {
				for i := from; i < to; i++ {
					visits[i]++
				}
			}))
			assert.False(t, slices.ContainsFunc(visits, func(times int) bool { return times != 1 }), "%d workers, %d positions: %v", workers, n, visits)
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	require.ErrorIs(t, dryrun.InChunks(ended, 2, 300, 16, func(int, int, int) {}), context.Canceled)
}

// Statuses are sorted by the number of nodes that have them, the most frequent first.
func TestSortCounts(t *testing.T) {
	count := func(nodes int, filter, reason string) preemption.Count {
		s := preemption.Unschedulable.Because(reason)
		s.Filter = filter
		return preemption.Count{Nodes: nodes, Status: s}
	}
	counts := []preemption.Count{count(1, "B", "x"), count(3, "A", "y"), count(1, "A", "y"), count(2, "C", "z"), count(1, "A", "x")}
	dryrun.SortCounts(counts)
	var got []string
	for _, c := range counts {
		got = append(got, fmt.Sprint(c.Nodes, c.Status.Filter, c.Status.Reasons))
	}
	assert.Equal(t, []string{"3A[y]", "2C[z]", "1A[x]", "1A[y]", "1B[x]"}, got)
}
