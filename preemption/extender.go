package preemption

import (
	"context"

	"github.com/outrank-go/outrank"
)

// Extender can drop and change candidates before one is chosen (group 10.2; callExtenders).
// Extenders are called one after the other, each with the candidates that the one before has
// left, and none once there are no more.
type Extender struct {
	// Name stands in errors.
	Name string
	// Interested reports whether the extender has to do with the pod; nil: with every pod.
	Interested func(pod *outrank.Pod) bool
	// Process returns the candidates that are left. It may drop nodes, and change the victims of
	// others, which have to be pods that run there. It may change the slice that it is given,
	// which is sorted by the order of the nodes.
	Process func(ctx context.Context, pod *outrank.Pod, candidates []Proposal) ([]Proposal, error)
	// Ignorable has failures of the extender ignored: an error then counts as if it had not been
	// asked, and a node that it returns without victims as if it had dropped the node.
	Ignorable bool
}

// Proposal is a candidate as extenders see it.
type Proposal struct {
	Node string
	// Victims have to be pods that run on the node.
	Victims []*outrank.Pod
	// Violations is the number of budget violations to rank by.
	Violations int
}
