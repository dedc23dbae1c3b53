package page

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// mostChanged is the most nodes of a large cluster that are drawn pod by pod.
const mostChanged = 40

// overviewStages are the fates of nodes, in the order of the page. Each has words of its own for a page about
// pods that could be pushed out. They reuse stages of a decision, because the style has colours for those.
var overviewStages = []struct {
	stage                      explain.Stage
	word, title, may, mayTitle string
}{
	{explain.NoHelp, "gone", "with all that is on them", "gone", "with all that is on them"},
	{explain.Candidate, "changed", "where pods leave or arrive", "affected", "where pods could be pushed out"},
	{explain.NotTried, "unchanged", "where nothing changes", "unaffected", "where nobody could be pushed out"},
}

// findOverviewMembers finds the nodes with their fates, in the cluster's order.
func (d *overviewMaker) findOverviewMembers() {
	for n := range d.snap.Nodes() {
		m := &member{node: n, pods: d.snap.Used(n.Name, resource.Pods), stage: explain.NotTried}
		m.full, m.scarcest = d.base.filled(n)

		leave, come := 0, len(d.coming[n.Name])
		for _, p := range d.snap.PodsOn(n.Name) {
			if _, ok := d.leaving[p.Key()]; ok {
				leave++
			}
		}

		switch {
		case d.gone[n.Name]:
			m.stage, m.verdict = explain.NoHelp, "with all that is on it"
		case leave+come > 0:
			m.come, m.leave = come, leave
			m.stage, m.verdict = explain.Candidate, d.changeText(leave, come)
		}

		d.base.members = append(d.base.members, m)
		d.base.byName[n.Name] = m
	}
}

// changeText says how many pods leave and arrive. At least one of the numbers is not 0.
func (d *overviewMaker) changeText(leave, come int) string {
	verb := func(n int, one, more string) string {
		if n == 1 {
			return "1 pod " + one
		}
		return fmt.Sprintf("%d pods %s", n, more)
	}

	left := verb(leave, "leaves", "leave")
	if d.over.May {
		left = verb(leave, "could be pushed out", "could be pushed out")
	}

	switch {
	case come == 0:
		return left
	case leave == 0:
		return verb(come, "arrives", "arrive")
	}
	return fmt.Sprintf("%s, %d %s", left, come, map[bool]string{true: "arrives", false: "arrive"}[come == 1])
}

// overviewPlace returns the position of a fate in the order of the page.
func overviewPlace(s explain.Stage) int {
	for i := range overviewStages {
		if overviewStages[i].stage == s {
			return i
		}
	}
	return len(overviewStages)
}

// overviewRows draws the nodes on which something changes pod by pod: first nodes that are removed, then by the
// number of pods that arrive, then by the number that leave. more is the number of nodes left out, which is 0
// for a small cluster.
func (d *overviewMaker) overviewRows() (out []row, more int) {
	all := slices.DeleteFunc(slices.Clone(d.base.members), func(m *member) bool { return m.stage == explain.NotTried })
	slices.SortStableFunc(all, func(a, b *member) int {
		return cmp.Or(overviewPlace(a.stage)-overviewPlace(b.stage), b.come-a.come, b.leave-a.leave)
	})

	if more = len(all) - mostChanged; more <= 0 || d.base.detailed() {
		return d.drawn(all, 0), 0
	}
	return d.drawn(all[:mostChanged], 0), more
}

// drawn draws nodes pod by pod. Their numbers begin after those of the behind nodes drawn before.
func (d *overviewMaker) drawn(nodes []*member, behind int) (out []row) {
	for i, m := range nodes {
		r := d.overviewRow(m)
		r.ID = fmt.Sprintf("node-%d", behind+i+1)
		out = append(out, r)
	}
	return out
}

// overviewRow draws a node by each resource. It draws before and after if something changes on the node, except
// that a removed node has nothing to draw afterwards.
func (d *overviewMaker) overviewRow(m *member) row {
	of := overviewStages[overviewPlace(m.stage)]
	r := row{Name: m.node.Name, Stage: string(of.stage), Word: of.word, Verdict: m.verdict, Pods: m.pods, Scarcest: m.scarcest}
	if d.over.May {
		r.Word = of.may
	}
	if o := d.origins[m.node.Name]; o != nil {
		r.Letter, r.From = o.Letter, o.Class
	}

	r.Two = m.stage != explain.NotTried && !d.over.May
	for i, v := range d.base.views {
		before, after := d.overviewParts(m.node.Name, v.Name)
		p := &painter{scale: d.base.scale, name: v.Name, offered: m.node.Allocatable.Amount(v.Name), would: d.over.May, many: true, plain: !d.over.May}

		p.fit(before)

		cell := rowCell{View: i, Resource: string(v.Name), Share: fullText(m.full[i])}
		// A removed node has no pods afterwards.
		if r.Two && m.stage != explain.NoHelp {
			p.fit(after)
			cell.After = p.draw("after", m.node.Name, after)
		}

		caption := ""
		if r.Two {
			caption = "before"
		}
		cell.Before = p.draw(caption, m.node.Name, before)
		r.Cells = append(r.Cells, cell)
	}
	return r
}

// overviewParts lists who uses a resource of a node before and after. Pods that stay come first, so that they
// keep their position.
func (d *overviewMaker) overviewParts(node string, name resource.Name) (before, after []part) {
	var leave []part
	for _, p := range d.snap.PodsOn(node) {
		q := part{pod: p, role: stays, amount: d.base.running(p, name)}
		note, ok := d.leaving[p.Key()]
		switch {
		case ok || d.gone[node]:
			q.role, q.note = leaves, note
			if d.moves[p.Key()] {
				q.from = d.origins[node]
			}
			leave = append(leave, q)
		default:
			before, after = append(before, q), append(after, q)
		}
	}

	// Arriving pods come after all others in the bar, with a mark that says where they come from.
	for _, a := range d.coming[node] {
		from := d.from(a.Pod.Key())
		q := part{pod: a.Pod, role: comes, amount: d.base.running(a.Pod, name), note: a.Note, from: d.origins[from]}
		if from != "" && from != node {
			q.note += ", from " + from
		}
		after = append(after, q)
	}
	return append(before[:len(before):len(before)], leave...), after
}

// overviewPanels puts nodes into panels by their fates: all nodes of a large cluster; of a small cluster only
// the nodes on which nothing changes. rows is the number of nodes that are drawn already.
func (d *overviewMaker) overviewPanels(rows int) []panel {
	// Of a small cluster the changed nodes are drawn already.
	small := d.base.detailed()

	per := (len(d.base.members) + mostCells - 1) / mostCells
	var out []panel
	for _, of := range overviewStages {
		var nodes []*member
		for _, m := range d.base.members {
			if m.stage == of.stage && (!small || m.stage == explain.NotTried) {
				nodes = append(nodes, m)
			}
		}
		if len(nodes) == 0 {
			continue
		}

		p := d.base.panel(of.stage, "", nodes, per)
		p.Word, p.Title = of.word, of.title
		if d.over.May {
			p.Word, p.Title = of.may, of.mayTitle
		}

		// Few nodes have room for rows, which say more than cells.
		if small {
			p.Cells, p.Rows = nil, pictures{Rows: d.drawn(nodes, rows)}
		}
		out = append(out, p)
	}
	return out
}
