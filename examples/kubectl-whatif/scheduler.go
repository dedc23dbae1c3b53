package main

import (
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// schedulers makes the evaluators that decide: the one of kube-scheduler's default profile, or those of the
// profiles in the file of --scheduler-config.
type schedulers struct {
	file    string
	workers int
	// read is the configuration of the file, nil without a file.
	read *schedulerconfig.Configuration
	// known and scorers cache evaluators and scorers by the name of the scheduler.
	known   map[string]*engine.Evaluator
	scorers map[string]*score.Scorer
}

// readSchedulers reads the file of --scheduler-config, if it is set, by the rules of a release.
func (o *options) readSchedulers(r outrank.Release) (*schedulers, error) {
	s := &schedulers{file: o.scheduler, workers: o.answer.workers, known: map[string]*engine.Evaluator{}, scorers: map[string]*score.Scorer{}}
	if o.scheduler == "" {
		return s, nil
	}

	f, err := input.OpenFile(o.scheduler)
	if err != nil {
		return nil, fmt.Errorf("--scheduler-config: %w", err)
	}
	defer f.Close()

	text, err := input.JSON(f)
	if err != nil {
		return nil, fmt.Errorf("--scheduler-config %s: %w", o.scheduler, err)
	}

	if s.read, err = schedulerconfig.Read(r, text); err != nil {
		return nil, console.Unusable("--scheduler-config "+o.scheduler, err)
	}
	return s, nil
}

// configOf returns the configuration of a scheduler. The warnings name parts of the file that are ignored; ok
// is false for a scheduler that the file does not have. Without a file one profile holds for every name.
func (s *schedulers) configOf(name string) (config preemption.Config, warnings []outrank.Problem, ok bool) {
	if s.read == nil {
		return preemption.Config{Profile: preemption.Profile{Schedulers: s.names()}}, nil, true
	}

	p, ok := s.read.Profile(name)
	if !ok {
		return preemption.Config{}, nil, false
	}

	warnings = slices.Clone(p.Unsupported)
	config = p.Config
	if config.Profile.SpreadSelector == nil && needsSelector(&config) {
		// A constraint that selects unknown pods would keep the pod off nodes for no reason.
		config.Profile.DefaultConstraints = nil
		warnings = append(warnings, outrank.Problem{
			Object: "KubeSchedulerConfiguration", Field: "defaultConstraints",
			Text: "left out: which pods count depends on services and controllers, which are not read from a dump",
		})
	}
	return config, warnings, true
}

// names returns the schedulers that respect each other's nominations.
func (s *schedulers) names() []string {
	if s.read == nil {
		return []string{outrank.DefaultScheduler}
	}
	return s.read.Profiles[0].Config.Profile.Schedulers
}

// evaluator makes an evaluator that shares its work among goroutines.
func (s *schedulers) evaluator(config preemption.Config) (*engine.Evaluator, error) {
	eval, err := engine.New(config)
	return eval.Parallel(s.workers), err
}

// forPod makes the evaluator that decides about a pod, from the profile of the pod's scheduler.
func (s *schedulers) forPod(pod *outrank.Pod) (*engine.Evaluator, []outrank.Problem, error) {
	config, warnings, ok := s.configOf(pod.Scheduler())
	if !ok {
		return nil, nil, fmt.Errorf("--scheduler-config %s has no profile for %q, the scheduler of pod %s: it leaves the pod alone",
			s.file, pod.Scheduler(), pod.Key())
	}
	eval, err := s.evaluator(config)
	return eval, warnings, err
}

// named returns the evaluator of a scheduler. It is nil for a scheduler that the file does not have.
func (s *schedulers) named(name string) *engine.Evaluator {
	if eval, known := s.known[name]; known {
		return eval
	}

	config, _, ok := s.configOf(name)
	var eval *engine.Evaluator
	if ok {
		// tried has already made an evaluator of each profile, so that this cannot fail.
		eval, _ = s.evaluator(config)
	}
	s.known[name] = eval
	return eval
}

// scores returns the scorer of a scheduler. It is nil for a scheduler that the file does not have.
func (s *schedulers) scores(name string) *score.Scorer {
	if scorer, known := s.scorers[name]; known {
		return scorer
	}

	var scorer *score.Scorer
	if p, ok := s.read.Profile(name); ok {
		// The scores of a profile were checked when it was read, so that this cannot fail.
		scorer, _ = score.New(p.Scores)
	}
	s.scorers[name] = scorer
	return scorer
}

// tried makes sure that every profile can decide. It returns warnings about parts of the profiles that are
// ignored, each once.
func (s *schedulers) tried() ([]outrank.Problem, error) {
	if s.read == nil {
		return nil, nil
	}

	var all []outrank.Problem
	for i := range s.read.Profiles {
		config, warnings, _ := s.configOf(s.read.Profiles[i].SchedulerName)
		if _, err := s.evaluator(config); err != nil {
			return nil, err
		}

		for _, w := range slices.Concat(warnings, s.read.Profiles[i].UnsupportedScores) {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// needsSelector reports whether a default constraint can keep a pod off a node.
func needsSelector(c *preemption.Config) bool {
	return slices.ContainsFunc(c.Profile.DefaultConstraints, func(s outrank.TopologySpreadConstraint) bool {
		return s.WhenUnsatisfiable == outrank.DoNotSchedule
	})
}
