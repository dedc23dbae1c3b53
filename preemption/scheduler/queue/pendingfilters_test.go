package queue

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// A pod that waits for something of a filter's own is tried at once when an event
// may help that filter, whatever is left of its backoff, and after its backoff when
// the event may help another one (rule 5.4.11).
func TestPendingFiltersCutBackoffShort(t *testing.T) {
	for _, c := range []struct {
		name            string
		failed, pending []string
		event           ClusterEventKind
		want            Parts[int]
	}{
		{"the pending one", nil, []string{"VolumeBinding"}, EventStorageChanged, Parts[int]{Active: 1}},
		{"the pending one of two", []string{"NodePorts"}, []string{"VolumeBinding"}, EventStorageChanged, Parts[int]{Active: 1}},
		{"named twice", []string{"VolumeBinding"}, []string{"VolumeBinding"}, EventStorageChanged, Parts[int]{Active: 1}},
		{"the other of two", []string{"NodePorts"}, []string{"VolumeBinding"}, EventAssignedPodDeleted, Parts[int]{Backoff: 1}},
		{"neither", []string{"NodePorts"}, []string{"VolumeBinding"}, EventAssignedPodAdded, Parts[int]{Unschedulable: 1}},
		{"nothing is pending", []string{"VolumeBinding"}, nil, EventStorageChanged, Parts[int]{Backoff: 1}},
		{"an event about everything", nil, []string{"VolumeBinding"}, "", Parts[int]{Backoff: 1}},
		{"an event of the caller's", nil, []string{"Devices"}, "ClaimAllocated", Parts[int]{Active: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, during := range []bool{false, true} {
				q, err := New(Config{NoEarlyPop: true})
				require.NoError(t, err)
				require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
				e, ok := q.TryPop(noon)
				require.True(t, ok)
				e.FailedFilters, e.PendingFilters = c.failed, c.pending
				if during {
					q.MoveAll(ClusterEvent{Kind: c.event}, noon)
				}
				require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
				if !during {
					require.Equal(t, Parts[int]{Unschedulable: 1}, q.Counts())
					q.MoveAll(ClusterEvent{Kind: c.event}, noon)
				}
				require.Equal(t, c.want, q.Counts(), "during the attempt: %v", during)
			}
		})
	}
}

// Pending filters count as failed ones, are sorted, are the queue's own, and are gone
// with the next attempt.
func TestPendingFiltersOfAnEntry(t *testing.T) {
	q, err := New(Config{})
	require.NoError(t, err)
	require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
	e, _ := q.TryPop(noon)
	given := []string{"z", "a", "z"}
	e.FailedFilters, e.PendingFilters = []string{"m"}, given
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
	given[0] = "changed"
	inside := q.Pending().Unschedulable[0]
	require.Equal(t, []string{"a", "z"}, inside.PendingFilters)
	require.Equal(t, []string{"a", "m", "z"}, inside.FailedFilters)
	require.Equal(t, [2]int{1, 0}, [2]int{inside.Refusals, inside.Errors}, "no error")
	inside.PendingFilters[0] = "changed"
	require.Equal(t, []string{"a", "z"}, q.Pending().Unschedulable[0].PendingFilters)
	e, ok := q.TryPop(noon.Add(time.Hour))
	require.True(t, ok)
	require.Empty(t, e.PendingFilters)
	require.Empty(t, e.FailedFilters)
}

// The caller's hints are asked about all filters, and then about the pending ones
// alone; an update of the pod itself is such an event, too.
func TestHintsAboutPendingFilters(t *testing.T) {
	var asked [][]string
	q, err := New(Config{NoEarlyPop: true, Helps: func(e *Entry, _ ClusterEvent) bool {
		asked = append(asked, slices.Clone(e.FailedFilters))
		return slices.Contains(e.FailedFilters, "Devices")
	}})
	require.NoError(t, err)
	require.NoError(t, q.Add(&outrank.Pod{Name: "p"}, noon))
	e, _ := q.TryPop(noon)
	e.FailedFilters, e.PendingFilters = []string{"NodePorts"}, []string{"Devices"}
	require.NoError(t, q.AddUnschedulableIfNotPresent(e, noon))
	require.NoError(t, q.Update(&outrank.Pod{Name: "p", Labels: map[string]string{"claim": "ready"}}, noon))
	require.Equal(t, Parts[int]{Active: 1}, q.Counts())
	require.Equal(t, [][]string{{"Devices", "NodePorts"}, {"Devices"}}, asked)
}
