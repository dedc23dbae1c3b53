package question

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Overview draws the answer as a page about the snapshot in question.
func (w *WholeGroup) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	what := "its group "
	if w.Tree {
		what = "its tree of groups "
	}
	headline := "What becomes of " + string(w.Asked) + " with " + what + string(w.Group) + ", of which " +
		console.Plural(len(w.Members), "pod") + " " + verb(len(w.Members), "waits", "wait")
	s := sketchOf(snap, headline, w.Report.Summary())
	s.figure(len(w.Members), verb(len(w.Members), "pod that waits", "pods that wait"))
	s.figure(len(w.Members)-w.Unplaced, "of them with a place")
	s.figure(w.Report.VictimPods, verb(w.Report.VictimPods, "pod that has to leave", "pods that have to leave"))
	s.figure(w.Report.Violations, "against a budget")
	s.turn(&w.turn, nil)
	s.table(w.why())
	w.todo(s)
	return &s.Overview
}

// why gives the answer in the words of WriteText. A report lists ten times as many victims and places as other
// names, so that its limit is a tenth of the rows of a page.
func (w *WholeGroup) why() page.Table {
	text := w.report(page.MostRows / 10).Text()
	for _, note := range w.notes(notesOnPage) {
		text += note + "\n"
	}
	return page.Table{Title: "Why", Text: text}
}

// todo ends the page with what to do.
func (w *WholeGroup) todo(s *sketch) {
	if c := cost(w.Report.VictimPods, w.Report.Violations); c != "" {
		s.do("Nothing to do if they may leave: kube-scheduler makes room by itself, and " + c + ".")
	}
	if w.Unplaced > 0 {
		s.do(subject(w.Unplaced, "pod of the group finds", "pods of the group find") + " no place; why is said above.")
	}
	if len(s.Todo) == 0 {
		s.do("Nothing to do: the group has its places.")
	}
}
