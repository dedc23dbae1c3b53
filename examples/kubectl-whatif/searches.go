package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// search answers a question by trying changes in a scenario. It uses the scenario of the changes, except for
// the largest pod: that search begins anew with the cluster that the changes have left.
func (q *answeredQuestion) search(ctx context.Context, set question.Setting, show func(done, total int)) error {
	s := q.scene
	tries := s.scenario
	if tries == nil || s.ask == askLargest {
		var err error
		if tries, err = question.NewScenario(ctx, set); err != nil {
			return err
		}
	}

	if s.ask == askEmpty {
		return q.emptiable(tries, show)
	}
	if s.ask == askLargest {
		return q.take(inverse.AskLargest(tries, s.question.pod))
	}

	asked := inverse.Asked{Pod: s.question.pod, Show: show}
	if t := s.question.template; s.opts.whole(t) {
		asked.Workload = workloadOf(t, s.question.pod)
	}
	return q.take(inverse.AskLeastPriority(tries, asked))
}

// emptiable answers which nodes can be emptied together. A label that no node has is an error.
func (q *answeredQuestion) emptiable(tries *question.Scenario, show func(done, total int)) error {
	of := inverse.Nodes{MostTurns: inverse.MostTurns, Show: show}
	if which := q.scene.opts.about.emptiable; which != everyNode {
		// check has made sure that the value has a label.
		key, wanted, _ := strings.Cut(which, "=")
		of.Chosen = func(n *outrank.Node) bool { got, has := n.Labels[key]; return has && got == wanted }

		any := false
		for n := range tries.Snapshot().Nodes() {
			any = any || of.Chosen(n)
		}
		if !any {
			return fmt.Errorf("--emptiable %s: no node has this label", which)
		}
	}
	return q.take(inverse.AskEmptiable(tries, of))
}

// searchTitle returns a question that a search answers, in words.
func (q *answeredQuestion) searchTitle(source, pod string) string {
	s := q.scene
	switch {
	case s.ask == askEmpty && s.opts.about.emptiable == everyNode:
		return "Which nodes can be emptied together in " + source + "?"
	case s.ask == askEmpty:
		return "Which nodes of " + s.opts.about.emptiable + " can be emptied together in " + source + "?"
	case s.ask == askLargest:
		return fmt.Sprintf("How large can a pod like %s be in %s?", pod, source)
	case s.opts.whole(s.question.template):
		return fmt.Sprintf("Which priority is enough for all pods of %s in %s?", s.question.template, source)
	}
	return fmt.Sprintf("Which priority is enough for %s in %s?", pod, source)
}
