package engine

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Snapshot is the indexed state of a cluster: nodes, the pods on them, pending
// pods with their nominations, budgets and pod groups. It keeps pointers to the
// objects that it is given and never changes them. The caller must not change
// them either while the snapshot holds them. Which node a pod runs on or is
// nominated to is the snapshot's own knowledge: it starts from the pods'
// fields, and Bind and Nominate change it.
//
// A snapshot also caches the answers of its nodes for preemptors that are asked
// about again and again, by the signature of the pod (priority, requests, tolerations, and
// all else that filters read of it). The next decision about an equal pod looks
// only at nodes that changed since. The cache takes about eighty bytes for each
// node and signature, and is bounded.
//
// Any number of goroutines may read a snapshot, and evaluate on it, at once. A
// change must not run at the same time as any other call. [Snapshot.Clone]
// makes a snapshot for another goroutine.
//
// The zero Snapshot is an empty cluster of the default release, as NewSnapshot(nil)
// makes it. A Snapshot must not be copied: the copy and the original would write the same
// indexes. go vet finds a copy; [Snapshot.Clone] makes what a copy is meant for.
type Snapshot struct {
	_  noCopy
	of *state.Snapshot // nil for the zero Snapshot, until its first change
}

var errNoSnapshot = fmt.Errorf("%w: no snapshot", outrank.ErrInvalid)

// noCopy has the methods of a lock, by which go vet knows what must not be copied.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// Mark is a point in the history of a snapshot that Undo can return to.
type Mark struct{ of state.Mark }

// NewSnapshot indexes a cluster. It keeps the cluster's objects, not its
// slices. The error is that of [outrank.Cluster.Validate], with every problem
// at once. Finished pods are left out. Pods on a node that does not exist count
// nowhere until the node is added. Time is that of sorting each node's pods.
func NewSnapshot(c *outrank.Cluster) (*Snapshot, error) {
	of, err := state.New(c, state.UsualTraits)
	if err != nil {
		return nil, err
	}
	return &Snapshot{of: of}, nil
}

// nothing is the state that a zero Snapshot reads. Nobody writes it.
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
