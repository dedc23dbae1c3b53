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
	// mostCells is the most cells. In a larger cluster each stands for several
	// nodes.
	mostCells = 6000
	// mostPanels is the most kinds of answers with a panel of their own.
	mostPanels = 8
	// mostListed is the most nodes in the table of all nodes.
	mostListed = 6000
)

// panel is the nodes that gave the same answer: a line that opens to a cell for each, or in a
// small cluster to a row.
type panel struct {
	Stage, Word string
	Title, Note string
	Nodes       int
	Cells       []cell
	Rows        pictures
}

// cell is a node in the field, or several that are next to each other in it.
type cell struct {
	// Class has a letter for each view, with the level of fullness.
	Class, Tip string
	// Letter and ID are those of a node that is drawn pod by pod.
	Letter, ID string
}

// panels puts the nodes into fields by their fates: all of a large cluster, and of a small one
// those that are not drawn pod by pod at once.
func (d *maker) panels() []panel {
	members := d.members
	if d.detailed() {
		members = d.inOrder()
		members = members[d.atOnce():]
	}
	type kind struct {
		stage explain.Stage
		group string
	}
	byKind := map[kind][]*member{}
	var kinds []kind
	for _, m := range members {
		k := kind{m.stage, m.group}
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], m)
	}
	slices.SortStableFunc(kinds, func(a, b kind) int {
		return cmp.Or(cmp.Compare(slices.Index(stages, a.stage), slices.Index(stages, b.stage)), cmp.Compare(len(byKind[b]), len(byKind[a])))
	})
	per := (len(d.members) + mostCells - 1) / mostCells
	number := d.atOnce()
	var out []panel
	for i, k := range kinds {
		nodes := byKind[k]
		text := k.group
		if i == mostPanels-1 && len(kinds) > mostPanels {
			for _, rest := range kinds[i+1:] {
				nodes = append(nodes, byKind[rest]...)
			}
			k.stage, text = explain.NoHelp, console.Plural(len(kinds)-i, "other answer")
		}
		p := d.panel(k.stage, text, nodes, per)
		if d.detailed() {
			p.Cells, p.Rows = nil, pictures{Rows: d.drawn(nodes, number)}
			number += len(nodes)
		}
		out = append(out, p)
		if len(out) == mostPanels {
			break
		}
	}
	return out
}

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

// cell draws nodes by the fullest of them.
func (d *maker) cell(nodes []*member) cell {
	m := nodes[0]
	c := cell{Class: d.classes(m)}
	for _, n := range nodes {
		if n.letter != "" && c.Letter == "" {
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

// classes has the level of each view behind its letter, and that of the scarcest
// resource behind a z.
func (d *maker) classes(m *member) string {
	var b strings.Builder
	for i := range d.views {
		fmt.Fprintf(&b, "%c%d ", 'a'+i, d.shades[i].level(m.full[i]))
	}
	fmt.Fprintf(&b, "z%d", d.shades[len(d.views)].level(m.fullest()))
	return b.String()
}

// listed is a node in the table of all nodes.
type listed struct {
	Name          string
	Shares        []string
	Pods          int64
	Word, Verdict string
}

// list has the nodes in the cluster's order, up to a bound, and the number of
// those left out.
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
