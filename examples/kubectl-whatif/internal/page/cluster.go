package page

import (
	"fmt"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// Bounds of what is drawn pod by pod.
const (
	// MostDetailed is the most nodes of a cluster that is drawn pod by pod as a whole.
	MostDetailed = 60
	// mostDetailedPods is the most pods of a cluster that is drawn pod by pod as a whole.
	mostDetailedPods = 2000
	// mostPulled is the most nodes of a larger cluster that are drawn pod by pod.
	mostPulled = 12
)

// row is a node that is drawn pod by pod.
type row struct {
	ID, Letter, Name string
	Stage, Word      string
	Verdict          string
	// Why says why the node was pulled out.
	Why      string
	Pods     int64
	Scarcest int
	Cells    []rowCell
	// From is the colour of pods that come from the node; empty if they have none.
	From string
	// Two is set if the row shows the node before and after.
	Two bool
}

// rowCell is a node in one view.
type rowCell struct {
	View     int
	Resource string
	Share    string
	// After is nil if nothing changes on the node.
	Before, After *bar
}

// rows draws the nodes that matter pod by pod: those pulled out of a large cluster, and the first ones of
// a small one.
func (d *maker) rows() []row {
	if !d.detailed() {
		return d.drawn(d.pulled(), 0)
	}
	return d.drawn(d.inOrder()[:d.atOnce()], 0)
}

// mostAtOnce is the most nodes of a small cluster that are shown before the reader asks for more.
const mostAtOnce = 12

// atOnce is the number of nodes of a small cluster that are shown at once, in the order of their fates.
func (d *maker) atOnce() int { return min(len(d.members), mostAtOnce) }

// drawn draws nodes pod by pod. Their numbers follow those of the nodes drawn before.
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

// row draws a node by each resource, and twice if something changes on it.
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

// pulled are the nodes of a large cluster that matter, each with a letter and the reason. What matters
// more is pulled first, as there is a bound.
func (d *maker) pulled() []*member {
	e := d.plan
	var out []*member

	pull := func(node, why string) {
		// A node is pulled once, for the first reason.
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
			// The chosen node and its group take no more than a few places.
			if len(out) < mostScenes && e.Victims[i].Node != "" {
				pull(e.Victims[i].Node, "victims of the same group run here")
			}
		}
	}

	for _, m := range d.members {
		// Nodes that take the pod as things are are all alike, and a few show that.
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
