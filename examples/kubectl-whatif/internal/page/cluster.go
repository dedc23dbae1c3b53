package page

import (
	"fmt"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// Bounds of the nodes and pods that are drawn individually.
const (
	// MostDetailed is the largest number of nodes of a cluster that is drawn completely, pod by pod.
	MostDetailed = 60
	// mostDetailedPods is the largest number of pods of a cluster that is drawn completely, pod by pod.
	mostDetailedPods = 2000
	// mostPulled is the most nodes of a larger cluster that are drawn pod by pod.
	mostPulled = 12
)

// row is a node that is drawn pod by pod.
type row struct {
	ID, Letter, Name string
	Stage, Word      string
	Verdict          string
	// Why says why the node is drawn apart from the field of cells.
	Why      string
	Pods     int64
	Scarcest int
	Cells    []rowCell
	// From is the colour of the pods that come from the node. It is empty if they have none.
	From string
	// Two is set if the row shows the node before and after.
	Two bool
}

// rowCell is a node shown by one resource.
type rowCell struct {
	View     int
	Resource string
	Share    string
	// After is nil if nothing changes on the node.
	Before, After *bar
}

// rows draws the nodes that matter pod by pod: of a large cluster the nodes that were pulled out of the field,
// of a small one the first nodes.
func (d *maker) rows() []row {
	if !d.detailed() {
		return d.drawn(d.pulled(), 0)
	}
	return d.drawn(d.inOrder()[:d.atOnce()], 0)
}

// mostAtOnce is the most nodes of a small cluster that are shown before the reader asks for more.
const mostAtOnce = 12

// atOnce returns how many nodes of a small cluster are shown at once, in the order of their fates.
func (d *maker) atOnce() int { return min(len(d.members), mostAtOnce) }

// drawn draws nodes pod by pod. Their numbers begin after those of the behind nodes drawn before.
func (d *maker) drawn(nodes []*member, behind int) []row {
	var out []row
	for i, m := range nodes {
		r := d.row(m)
		r.ID, r.Letter = fmt.Sprintf("node-%d", behind+i+1), m.letter
		out = append(out, r)
	}
	return out
}

// detailed reports whether the whole cluster is drawn pod by pod.
func (d *maker) detailed() bool {
	var pods int64
	for _, m := range d.members {
		pods += m.pods
	}
	return len(d.members) <= MostDetailed && pods <= mostDetailedPods
}

// row draws a node by each resource. It draws before and after if something changes on the node.
func (d *maker) row(m *member) row {
	r := row{Name: m.node.Name, Stage: string(m.stage), Word: stageWords[m.stage][0], Verdict: m.verdict, Why: m.why, Pods: m.pods, Scarcest: m.scarcest}
	e := d.plan
	var c *preemption.Candidate
	if e.Outcome == preemption.Preempts {
		c = &e.Candidate
	}

	who := d.nodePodsOf(m.node.Name, c, m.stage == explain.Chosen)
	r.Two = len(who.leaves) > 0 || m.stage == explain.Chosen

	for i, v := range d.views {
		before, after := d.parts(who, v.Name)
		p := &painter{scale: d.scale, name: v.Name, offered: m.node.Allocatable.Amount(v.Name)}
		// Both bars of a node have the same scale, so that they can be compared.
		p.fit(before)
		if r.Two {
			p.fit(after)
		}

		cell := rowCell{View: i, Resource: string(v.Name), Share: fullText(m.full[i]), Before: p.draw("", m.node.Name, before)}
		if r.Two {
			cell.Before, cell.After = p.draw("before", m.node.Name, before), p.draw("after", m.node.Name, after)
		}
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// pulled returns the nodes of a large cluster that matter, each with a letter and a reason. Because their
// number is bounded, the most important are pulled first.
func (d *maker) pulled() []*member {
	e := d.plan
	var out []*member

	pull := func(node, why string) {
		// Each node is pulled only once, for the first reason.
		m := d.byName[node]
		if m == nil || m.letter != "" || len(out) == mostPulled {
			return
		}
		m.letter, m.why = string(rune('A'+len(out))), why
		out = append(out, m)
	}

	if e.Outcome == preemption.Preempts {
		pull(e.Node, "the chosen node")
		for i := range e.Victims {
			// The chosen node and its group must not take all the places.
			if len(out) < mostScenes && e.Victims[i].Node != "" {
				pull(e.Victims[i].Node, "victims of the same group run here")
			}
		}
	}

	for _, m := range d.members {
		// The nodes that take the pod as things are are all alike, so that a few suffice.
		if m.stage == explain.Fits && len(out) < 4 {
			pull(m.node.Name, "")
		}
	}

	words := []string{"the best, if somebody were pushed out", "the next best"}
	if e.Outcome == preemption.Preempts {
		words = []string{"", "the runner-up", "the third best", "the fourth best", "the fifth best"}
	}
	for i := range e.Candidates[:min(len(e.Candidates), len(words))] {
		pull(e.Candidates[i].Node, words[i])
	}

	if n := d.report.Nothing; n != nil && n.Nearest != nil {
		pull(n.Nearest.Node, "the nearest: the least room is missing")
	}

	for i := range d.report.Nodes {
		if g := &d.report.Nodes[i]; g.Stage == explain.InVain || g.Stage == explain.NoHelp {
			// One node stands for all with the same answer.
			pull(g.Example, fmt.Sprintf("one of %s with the same thing in the way", console.Plural(g.Names.Len(), "node")))
		}
	}
	return out
}
