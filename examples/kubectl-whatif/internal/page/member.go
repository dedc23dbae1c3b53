package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// stageWords has, for each fate of a node, a word and an explanation of it.
var stageWords = map[explain.Stage][2]string{
	explain.Chosen:    {"chosen", "evictions make room there, at the least cost"},
	explain.Fits:      {"fits", "take the pod as things are"},
	explain.Candidate: {"would do", "evictions would make room there, too"},
	explain.InVain:    {"no room", "evictions were tried, and make no room"},
	explain.NoHelp:    {"out", "no eviction helps there"},
	explain.NotTried:  {"not tried", "evictions might help, and were not tried"},
}

// stages are the fates of nodes, in the order of the page.
var stages = []explain.Stage{explain.Chosen, explain.Fits, explain.Candidate, explain.InVain, explain.NoHelp, explain.NotTried}

// findMembers finds the nodes with their fates, in the cluster's order.
func (d *maker) findMembers() {
	reports := map[string]*preemption.NodeReport{}
	for i := range d.plan.Nodes {
		reports[d.plan.Nodes[i].Node] = &d.plan.Nodes[i]
	}

	ranks := map[string]int{}
	for i := range d.plan.Candidates {
		ranks[d.plan.Candidates[i].Node] = i + 1
	}

	for n := range d.snap.Nodes() {
		m := &member{node: n, rank: ranks[n.Name], pods: d.snap.Used(n.Name, resource.Pods)}
		if m.rank > 0 {
			m.candidate = &d.plan.Candidates[m.rank-1]
		}
		m.full, m.scarcest = d.filled(n)
		d.judge(m, reports[n.Name])
		d.members = append(d.members, m)
		d.byName[n.Name] = m
	}
}

// judge finds the fate of a node, its reason, and the group with which it is shown.
func (d *maker) judge(m *member, r *preemption.NodeReport) {
	e := d.plan
	// The first matching case decides. A node without one cannot be helped.
	m.stage = explain.NoHelp
	switch {
	case e.Outcome == preemption.Preempts && m.node.Name == e.Node:
		m.stage, m.verdict = explain.Chosen, have(len(e.Victims))
	case r == nil:
		m.verdict = "not asked"
	case r.Status.Code == preemption.Success:
		m.stage, m.verdict = explain.Fits, "takes the pod as things are"
	case m.candidate != nil:
		m.stage, m.verdict = explain.Candidate, candidateText(m.candidate)
	case r.AfterRemoval != nil:
		m.stage, m.verdict = explain.InVain, reasonText(r.AfterRemoval)
	case r.Status.Code == preemption.Unschedulable && e.Refused.Code == preemption.Success:
		m.stage, m.verdict = explain.NotTried, reasonText(&r.Status)
	default:
		m.verdict = reasonText(&r.Status)
	}

	// Nodes that take the pod need no reason. Candidates are grouped by the rank in which they lost.
	m.group = m.verdict
	switch m.stage {
	case explain.Chosen, explain.Fits:
		m.group = ""
	case explain.Candidate:
		m.group = d.lostBy(m.rank)
	}
}

// lostBy returns the rank in which a candidate lost, given its place among all candidates. Each round of the
// choice keeps the candidates that are best in its rank and in all ranks before, and these come first.
func (d *maker) lostBy(place int) string {
	if d.report.Choice == nil {
		return ""
	}
	for _, round := range d.report.Choice.Rounds {
		if place > round.Left {
			return "lost by " + explain.RankText(round.Rank)
		}
	}
	return ""
}

// have says how many pods have to leave.
func have(victims int) string {
	if victims == 1 {
		return "1 pod has to leave"
	}
	return fmt.Sprintf("%d pods have to leave", victims)
}

// candidateText says what a candidate costs: its victims and the budgets they break.
func candidateText(c *preemption.Candidate) string {
	text := console.Plural(len(c.Victims), "victim")
	if len(c.Victims) > 0 {
		text += fmt.Sprintf(", the most important of priority %d", c.Score.TopPriority)
	}
	if v := c.Score.Violations; v > 0 {
		text += ", breaks " + console.Plural(v, "budget")
	}
	return text
}

// reasonText puts the answer of a node into words. Of consecutive shortages only the first one says
// "Insufficient".
func reasonText(s *preemption.Status) string {
	const short = "Insufficient "
	var b strings.Builder
	for i, r := range s.Reasons {
		if i > 0 {
			b.WriteString(", ")
			if strings.HasPrefix(s.Reasons[i-1], short) {
				r = strings.TrimPrefix(r, short)
			}
		}
		b.WriteString(r)
	}

	switch {
	case b.Len() > 0:
		return b.String()
	case s.Filter != "":
		return s.Filter
	case s.ExcludedBy != "":
		return "left out by " + s.ExcludedBy
	}
	return s.Code.String()
}

// inOrder returns the nodes in the order of their fates: candidates by rank, other nodes in the order of the
// cluster.
func (d *maker) inOrder() []*member {
	out := slices.Clone(d.members)
	slices.SortStableFunc(out, func(a, b *member) int {
		if a.stage != b.stage {
			return slices.Index(stages, a.stage) - slices.Index(stages, b.stage)
		}
		return a.rank - b.rank
	})
	return out
}
