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
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Input is a decision with what it was made from. Write reads it alone.
type Input struct {
	// Title is the title of the document, as browsers show it in a tab. Empty
	// means the question: who leaves for the pod.
	Title string
	// Source names the cluster in sentences, such as "the sample cluster" or the
	// name of a file.
	Source string
	// Snapshot is the cluster as it was when the decision was made.
	Snapshot *preemption.Snapshot
	// Explanation is the decision, and Report the explanation of it in words.
	Explanation *preemption.Explanation
	Report      *explain.Report
	// Replacements say what becomes of the victims; nil where nobody asked.
	Replacements []explain.Replacement
	// Resource is what the nodes are shown by at first; the reader can choose
	// another one. Empty, or one that plays no part, means the one that the cluster
	// has least of left, among those that the pod asks for.
	Resource resource.Name
	// Priority says where the pod's priority comes from; empty leaves that out.
	Priority string
	// Caveats say why the answer may not be what happens, Hints what might help
	// where nothing does.
	Caveats, Hints []string
	// Now is what ages are measured from; the zero time leaves them out.
	Now time.Time
}

// ErrIncomplete is returned for an input without a snapshot, an explanation or a
// report.
var ErrIncomplete = errors.New("a page needs a snapshot, an explanation and a report")

// Write writes the page. Nothing is written if it fails otherwise than in
// writing. The error is [ErrIncomplete] or the writer's.
//
// Time and the size of the page are linear in the nodes, and in the pods of
// those nodes that are drawn pod by pod, of which there are bounds: at most
// [MostDetailed] nodes and some thousand pods. Only reads the input, so that
// several calls may share one.
func Write(w io.Writer, in Input) error {
	if in.Snapshot == nil || in.Explanation == nil || in.Explanation.Pod == nil || in.Report == nil {
		return ErrIncomplete
	}
	var out bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&out, "page", newDocument(&in)); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}
