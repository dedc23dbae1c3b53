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

// Input is a decision with everything that a page says about it. Write only reads it.
type Input struct {
	// Title is the title of the document, as browsers show it in a tab. If it is empty, the title is the
	// question who leaves for the pod.
	Title string
	// Source names the cluster in sentences, such as "the sample cluster" or the
	// name of a file.
	Source string
	// Snapshot is the cluster as it was when the decision was made.
	Snapshot *engine.Snapshot
	// Explanation is the decision, and Report the explanation of it in words.
	Explanation *preemption.Plan
	Report      *explain.Report
	// NoEffect says why the chosen node does not take the pod even once the victims are gone. It is empty if
	// the node does.
	NoEffect string
	// Goes says in a sentence where a pod that fits goes.
	Goes string
	// Replacements tells what becomes of the victims. It is nil if nobody asked.
	Replacements []explain.Replacement
	// Tables come below everything else.
	Tables []Table
	// Resource is the resource by which the nodes are shown first; the reader can choose another one. If it is
	// empty or plays no part, it is the one that is scarcest in the cluster among those that the pod asks for.
	Resource resource.Name
	// Priority says where the pod's priority is from. It is left out if empty.
	Priority string
	// Caveats are reasons why the answer may not come true. Hints are advice if nothing helps.
	Caveats, Hints []string
	// Now is the time from which ages are measured. Without it ages are left out.
	Now time.Time
}
