package main

import (
	"fmt"
	"io"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// scene is everything that a question is about, whichever it is.
type scene struct {
	opts    *options
	cluster *outrank.Cluster
	// ask is the question.
	ask inquiry
	// question is nil where it is about no single pod.
	question   *asking
	snap       *preemption.Snapshot
	schedulers *schedulers
	now        time.Time
	warnings   []outrank.Problem
	caveats    []Warning
	// releaseFrom is the source of the release.
	releaseFrom ReleaseSource
}

// look reads the cluster and finds the pod in question.
func look(opts *options, stdin io.Reader, stderr io.Writer, watch *stopwatch) (*scene, error) {
	cluster, err := load(opts, stdin, stderr)
	if err != nil {
		return nil, err
	}
	watch.lap("loading")
	s := &scene{opts: opts, cluster: cluster, ask: opts.asked(), now: opts.now}
	var doubts []Warning
	s.releaseFrom, doubts = settleRelease(opts, cluster)
	if s.ask.ofPod() {
		opts.settleNamespace()
		if s.question, err = ask(opts, cluster, stdin); err != nil {
			return nil, err
		}
		if s.ask, err = opts.withGroup(cluster, s.question); err != nil {
			return nil, err
		}
	}
	watch.skip()
	if s.snap, err = preemption.NewSnapshot(cluster); err != nil {
		return nil, unusable(opts.source(), err)
	}
	watch.lap("indexing")
	if s.schedulers, err = opts.readSchedulers(cluster.Release); err != nil {
		return nil, err
	}
	if s.now.IsZero() {
		s.now = afterLatest(cluster)
	}
	s.caveats = append(doubts, caveats(opts, cluster, s.question)...)
	return s, nil
}

// setting is the scene in the form of package question.
func (s *scene) setting(show func(done, total int)) (question.Setting, error) {
	warnings, err := s.schedulers.tried()
	if err != nil {
		return question.Setting{}, err
	}
	set := question.Setting{Cluster: s.cluster, Snapshot: s.snap, Now: s.now, Progress: show}
	if s.question != nil {
		set.Evaluator, warnings, err = s.schedulers.forPod(s.question.pod)
	} else {
		set.Evaluator, err = preemption.NewEvaluator(preemption.Config{Workers: s.opts.answer.workers, Schedulers: s.schedulers.names()})
	}
	if s.schedulers.read != nil {
		set.Scheduler = s.schedulers.named
	}
	s.warn(warnings)
	return set, err
}

// warn adds the warnings about the dump and the manifest to those about the scheduler.
func (s *scene) warn(scheduler []outrank.Problem) {
	s.warnings = append(scheduler, s.cluster.Warnings()...)
	if s.question != nil {
		s.warnings = append(s.warnings, s.question.warnings...)
	}
}

// afterLatest is a second after the latest time that the dump names, so that no
// pod started in the future. It is the zero time where the dump names none.
func afterLatest(c *outrank.Cluster) time.Time {
	if c.AsOf.IsZero() {
		return c.AsOf
	}
	return c.AsOf.Add(time.Second)
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	last time.Time
	text string
}

func (s *stopwatch) lap(step string) {
	took := time.Since(s.last)
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, took.Seconds())
	s.skip()
}

// skip leaves the time since the last step out.
func (s *stopwatch) skip() { s.last = time.Now() }

func (s *stopwatch) String() string { return s.text }
