package page

import (
	"errors"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// Overview is an answer about a whole cluster: leaving and arriving pods, removed
// nodes, and tables with the rest. WriteOverview reads it alone.
type Overview struct {
	// Title is the title of the document, Source names the cluster as in an Input.
	Title, Source string
	// Headline is the answer in a few words, and Summary in a sentence or two.
	Headline, Summary string
	// Figures are numbers that stand out, beside those of nodes and pods.
	Figures []Figure
	// Snapshot is the cluster as it is.
	Snapshot *engine.Snapshot
	// Resource is the first resource that the nodes are shown by, as in an Input.
	Resource resource.Name
	// Leave are pods that leave their nodes, and Come pods that arrive. May is
	// set where nobody really leaves: these are pods that could be pushed out.
	Leave []Mark
	Come  []Arrival
	May   bool
	// Gone are nodes that are removed, with all pods on them.
	Gone []string
	// Tables have the rest.
	Tables []Table
	// Todo says what to do, a sentence each; where it is empty, the page says that there is
	// nothing to do.
	Todo []string
	// Caveats are reasons why the answer may not come true.
	Caveats []string
	// Now is the time of the answer; the zero time leaves it out.
	Now time.Time
}

// Mark is a pod of the snapshot; Note is the reason of the mark.
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

// overviewMaker holds the sources of an overview's pictures.
type overviewMaker struct {
	base    *maker
	over    *Overview
	leaving map[outrank.Key]string // with the note
	coming  map[string][]Arrival   // by node
	gone    map[string]bool
	origins map[string]*origin
	// moves are the pods that arrive somewhere.
	moves map[outrank.Key]bool
}
