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
	// plan, report and snap are the explanation, the report and the snapshot of the input.
	plan   *preemption.Plan
	report *explain.Report
	snap   *engine.Snapshot
	pod    *outrank.Pod
	scale  scale
	views  []view
	// shades has the shades of each view and, as its last entry, those of the scarcest resource of each node.
	shades []shades
	// members are the nodes in the order of the cluster. byName finds them by name.
	members []*member
	byName  map[string]*member
	// numbers maps victims to their numbers in the table. It is nil without victims.
	numbers map[outrank.Key]int
}

// newMakerOf makes a maker from an input. Its views, members and shades are still to be found.
func newMakerOf(in *Input, pod *outrank.Pod) *maker {
	return &maker{in: in, plan: in.Explanation, report: in.Report, snap: in.Snapshot, pod: pod, byName: map[string]*member{}}
}

// member is a node of the cluster with its fate.
type member struct {
	node  *outrank.Node
	stage explain.Stage
	// verdict is the reason of the fate. Nodes of a stage with the same group are shown together.
	verdict, group string
	// rank is the position among the candidates, counted from 1. It is 0 if the node is no candidate.
	rank      int
	candidate *preemption.Candidate
	// full says how full the node is in each view. scarcest is the index of the view in which it is fullest.
	full     []float64
	scarcest int
	// pods is the number of pods on the node.
	pods int64
	// come and leave count the pods of an overview that arrive and leave.
	come, leave int
	// letter marks a node that is pulled out of the field, and why gives the reason.
	letter, why string
}

// fullest returns how full the node is by its scarcest resource.
func (m *member) fullest() float64 { return m.full[m.scarcest] }

// view is a resource by which the nodes can be shown.
type view struct {
	Name resource.Name
	// Index identifies the view in the style.
	Index int
	// Chosen is set for the view that is shown first. Asked is set if the preemptor asks for the resource.
	Chosen, Asked bool
}

// Label returns the name of the resource.
func (v view) Label() string { return string(v.Name) }
