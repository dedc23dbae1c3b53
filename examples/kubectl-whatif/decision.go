package main

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/trace"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// decision is the decision for a pod, with its origin.
type decision struct {
	scene     *scene
	explained *preemption.Plan
	why       *explain.Report
	// noEffect says why the chosen node does not take the pod even once the victims are gone; nil
	// where it does.
	noEffect *question.Reason
	// goes is where a pod that fits goes, nil for any other.
	goes *question.Goes
	// then has the fates of the victims, nil where nobody asked.
	then *question.Victims
	// best is the regret of the decision, nil where nobody asked.
	best *joint.Regret
	// steps trace it, nil where nobody asked.
	steps *trace.Trace
}

// decide answers who a pod would push out, and why.
func (s *scene) decide(watch *stopwatch) (*decision, error) {
	eval, warnings, err := s.schedulers.forPod(s.question.pod)
	if err != nil {
		return nil, err
	}
	s.warn(warnings)
	watch.skip()
	ctx, pod := context.Background(), s.question.pod
	e, err := eval.Explain(ctx, s.snap, preemption.Request{Pod: pod, Now: s.now})
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}
	watch.lap("deciding")
	why, err := explain.Ask(ctx, explain.Question{Evaluator: eval, Snapshot: s.snap, Request: preemption.Request{Pod: pod, Now: s.now}, Plan: e}, explain.Options{Classes: s.cluster.Classes})
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}
	d := &decision{scene: s, explained: e, why: why}
	set, err := s.setting(nil)
	if err == nil {
		d.noEffect, err = question.NoEffect(ctx, set, e)
	}
	if err == nil {
		err = d.place(ctx, set)
	}
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}
	if s.opts.set["replacements"] && e.Outcome == preemption.Preempts {
		err = d.follow(ctx)
	}
	if s.opts.about.trace && err == nil {
		if d.steps, err = trace.Of(ctx, eval, s.snap, preemption.Request{Pod: pod, Now: s.now}, e); err != nil {
			return nil, console.Unusable("the pod", err)
		}
	}
	if s.opts.about.exact && err == nil {
		if d.best, err = joint.RegretOf(ctx, eval, s.snap, e, s.now); err != nil {
			return nil, console.Unusable("the pod", err)
		}
	}
	watch.lap("explaining")
	return d, err
}

// place finds out where a pod that fits goes. Where its scheduler fails over what it would like of a node,
// that is a reason why the answer does not come true.
func (d *decision) place(ctx context.Context, set question.Setting) (err error) {
	if d.explained.Outcome != preemption.Fits || d.explained.Resize || d.why.Leaving != nil {
		return nil
	}
	d.goes, err = question.WhereItGoes(ctx, set, d.explained.Pod)
	if errors.Is(err, outrank.ErrInvalid) {
		d.scene.caveats = append(d.scene.caveats, Warning{Object: "pod " + string(d.explained.Pod.Key()), Text: "its scheduler fails over its preferences, and it waits: " + err.Error()})
		return nil
	}
	return err
}

// follow finds the fates of the victims.
func (d *decision) follow(ctx context.Context) error {
	set, err := d.scene.setting(nil)
	if err != nil {
		return err
	}
	if d.then, err = question.AskVictims(ctx, set, d.explained, d.scene.opts.about.replacements); err != nil {
		return console.Unusable("the pod", err)
	}
	return nil
}
