package main

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// search answers a question by a search.
func (q *answeredQuestion) search(ctx context.Context, set question.Setting, show func(done, total int)) error {
	s := q.scene
	tries := s.scenario
	if tries == nil || s.ask == askLargest {
		var err error
		if tries, err = question.NewScenario(ctx, set); err != nil {
			return err
		}
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

// searchTitle is the question of a search in words.
func (q *answeredQuestion) searchTitle(source, pod string) string {
	s := q.scene
	switch {
	case s.ask == askLargest:
		return fmt.Sprintf("How large can a pod like %s be in %s?", pod, source)
	case s.opts.whole(s.question.template):
		return fmt.Sprintf("Which priority is enough for all pods of %s in %s?", s.question.template, source)
	}
	return fmt.Sprintf("Which priority is enough for %s in %s?", pod, source)
}
