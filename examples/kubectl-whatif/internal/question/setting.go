package question

import (
	"errors"
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Setting is the common part of every question.
type Setting struct {
	// Cluster is the input. Questions read its classes, and the order of its pods.
	Cluster *outrank.Cluster
	// Snapshot is a snapshot of that cluster. Questions clone it.
	Snapshot *engine.Snapshot
	// Limits says which pods quotas allow to be created. The zero value allows all.
	Limits quotas.Limits
	// Evaluator decides about the pods of kube-scheduler's default profile. If Scheduler is nil, no other pods
	// are decided about.
	Evaluator *engine.Evaluator
	// Scheduler returns the evaluator for the pods of the named scheduler. It returns nil for an unknown one.
	Scheduler func(name string) *engine.Evaluator
	// Scores returns the scorer of the named scheduler. If Scores is nil or returns nil, the default scorer is
	// used.
	Scores func(name string) *score.Scorer
	// Now stands in for missing start times, and is the time at which victims begin to leave.
	Now time.Time
	// Progress, if set, is called now and then with the amount of work that is done.
	Progress func(done, total int)
}

// errSetting is wrapped by errors about a setting that lacks something.
var errSetting = errors.New("incomplete setting")

// check refuses a setting without a cluster, a snapshot or an evaluator.
func (s *Setting) check() error {
	switch {
	case s.Cluster == nil:
		return fmt.Errorf("%w: no cluster", errSetting)
	case s.Snapshot == nil:
		return fmt.Errorf("%w: no snapshot", errSetting)
	case s.Evaluator == nil:
		return fmt.Errorf("%w: no evaluator", errSetting)
	}
	return nil
}

// classes returns the priority classes of the input.
func (s *Setting) classes() []*outrank.PriorityClass { return s.Cluster.Classes }

// EvaluatorFor returns the evaluator for a pod. It returns nil if the pod's scheduler is not known.
func (s *Setting) EvaluatorFor(p *outrank.Pod) *engine.Evaluator {
	if s.Scheduler != nil {
		return s.Scheduler(p.Scheduler())
	}
	if p.Scheduler() != outrank.DefaultScheduler {
		return nil
	}
	return s.Evaluator
}

// scorerFor returns the scorer of a pod's scheduler, by default a zero one.
func (s *Setting) scorerFor(p *outrank.Pod) *score.Scorer {
	if s.Scores != nil {
		if scorer := s.Scores(p.Scheduler()); scorer != nil {
			return scorer
		}
	}
	return &score.Scorer{}
}

// decider returns the evaluator for a pod that a question is about. If the setting names no schedulers, the
// default profile decides about every pod, unlike in EvaluatorFor. If it names some, an unknown scheduler is an
// error.
func (s *Setting) decider(p *outrank.Pod) (*engine.Evaluator, error) {
	if p == nil {
		return nil, fmt.Errorf("%w: no pod", outrank.ErrInvalid)
	}
	if s.Scheduler == nil {
		return s.Evaluator, nil
	}
	if e := s.Scheduler(p.Scheduler()); e != nil {
		return e, nil
	}
	return nil, &outrank.InputError{Problems: []outrank.Problem{{
		Object: "pod " + string(p.Key()), Field: "spec.schedulerName", Text: "scheduler " + p.Scheduler() + " places it, whose rules are not known here",
	}}}
}

// Show reports the amount of work that is done by somebody who uses the setting.
func (s *Setting) Show(done, total int) { s.progress(done, total) }

// progress reports the amount of work that is done: at each step, or at every 64th step if there are 1,000 or
// more.
func (s *Setting) progress(done, total int) {
	if s.Progress != nil && (done == total || total < 1000 || done%64 == 0) {
		s.Progress(done, total)
	}
}

// moment returns the time at which victims begin to leave: Now, or the first second of 1970 if Now is not set,
// because the zero time would mean that they do not leave.
func (s *Setting) moment() time.Time {
	if s.Now.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return s.Now
}
