// Package page answers what a decision looks like: it draws the cluster, who
// leaves and who comes, as one HTML page that needs nothing else.
//
// [Write] makes the page of an [Input]. The page asks no network for anything
// and forbids itself to: its style, its script and its pictures are part of it,
// and its content security policy lets nothing else in. Without the script it
// says the same; the script shows names at once instead of after a moment, and
// lets the arrow keys go from pod to pod.
//
// Everything that comes from a cluster is text to the page, whatever it
// contains. Characters that cannot be seen are written as escapes, and names in
// scripts from right to left are kept from turning the text around them.
//
// The chosen node is drawn before and after, for each resource that matters.
// A cluster of few nodes is drawn node by node and pod by pod. One of many is
// drawn as a field of cells, one for each node, beside the nodes that matter:
// the chosen one, the next best ones, the nearest one. The same input gives the
// same bytes.
package page

import (
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Input is a decision with its origin. Write reads it alone.
type Input struct {
	// Title is the title of the document, as browsers show it in a tab. Empty
	// means the question: who leaves for the pod.
	Title string
	// Source names the cluster in sentences, such as "the sample cluster" or the
	// name of a file.
	Source string
	// Snapshot is the cluster as it was when the decision was made.
	Snapshot *engine.Snapshot
	// Explanation is the decision, and Report the explanation of it in words.
	Explanation *preemption.Plan
	Report      *explain.Report
	// NoEffect says why the chosen node does not take the pod even once the victims are gone; empty
	// where it does.
	NoEffect string
	// Goes says in a sentence where a pod that fits goes.
	Goes string
	// Replacements are the fates of the victims; nil where nobody asked.
	Replacements []explain.Replacement
	// Tables come below everything else.
	Tables []Table
	// Resource is the first resource that the nodes are shown by; the reader can
	// choose another one. Empty, or one that plays no part, means the one that
	// the cluster has least of left, among those that the pod asks for.
	Resource resource.Name
	// Priority is the source of the pod's priority; empty leaves that out.
	Priority string
	// Caveats are reasons why the answer may not come true, Hints advice where
	// nothing helps.
	Caveats, Hints []string
	// Now is the time that ages end at; the zero time leaves them out.
	Now time.Time
}
