package engine

import (
	"iter"

	"github.com/outrank-go/outrank"
)

// PutNode adds or replaces a node, as an informer delivers it. A new node comes behind all others, and a
// known one keeps its place and its pods. Pods that already name a new node are on it from then on. It
// returns the error of [outrank.Node.Validate]. Time is linear in the pods on the node. [Snapshot.Undo] takes
// the change back.
func (s *Snapshot) PutNode(n *outrank.Node) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().PutNode(n)
}

// RemoveNode removes a node. Its pods stay known, as in the scheduler's cache,
// but count nowhere until they are removed or the node comes back. Error:
// [preemption.ErrNotFound]. Time is linear in the number of nodes.
func (s *Snapshot) RemoveNode(name string) error {
	if s == nil {
		return errNoSnapshot
	}
	return s.writes().RemoveNode(name)
}

// Nodes iterates over the nodes in the caller's order. The loop may change the snapshot: a node that it
// removes before its turn is left out, a node that it replaces comes in the new version, and a node that it
// adds may come or not.
func (s *Snapshot) Nodes() iter.Seq[*outrank.Node] {
	return s.reads().Nodes()
}

// NumNodes returns the number of nodes.
func (s *Snapshot) NumNodes() int {
	return len(s.reads().Order)
}

// Node returns a node by its name.
func (s *Snapshot) Node(name string) (*outrank.Node, bool) {
	return s.reads().Node(name)
}
