package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption/explain"
)

// Bounds of the field of cells.
const (
	// mostCells is the most cells of a field. In a larger cluster each cell stands for several nodes.
	mostCells = 6000
	// mostPanels is the most groups of equal answers that have a panel each.
	mostPanels = 8
	// mostListed is the most nodes in the table of all nodes.
	mostListed = 6000
)

// panel has the nodes that gave the same answer. It is a line that unfolds into a cell for each node or, in a
// small cluster, a row.
type panel struct {
	Stage, Word string
	Title, Note string
	Nodes       int
	Cells       []cell
	Rows        pictures
}

// cell is a node in the field, or several nodes that are next to each other there.
type cell struct {
	// Class has, for each view, the letter of the view and the level of fullness.
	Class, Tip string
	// Letter and ID lead to a node of the cell that is drawn pod by pod. They are empty if there is none.
	Letter, ID string
}

// answer is what the nodes of a panel have in common.
type answer struct {
	stage explain.Stage
	text  string
	nodes []*member
}

// panels puts nodes into panels by their fates: all nodes of a large cluster; of a small cluster only the nodes
// that are not shown at once.
func (d *maker) panels() []panel {
	members := d.members
	if d.detailed() {
		// The first nodes in this order are shown at once.
		members = d.inOrder()
		members = members[d.atOnce():]
	}

	per := (len(d.members) + mostCells - 1) / mostCells
	number := d.atOnce()
	var out []panel
	for _, a := range answersOf(members) {
		p := d.panel(a.stage, a.text, a.nodes, per)
		if d.detailed() {
			// A small number of nodes can be drawn as rows, which say more than cells.
			p.Cells, p.Rows = nil, pictures{Rows: d.drawn(a.nodes, number)}
			number += len(a.nodes)
		}
		out = append(out, p)
	}
	return out
}

// answersOf groups nodes by their answers, in the order of the stages, and within a stage the most frequent
// answer first. If there are more than mostPanels answers, the last group has all the remaining ones.
func answersOf(members []*member) []*answer {
	type kind struct {
		stage explain.Stage
		group string
	}
	known := map[kind]*answer{}
	var all []*answer

	for _, m := range members {
		k := kind{m.stage, m.group}
		if known[k] == nil {
			known[k] = &answer{stage: m.stage, text: m.group}
			all = append(all, known[k])
		}
		known[k].nodes = append(known[k].nodes, m)
	}

	slices.SortStableFunc(all, func(a, b *answer) int {
		return cmp.Or(cmp.Compare(slices.Index(stages, a.stage), slices.Index(stages, b.stage)), cmp.Compare(len(b.nodes), len(a.nodes)))
	})

	if len(all) <= mostPanels {
		return all
	}
	// The last panel has everything that is left, under the stage of nodes that cannot be helped.
	kept, rest := all[:mostPanels-1], all[mostPanels-1:]
	last := &answer{stage: explain.NoHelp, text: console.Plural(len(rest), "other answer")}
	for _, a := range rest {
		last.nodes = append(last.nodes, a.nodes...)
	}
	return append(kept, last)
}

// panel makes the panel of nodes. They are sorted by the view that is shown first, the fullest first, and share
// a cell for each per of them.
func (d *maker) panel(stage explain.Stage, text string, nodes []*member, per int) panel {
	words := stageWords[stage]
	p := panel{Stage: string(stage), Word: words[0], Title: words[1], Note: text, Nodes: len(nodes)}

	shown := d.shown()
	slices.SortStableFunc(nodes, func(a, b *member) int { return cmp.Compare(b.full[shown], a.full[shown]) })

	for len(nodes) > 0 {
		n := min(per, len(nodes))
		p.Cells = append(p.Cells, d.cell(nodes[:n]))
		nodes = nodes[n:]
	}
	return p
}

// cell draws nodes as one cell. It has the colour of the fullest node, which is the first.
func (d *maker) cell(nodes []*member) cell {
	m := nodes[0]
	c := cell{Class: d.classes(m)}
	for _, n := range nodes {
		if n.letter != "" && c.Letter == "" {
			// Letters are given in the order in which the nodes are drawn, from which the nodes have their
			// numbers.
			c.Letter, c.ID = n.letter, fmt.Sprintf("node-%d", n.letter[0]-'A'+1)
		}
	}

	var b strings.Builder
	b.WriteString(isolated(clipped(m.node.Name, 60)))
	if more := len(nodes) - 1; more > 0 {
		fmt.Fprintf(&b, " and %s that are as full or less", console.Plural(more, "more node"))
	}
	for i, v := range d.views {
		fmt.Fprintf(&b, "\n%s %s", clipped(string(v.Name), 40), fullText(m.full[i]))
	}
	if m.stage == explain.Candidate {
		b.WriteString("\n" + m.verdict)
	}
	c.Tip = b.String()
	return c
}

// classes returns a class for each view: the view's letter with the level of fullness. The class with the
// letter z has the level of the scarcest resource.
func (d *maker) classes(m *member) string {
	var b strings.Builder
	for i := range d.views {
		fmt.Fprintf(&b, "%c%d ", 'a'+i, d.shades[i].level(m.full[i]))
	}
	fmt.Fprintf(&b, "z%d", d.shades[len(d.views)].level(m.fullest()))
	return b.String()
}

// listed is a row in the table of all nodes.
type listed struct {
	Name          string
	Shares        []string
	Pods          int64
	Word, Verdict string
}

// list returns the nodes in the order of the cluster, up to a bound, and the number of nodes left out.
func (d *maker) list() (all []listed, more int) {
	for i, m := range d.members {
		if i == mostListed {
			return all, len(d.members) - i
		}
		l := listed{Name: m.node.Name, Pods: m.pods, Word: stageWords[m.stage][0], Verdict: m.verdict}
		for _, full := range m.full {
			l.Shares = append(l.Shares, fullText(full))
		}
		all = append(all, l)
	}
	return all, 0
}
