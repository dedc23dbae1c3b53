package preemption

import (
	"context"

	"github.com/outrank-go/outrank"
)

// Extender has a say in the candidates before one is chosen (group 10.2;
// callExtenders). Extenders are called one after the other, each with what the
// one before has left; when nothing is left, the rest are not called.
type Extender interface {
	// Name stands in errors.
	Name() string
	// Interested says whether the extender has anything to do with this pod.
	Interested(pod *outrank.Pod) bool
	// Process gives the candidates that are left: nodes may be dropped, their
	// victims changed. The slice given is its own, in the order of the nodes.
	Process(ctx context.Context, pod *outrank.Pod, candidates []Proposal) ([]Proposal, error)
	// Ignorable says that an error of the extender, or a node that it gives
	// back without victims, is passed over: the error as if it had not been
	// asked, the node as if it had been dropped.
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
