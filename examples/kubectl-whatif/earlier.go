package main

import (
	"context"
	"fmt"
	"io"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/report"
	"github.com/outrank-go/outrank/preemption/engine"
)

// readEarlier reads the cluster of --diff, as it was earlier. The changes are not made to it.
func (s *scene) readEarlier(stdin io.Reader, stderr io.Writer) error {
	then := *s.opts
	then.clusters, then.live, then.changes = then.about.diff, false, nil
	then.set = map[string]bool{"diff": true, "release": s.opts.set["release"]}

	cluster, err := load(&then, stdin, stderr)
	if err != nil {
		return err
	}

	settleRelease(&then, cluster.Cluster)
	s.then, s.was = &then, cluster
	return nil
}

// earlier makes the report of the cluster as it was, with the same schedulers and the same configuration
// of quotas.
func (s *scene) earlier(ctx context.Context) (*report.Report, error) {
	// The earlier cluster is a scene of its own, which shares the schedulers' configuration and the limits.
	before := &scene{opts: s.then, cluster: s.was.Cluster, limits: quotas.Limits{Quotas: s.was.quotas, Limited: s.limits.Limited}, now: s.opts.now, ask: askReport}

	var err error
	if before.snap, err = engine.NewSnapshot(before.cluster); err != nil {
		return nil, console.Unusable(s.then.source(), err)
	}
	if before.schedulers, err = s.opts.readSchedulers(before.cluster.Release); err != nil {
		return nil, err
	}

	// Without --now each of the two clusters is asked about at its own time.
	if before.now.IsZero() {
		before.now = clock.Of(before.cluster)
	}

	// The report is made without any change.
	set, err := before.setting(nil)
	if err != nil {
		return nil, err
	}
	scenario, err := question.NewScenario(ctx, set)
	if err != nil {
		return nil, console.Unusable(s.then.source(), err)
	}
	out, err := report.Make(ctx, scenario)
	if err != nil {
		return nil, console.Unusable(s.then.source(), fmt.Errorf("the cluster as it was: %w", err))
	}
	return out, nil
}
