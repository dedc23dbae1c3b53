package page

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// maker makes the parts of a page from a decision.
type maker struct {
	in *Input
	// plan, report and snap are those of the input.
	plan   *preemption.Plan
	report *explain.Report
	snap   *engine.Snapshot
	pod    *outrank.Pod
	scale  scale
	views  []view
	// shades has the shades of each view and, last, those of the scarcest resource of each node.
	shades []shades
	// members are the nodes in the cluster's order, byName the same by name.
	members []*member
	byName  map[string]*member
	// numbers has the victims' numbers in their table; nil without victims.
	numbers map[outrank.Key]int
}

// newMakerOf makes a maker that knows its input, and nothing of the pictures yet.
func newMakerOf(in *Input, pod *outrank.Pod) *maker {
	return &maker{in: in, plan: in.Explanation, report: in.Report, snap: in.Snapshot, pod: pod, byName: map[string]*member{}}
}

// member is a node of the cluster with its fate.
type member struct {
	node  *outrank.Node
	stage explain.Stage
	// verdict is the reason of the fate. group is equal for nodes of a stage that are shown together.
	verdict, group string
	// rank is the place among the candidates, from 1; 0 for a node that is none.
	rank      int
	candidate *preemption.Candidate
	// full says how full the node is in each view, and scarcest is the view in which it is fullest.
	full     []float64
	scarcest int
	// pods is the number of pods on the node.
	pods int64
	// come and leave count the pods of an overview that arrive and leave.
	come, leave int
	// letter marks a node that is pulled out of the field, and why says why it is.
	letter, why string
}

// fullest is how full the node is by its scarcest resource.
func (m *member) fullest() float64 { return m.full[m.scarcest] }

// view is a resource that the nodes can be shown by.
type view struct {
	Name resource.Name
	// Index identifies the view in the style.
	Index int
	// Chosen is set for the view that is shown at first. Asked is set if the preemptor
	// asks for the resource.
	Chosen, Asked bool
}

// Label is the resource in words.
func (v view) Label() string { return string(v.Name) }
