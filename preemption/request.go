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
	// Offset is the node at which a Sample begins, modulo the number of nodes. A caller that wants
	// chance draws it anew for each request.
	Offset int
	// Statuses, if not nil, has the answers of the nodes as things are, found by a scheduler of the
	// caller: the filters are asked in dry runs alone. Preemption cannot help on a node that was not
	// asked, which only the variant v1.13 tries (rule 13.2.10). The position is that of the node in
	// the cluster. A decision calls it once for each node, in their order. A code that there is not is an
	// error.
	Statuses func(position int, node *outrank.Node) (status Status, asked bool)
}

// Sample limits the search as kube-scheduler does: it ends once enough candidates are found, one of
// them without a violation (group 10.1; DryRunPreemption). It begins at [Request].Offset, goes
// through the nodes where preemption may help in the order of the cluster, and begins again at the
// front.
type Sample struct {
	// Percent of the nodes where preemption may help, and at least Minimum, are enough. Zero means 10
	// and 100, as in DefaultPreemptionArgs; below zero means none. With no Minimum the reference
	// drops every candidate where Percent of the nodes is less than one (rule 10.1.5).
	Percent, Minimum int
}

// The errors that decisions wrap, beside [outrank.ErrInvalid].
var (
	// ErrNotFound: there is no such pod, node or candidate.
	ErrNotFound = errors.New("not found")
	// ErrState: a pod is not in the state that this needs: it runs already, say, or another
	// one has its name.
	ErrState = errors.New("not in the right state")
)
