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
	// Cluster is the input: its classes, and its pods in the order of the input.
	Cluster *outrank.Cluster
	// Snapshot is of that cluster. Questions clone it.
	Snapshot *engine.Snapshot
	// Limits hold pods that are created; without any, everybody may be.
	Limits quotas.Limits
	// Evaluator decides for the pods of kube-scheduler's default profile and, where
	// Scheduler is nil, for no others.
	Evaluator *engine.Evaluator
	// Scheduler returns the evaluator for the pods of a scheduler, nil for none here.
	Scheduler func(name string) *engine.Evaluator
	// Scores returns what the nodes that take a pod of a scheduler are scored by; nil means
	// the default profile.
	Scores func(name string) *score.Scorer
	// Now replaces missing start times, and is the time at which victims begin to leave.
	Now time.Time
	// Progress, if set, is called now and then with the done part of the work.
	Progress func(done, total int)
}

// errSetting is wrapped by errors about a setting that lacks something.
var errSetting = errors.New("incomplete setting")

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

// evaluatorFor returns the evaluator for a pod; nil where its scheduler is not
// known.
func (s *Setting) evaluatorFor(p *outrank.Pod) *engine.Evaluator {
	if s.Scheduler != nil {
		return s.Scheduler(p.Scheduler())
	}
	if p.Scheduler() != outrank.DefaultScheduler {
		return nil
	}
	return s.Evaluator
}

// scorerFor returns what nodes are scored by for a pod.
func (s *Setting) scorerFor(p *outrank.Pod) *score.Scorer {
	if s.Scores != nil {
		if scorer := s.Scores(p.Scheduler()); scorer != nil {
			return scorer
		}
	}
	return &score.Scorer{}
}

// EvaluatorFor returns the evaluator for a pod; nil where its scheduler is not known.
func (s *Setting) EvaluatorFor(p *outrank.Pod) *engine.Evaluator { return s.evaluatorFor(p) }

// decider returns the evaluator for a pod in question: where its scheduler is not
// known, the default profile of kube-scheduler, if the setting does not name the
// schedulers.
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

// progress reports the done part of the work, at each step or every 64 steps
// where there are many.
func (s *Setting) progress(done, total int) {
	if s.Progress != nil && (done == total || total < 1000 || done%64 == 0) {
		s.Progress(done, total)
	}
}

// moment is now, or one that is late enough where no time is known: a pod that
// begins to leave needs one.
func (s *Setting) moment() time.Time {
	if s.Now.IsZero() {
		return time.Unix(0, 0).UTC()
	}
	return s.Now
}
