package preemption

import (
	"context"

	"github.com/outrank-go/outrank"
)

// Extender can change the candidates before one is chosen (group 10.2;
// callExtenders). Extenders are called one after the other, each with the
// candidates that the one before has left. Once no candidate is left, no
// further extender is called.
type Extender interface {
	// Name stands in errors.
	Name() string
	// Interested returns whether the extender has anything to do with this pod.
	Interested(pod *outrank.Pod) bool
	// Process returns the candidates that are left. It may drop nodes and
	// change the victims of others. It may change the slice that it is given,
	// which is sorted by the order of the nodes.
	Process(ctx context.Context, pod *outrank.Pod, candidates []Proposal) ([]Proposal, error)
	// Ignorable returns whether failures of the extender are ignored. An error
	// then counts as if the extender had not been asked, and a node that it
	// returns without victims as if it had dropped the node.
	Ignorable() bool
}

// Proposal is a candidate as extenders see it.
type Proposal struct {
	Node string
	// Victims have to be pods that run on the node.
	Victims []*outrank.Pod
	// Violations is the number of budget violations to rank by.
	Violations int
}
