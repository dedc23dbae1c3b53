package page

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Overview is an answer about a whole cluster: leaving and arriving pods, removed
// nodes, and tables with the rest. WriteOverview only reads it.
type Overview struct {
	// Title is the title of the document. Source names the cluster as in an Input.
	Title, Source string
	// Headline is the answer in a few words, Summary the answer in a sentence or two.
	Headline, Summary string
	// Figures are the large numbers below the headline.
	Figures []Figure
	// Snapshot is the cluster as it is.
	Snapshot *engine.Snapshot
	// Resource is the resource by which the nodes are shown first, as in an Input.
	Resource resource.Name
	// Leave are the pods that leave their nodes, and Come the pods that arrive. May says that nobody really
	// leaves: the pods of Leave could be pushed out.
	Leave []Mark
	Come  []Arrival
	May   bool
	// Gone are nodes that are removed, with all pods on them.
	Gone []string
	// Tables hold the rest of the answer.
	Tables []Table
	// Todo says what to do, one sentence each. If it is empty, the page says that there is nothing to do.
	Todo []string
	// Caveats are reasons why the answer may not come true.
	Caveats []string
	// Now is the time of the answer. It is left out if it is zero.
	Now time.Time
}

// Mark is a pod of the snapshot. Note says why it is marked.
type Mark struct {
	Key  outrank.Key
	Note string
}

// Arrival is a pod that comes to a node.
type Arrival struct {
	Pod        *outrank.Pod
	Node, Note string
}

// ErrNoSnapshot is returned for an overview without a snapshot.
var ErrNoSnapshot = errors.New("an overview needs a snapshot")

// overviewMaker makes the parts of a page from an overview.
type overviewMaker struct {
	// base makes the parts that are the same as on the page of a decision.
	base *maker
	over *Overview
	snap *engine.Snapshot
	// leaving has the pods that leave, each with its note.
	leaving map[outrank.Key]string
	// coming has the pods that arrive, by node.
	coming map[string][]Arrival
	// gone has the nodes that are removed.
	gone map[string]bool
	// origins has the nodes with a colour and a letter, by name.
	origins map[string]*origin
	// moves has the pods that arrive somewhere.
	moves map[outrank.Key]bool
}
