package priority_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/priority"
)

// No pod helps nobody, wherever those are who wait for a neighbour.
func TestNoAssignedPod(t *testing.T) {
	q, err := priority.NewQueue(priority.QueueConfig{})
	require.NoError(t, err)
	require.NoError(t, q.Add(seeker(asWas), midnight))
	e, _ := q.TryPop(midnight)
	require.Zero(t, q.AssignedPodAdded(nil, midnight))
	require.Zero(t, q.AssignedPodUpdated(nil, midnight))
	e.FailedFilters = []string{"InterPodAffinity"}
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, midnight))
	require.Equal(t, priority.Counts{Unschedulable: 1}, q.Counts())
	require.Zero(t, q.AssignedPodAdded(nil, midnight))
	require.Zero(t, q.AssignedPodUpdated(nil, midnight))
	require.Equal(t, priority.Counts{Unschedulable: 1}, q.Counts())
}
