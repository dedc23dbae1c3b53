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
	// Process returns the candidates that are left, of which Node, the pods of Victims and
	// Score.Violations count. It may drop nodes, and change the victims of others, which have to be
	// pods that run there. It may change the slice that it is given, which is sorted by the order of
	// the nodes, and the candidates in it.
	//
	// The candidates are as a plan has them, but for the figures of ranks with a Figure, which are found
	// later. What an extender before this one has changed is worked out anew, with the score; the victims
	// then stand in its order, and one that it has named has neither Violated nor Blocks. By the variant
	// v1.13, those that violate a budget stand before the others at first (rule 13.2.3).
	Process func(ctx context.Context, pod *outrank.Pod, candidates []Candidate) ([]Candidate, error)
	// Ignorable has failures of the extender ignored: an error then counts as if it had not been
	// asked, and a node that it returns without victims as if it had dropped the node.
	Ignorable bool
}
