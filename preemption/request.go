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
	// Offset is the node at which a [Sample] begins, modulo the number of nodes. A caller that wants
	// chance draws it anew for each request.
	Offset int
	// Statuses, if not nil, are the answers of the nodes as things are, found
	// by a scheduler of the caller. The filters are then asked in dry runs
	// only. A node without a status counts as never filtered, and removing pods
	// cannot help there; the variant v1.13 tries it (rule 13.2.10). A status for a node that
	// does not exist is an error, and so is a code that does not.
	Statuses map[string]Status
	// StatusesInOrder is Statuses for all nodes in the order of engine.Snapshot.Nodes,
	// which saves the search for names. Its length has to be the number of nodes.
	// Only one of the two may be set.
	StatusesInOrder []Status
}
