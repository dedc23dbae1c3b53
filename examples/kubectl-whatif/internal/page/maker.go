package page

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// maker holds the sources of a page's parts.
type maker struct {
	in    *Input
	pod   *outrank.Pod
	scale scale
	views []view
	// shades are those of each view, and behind them those of the scarcest resource of each node.
	shades  []shades
	members []*member
	byName  map[string]*member
	// numbers are the victims' places in their table; nil without victims.
	numbers map[outrank.Key]int
}

// member is a node of the cluster with its fate.
type member struct {
	node  *outrank.Node
	stage explain.Stage
	// verdict is the reason, and group the same for nodes that are shown together.
	verdict, group string
	// rank is the place among the candidates.
	rank      int
	candidate *preemption.Candidate
	full      []float64
	scarcest  int
	pods      int64
	// come and leave count the pods of an overview that arrive and leave.
	come, leave int
	// letter is that of a node that is pulled out of the field, and why says why.
	letter, why string
}

func (m *member) fullest() float64 { return m.full[m.scarcest] }

// view is a resource that the nodes can be shown by.
type view struct {
	Name resource.Name
	// Index identifies it in the style.
	Index int
	// Chosen is set for the one that is shown at first, Asked where the preemptor
	// asks for it.
	Chosen, Asked bool
}

// Label is the resource in words.
func (v view) Label() string { return string(v.Name) }
