package main

import (
	"context"
	"errors"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/trace"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// decision is the decision for a pod, with everything that was asked about it.
type decision struct {
	scene     *scene
	explained *preemption.Plan
	why       *explain.Report
	// noEffect says why the chosen node does not take the pod even once the victims are gone; nil
	// if it does.
	noEffect *question.Reason
	// goes says where a pod that fits goes, nil for any other pod.
	goes *question.Goes
	// then tells what becomes of the victims, nil if nobody asked.
	then *question.Victims
	// best compares the decision with the best one, nil if nobody asked.
	best *joint.Regret
	// steps has the decision step by step, nil if nobody asked.
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

	ctx := context.Background()
	request := preemption.Request{Pod: s.question.pod, Now: s.now}
	// Explain asks every node, even nodes that a scheduler would not get to.
	e, err := eval.Explain(ctx, s.snap, request)
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}
	watch.lap("deciding")

	why, err := explain.Ask(ctx, explain.Question{Evaluator: eval, Snapshot: s.snap, Request: request, Plan: e}, explain.Options{Classes: s.cluster.Classes})
	if err != nil {
		return nil, console.Unusable("the pod", err)
	}
	d := &decision{scene: s, explained: e, why: why}
	if err := d.carryOut(ctx); err != nil {
		return nil, console.Unusable("the pod", err)
	}

	// Without victims there is nothing to replace.
	if s.opts.set["replacements"] && e.Outcome == preemption.Preempts {
		if err := d.follow(ctx); err != nil {
			return nil, err
		}
	}
	if err := d.compare(ctx, eval, request); err != nil {
		return nil, console.Unusable("the pod", err)
	}
	watch.lap("explaining")
	return d, nil
}

// carryOut finds out what happens when the decision is carried out: whether the chosen node then takes the pod,
// and where a pod goes that fits already.
func (d *decision) carryOut(ctx context.Context) error {
	set, err := d.scene.setting(nil)
	if err != nil {
		return err
	}
	if d.noEffect, err = question.NoEffect(ctx, set, d.explained); err != nil {
		return err
	}
	return d.place(ctx, set)
}

// compare adds the trace of the decision and the best decision, each if it is asked for.
func (d *decision) compare(ctx context.Context, eval *engine.Evaluator, request preemption.Request) (err error) {
	s := d.scene
	if o := s.opts; o.about.trace {
		if d.steps, err = trace.Of(ctx, eval, s.snap, request, d.explained); err != nil {
			return err
		}
	}
	if o := s.opts; o.about.exact {
		d.best, err = joint.RegretOf(ctx, eval, s.snap, d.explained, s.now)
	}
	return err
}

// place finds out where a pod that fits goes. If choosing by the pod's preferences among nodes fails in the
// scheduler, the pod waits, which becomes a caveat of the answer.
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

// follow finds out what becomes of the victims.
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
