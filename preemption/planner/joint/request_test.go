package joint

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The pods of a request are pending as they stand there, and nominated as the snapshot knows it.
func TestPodsOfARequestArePending(t *testing.T) {
	known := &outrank.Pod{Name: "p", UID: "1", NominatedNodeName: "n1", DeletionTimestamp: time.Unix(1, 0)}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1"}, {Name: "n2"}}, Pods: []*outrank.Pod{known}})
	require.NoError(t, err)
	for _, test := range []struct {
		name          string
		pod           *outrank.Pod
		nominated     string // by the snapshot
		bare          bool
		wantNominated string
		wantErr       error
	}{
		{name: "another version", pod: &outrank.Pod{Name: "p", UID: "1", NominatedNodeName: "n1", DeletionTimestamp: time.Unix(2, 0)}, nominated: "n1", wantNominated: "n1"},
		{name: "an older version", pod: &outrank.Pod{Name: "p", UID: "1"}, nominated: "n1", wantNominated: "n1"},
		{name: "nominated to another node by now", pod: &outrank.Pod{Name: "p", UID: "1", NominatedNodeName: "n1"}, nominated: "n2", wantNominated: "n2"},
		{name: "nominated no more", pod: &outrank.Pod{Name: "p", UID: "1", NominatedNodeName: "n1"}, wantNominated: ""},
		{name: "its nomination is left out", pod: &outrank.Pod{Name: "p", UID: "1", NominatedNodeName: "n1"}, nominated: "n1", bare: true, wantNominated: ""},
		{name: "without a UID", pod: &outrank.Pod{Name: "p"}, nominated: "n2", wantNominated: "n2"},
		{name: "an unknown pod", pod: &outrank.Pod{Name: "q", NominatedNodeName: "n2"}, wantNominated: "n2"},
		{name: "another pod of the name", pod: &outrank.Pod{Name: "p", UID: "2"}, wantErr: preemption.ErrState},
		{name: "a finished pod", pod: &outrank.Pod{Name: "p", UID: "1", Phase: outrank.PhaseFailed}, wantErr: preemption.ErrState},
		{name: "a pod that runs", pod: &outrank.Pod{Name: "p", UID: "1", NodeName: "n1"}, wantErr: preemption.ErrState},
	} {
		t.Run(test.name, func(t *testing.T) {
			at := snap.Clone()
			require.NoError(t, at.Nominate(known.Key(), test.nominated))
			got, err := pending(at, []*outrank.Pod{test.pod}, map[*outrank.Pod]bool{test.pod: test.bare})
			if test.wantErr != nil {
				require.ErrorIs(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			stands, _ := got.Pod(test.pod.Key())
			assert.Same(t, test.pod, stands)
			assert.Equal(t, test.wantNominated, got.NominationOf(test.pod.Key()))
			before, _ := at.Pod(known.Key())
			assert.Same(t, known, before, "the caller's snapshot is as it was")
		})
	}
}
