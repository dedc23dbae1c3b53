package engine

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Snapshot is the indexed state of a cluster: nodes, the pods on them, pending pods with their nominations,
// budgets and pod groups. It keeps pointers to the objects that it is given and never changes them. The
// caller must not change them either while the snapshot holds them. The snapshot itself keeps which node a
// pod runs on or is nominated to. It starts from the pods' fields, and Bind and Nominate change it.
//
// A snapshot also caches the answers of its nodes to preemptors that come again and again, by the signature
// of the pod (priority, requests, tolerations, and everything else that filters read of it). The next
// decision about a pod with the same signature looks only at nodes that have changed since. The cache takes
// about eighty bytes for each node and signature, and is bounded.
//
// Any number of goroutines may read a snapshot, and evaluate on it, at once. A
// change must not run at the same time as any other call. [Snapshot.Clone]
// makes a snapshot for another goroutine.
//
// The zero Snapshot is an empty cluster of the default release, as NewSnapshot(nil) makes it. A Snapshot must
// not be copied, because the copy and the original would write the same indexes; go vet finds such copies.
// [Snapshot.Clone] makes an independent one.
type Snapshot struct {
	_  noCopy
	of *state.Snapshot // nil for the zero Snapshot, until its first change
}

var errNoSnapshot = fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)

// noCopy has the methods of a lock, so that go vet reports copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Mark is a point in the history of a snapshot that Undo can return to.
type Mark struct{ of state.Mark }

// NewSnapshot indexes a cluster. It keeps the cluster's objects, not its slices. It returns the error of
// [outrank.Cluster.Validate], with every problem at once. Finished pods are left out. Pods on a node that
// does not exist count nowhere until the node is added. Time is that of sorting each node's pods.
func NewSnapshot(c *outrank.Cluster) (*Snapshot, error) {
	of, err := state.New(c, state.UsualTraits)
	if err != nil {
		return nil, err
	}
	return &Snapshot{of: of}, nil
}

// nothing is the state that a zero Snapshot reads. It is never written.
var nothing state.Snapshot

// reads returns the state for calls that change nothing.
func (s *Snapshot) reads() *state.Snapshot {
	if s.of == nil {
		return &nothing
	}
	return s.of
}

// writes returns the state for calls that change it.
func (s *Snapshot) writes() *state.Snapshot {
	if s.of == nil {
		s.of = state.Empty()
	}
	return s.of
}
