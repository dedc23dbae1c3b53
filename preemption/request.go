package preemption

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Request is a question to an engine.Evaluator.
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
