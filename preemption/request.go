package preemption

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
)

// Request is a question about a pod.
type Request struct {
	// Pod is the preemptor.
	Pod *outrank.Pod
	// Now stands in for the start of pods that have none. Zero is later than any start.
	Now time.Time
	// Offset is the place at which a Sample begins among the nodes where preemption may help, modulo their
	// number. For a random start, as kube-scheduler has it, draw a new offset for each request.
	Offset int
	// Statuses, if not nil, returns what the caller's scheduler has found about a node before any pod leaves.
	// The filters are then asked only in dry runs. It is called once for each node, in the cluster's order,
	// with the position of the node there. A code that does not exist is an error.
	//
	// asked is false for a node that the scheduler did not look at. Preemption does not try such a node;
	// only the variant v1.13 does (rule 13.2.10).
	Statuses func(position int, node *outrank.Node) (status Status, asked bool)
}

// Sample limits the search as kube-scheduler does: it ends once enough candidates are found, one of
// them without a violation (group 10.1; DryRunPreemption). It begins at [Request].Offset, goes
// through the nodes where preemption may help in the order of the cluster, and begins again at the
// front.
type Sample struct {
	// Enough candidates are Percent of the nodes where preemption may help, or Minimum, whichever is more.
	// Zero means 10 and 100, as in DefaultPreemptionArgs. A negative number means none; not both may be
	// negative. If Minimum is none and Percent of the nodes is less than one node, every candidate is
	// dropped, as in the reference (rule 10.1.5).
	Percent, Minimum int
}

// The errors that decisions wrap, beside [outrank.ErrInvalid].
var (
	// ErrNotFound says that there is no such pod, node or candidate.
	ErrNotFound = errors.New("not found")
	// ErrState says that a pod or a plan is not in a state that allows the call: the pod runs already, for
	// example, or another pod has its name.
	ErrState = errors.New("not in the right state")
)
