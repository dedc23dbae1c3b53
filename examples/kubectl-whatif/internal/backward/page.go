package backward

import (
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/engine"
)

// mostNamed is the most victims that a sentence of a page names.
const mostNamed = 10

// Overview draws the answer as a page about the cluster as it was before. It shows which pods leave in the turn
// that was played, and the preemptor on its node.
func (a *Answer) Overview(*engine.Snapshot, *outrank.Pod) *page.Overview {
	sentences := a.Sentences(mostNamed)
	headline := strings.TrimSuffix(sentences[0], ".")
	o := &page.Overview{Snapshot: a.snap, Title: headline, Headline: headline, Summary: strings.Join(sentences[1:], " ")}
	if len(a.Trials) > 0 {
		o.Figures = []page.Figure{{Figure: strconv.Itoa(a.spared()), Of: "of " + strconv.Itoa(len(a.Trials)) + " ways would have spared it"}}
	}
	if t := a.Turn; t != nil {
		for i := range t.Victims {
			o.Leave = append(o.Leave, page.Mark{Key: t.Victims[i].Key, Note: "leaves for " + string(t.Pod.Key)})
		}
		a.arrive(o, t)
	}

	for _, t := range []page.Table{a.trialsTable(), a.othersTable()} {
		if len(t.Rows) > 0 || t.Text != "" {
			o.Tables = append(o.Tables, t)
		}
	}
	return o
}

// trialsTable has a line for each way of sparing the pod, with its result.
func (a *Answer) trialsTable() page.Table {
	var lines []string
	for i := range a.Trials {
		lines = append(lines, a.Trials[i].verdict()+": "+a.Trials[i].text(a, mostNamed))
	}
	return page.Table{Title: "What would have spared it", Text: strings.Join(lines, "\n"),
		Note: "Each was tried at the preemptor's turn. A disruption budget is a wish: a scheduler breaks it where nothing else makes room."}
}

// othersTable lists the other pods that would push the pod out, with at most as many rows as a page shows.
func (a *Answer) othersTable() page.Table {
	others := page.Table{Title: "Who would push it out, too, if its turn came at once", Columns: []page.Column{{Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "What it does"}}}
	shown := bounded(len(a.Also), page.MostRows)
	for i := range a.Also[:shown] {
		t := &a.Also[i]
		others.Rows = append(others.Rows, page.TableRow{Cells: []string{string(t.Pod.Key), strconv.Itoa(int(t.Pod.Priority)), a.does(t, mostNamed)}})
	}
	others.More = len(a.Also) - shown
	return others
}

// arrive marks the preemptor on its new node, with the other pods of its group. A pod that is resized on its
// node, or that the node does not take after all, does not arrive.
func (a *Answer) arrive(o *page.Overview, t *question.Turn) {
	if t.Resize || t.InVain != nil {
		return
	}
	members := t.Members
	if !t.Group {
		members = []question.Member{{Key: t.Pod.Key, Node: t.Node}}
	}
	for _, m := range members {
		if pod, ok := a.snap.Pod(m.Key); ok && m.Node != "" {
			o.Come = append(o.Come, page.Arrival{Pod: pod, Node: m.Node, Note: "arrives"})
		}
	}
}

// spared counts the ways that spare the pod.
func (a *Answer) spared() (n int) {
	for i := range a.Trials {
		if a.Trials[i].Spared {
			n++
		}
	}
	return n
}
