package main

import (
	"context"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/report"
)

// report answers how the cluster stands after the changes, or, with an earlier dump, what changed in that since
// then.
func (q *answeredQuestion) report(ctx context.Context, show func(done, total int)) error {
	s := q.scene
	s.scenario.Watch(show)
	now, err := report.Make(ctx, s.scenario)
	if err != nil {
		return console.Unusable(s.opts.source(), err)
	}

	s.follow()
	if s.ask == askReport {
		return q.take(now, nil)
	}

	then, err := s.earlier(ctx)
	if err != nil {
		return err
	}
	return q.take(report.Compare(s.then.source(), then, now), nil)
}
