package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// clusters have more pods, or more nodes, than a call may go through without looking at its context. Each is
// asked about all preemptors but those in without, for which the other cluster takes longer.
var clusters = []struct {
	name        string
	nodes, pods int
	without     []string
}{
	{"pods", 500, 30, []string{"spread"}},
	{"nodes", 5000, 5, []string{"apart", "near"}},
}

// preemptors are variants of the benchmark's preemptor: as it is, with terms of pod affinity and
// anti-affinity, and with a spread constraint.
var preemptors = []struct {
	name string
	with func(p *outrank.Pod)
}{
	{"plain", func(*outrank.Pod) {}},
	{"apart", func(p *outrank.Pod) {
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: ofApp(), TopologyKey: hostname}}
	}},
	{"near", func(p *outrank.Pod) {
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: ofApp(), TopologyKey: hostname}}
	}},
	{"spread", func(p *outrank.Pod) {
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: hostname, WhenUnsatisfiable: outrank.DoNotSchedule, LabelSelector: ofApp(),
		}}
	}},
}

// calls lists all calls, in every cluster and about each of its preemptors.
func calls() ([]call, error) {
	groups, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	if err != nil {
		return nil, err
	}

	var all []call
	for _, c := range clusters {
		for _, p := range preemptors {
			if slices.Contains(c.without, p.name) {
				continue
			}

			f := &fixture{}
			if f.cluster, f.pod, err = clustergen.Benchmark(c.nodes, c.pods, 20); err != nil {
				return nil, err
			}
			f.cluster.Release = groups
			f.pod.Labels = map[string]string{"app": "app-1"}
			p.with(f.pod)

			if f.eval, err = engine.New(preemption.Config{}); err != nil {
				return nil, err
			}
			if f.across, err = engine.New(preemption.Config{Victims: preemption.Across{}}); err != nil {
				return nil, err
			}
			if f.scorer, err = score.New(score.Config{}); err != nil {
				return nil, err
			}

			for _, one := range f.calls() {
				all = append(all, call{c.name + "/" + p.name + "/" + one.name, one.of})
			}
		}
	}
	return all, nil
}

// calls lists the calls about one preemptor. They share the snapshots, as the calls of a program do: a call
// finds in the caches what earlier calls have left there.
func (f *fixture) calls() []call {
	return slices.Concat(f.decisions(), f.groups(), f.explanations(), f.scores(), f.plans())
}

// on returns a call that is preceded by prepare. What the preparation does is not counted.
func (f *fixture) on(name string, of func(ctx context.Context) error) call {
	return call{name, func(ctx context.Context) error {
		if err := f.prepare(); err != nil {
			return err
		}
		restart(ctx)
		return of(ctx)
	}}
}

// decisions lists the calls of an evaluator about one pod. The first decision fills the snapshot's indexes,
// the second remembers the answers of nodes, and the third finds these.
func (f *fixture) decisions() []call {
	e := f.eval
	preempt := func(ctx context.Context) error {
		_, err := e.Preempt(ctx, f.snap, preemption.Request{Pod: f.pod, Now: now()})
		return err
	}

	return []call{
		f.on("Preempt", preempt),
		f.on("Preempt again", preempt),
		f.on("Preempt a third time", preempt),
		f.on("Explain", func(ctx context.Context) error {
			_, err := e.Explain(ctx, f.snap, preemption.Request{Pod: f.pod, Now: now()})
			return err
		}),

		// These ask about other things than one decision over all nodes.
		f.on("Feasible", func(ctx context.Context) error { _, err := e.Feasible(ctx, f.snap, f.small()); return err }),
		f.on("Verify", func(ctx context.Context) error { return e.Verify(ctx, f.snap, f.plan) }),
		f.on("Regret", func(ctx context.Context) error { _, err := joint.RegretOf(ctx, e, f.snap, f.plan, now()); return err }),
		f.on("Preempt across nodes", func(ctx context.Context) error {
			_, err := f.across.Preempt(ctx, f.snap, f.request())
			return err
		}),

		f.on("ExplainNode", func(ctx context.Context) error {
			_, err := e.ExplainNode(ctx, f.snap, f.request(), f.cluster.Nodes[1].Name)
			return err
		}),
		f.on("Candidates", func(ctx context.Context) error {
			for _, err := range e.Candidates(ctx, f.snap, f.request()) {
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

// groups lists the calls about several pods that preempt together. It does not matter whether preemption
// helps them, because the search takes as long if it does not.
func (f *fixture) groups() []call {
	return []call{
		f.on("PreemptGroup", func(ctx context.Context) error {
			plan, err := f.eval.PreemptGroup(ctx, f.snap, preemption.GroupRequest{Pods: copies(f.pod, 10), Now: now()})
			if err == nil && plan.Outcome != preemption.Preempts && plan.Outcome != preemption.NothingHelps {
				err = fmt.Errorf("outcome %v", plan.Outcome)
			}
			return err
		}),
		f.on("PreemptGroup, placed by a function", func(ctx context.Context) error {
			_, err := f.eval.PreemptGroup(ctx, f.snap, preemption.GroupRequest{Pods: copies(f.pod, 10), Now: now(), Place: inTurn})
			return err
		}),
	}
}

// inTurn places each pod on the first node that is feasible beside the pods before it.
func inTurn(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
	var placed []preemption.Assignment
	for _, p := range pods {
		nodes, err := draft.Feasible(p, placed...)
		switch {
		case err != nil:
			return nil, nil, err
		case len(nodes) == 0:
			return nil, &preemption.Refusal{Pod: p}, nil
		}
		placed = append(placed, preemption.Assignment{Pod: p, Node: nodes[0].Name})
	}
	return placed, nil, nil
}

// explanations lists the calls that explain a decision or a plan.
func (f *fixture) explanations() []call {
	return []call{
		f.on("explain.Ask", func(ctx context.Context) error {
			_, err := explain.Ask(ctx, explain.Question{Evaluator: f.eval, Snapshot: f.snap, Request: f.request()}, explain.Options{})
			return err
		}),
		f.on("explain.Replacements", func(ctx context.Context) error {
			_, err := explain.Replacements(ctx, explain.Question{Evaluator: f.eval, Snapshot: f.snap, Request: preemption.Request{Now: now()}, Plan: f.plan}, explain.Options{})
			return err
		}),
	}
}

// scores lists the calls for scores: once the call itself has to count the pods, and once an earlier call
// has.
func (f *fixture) scores() []call {
	return []call{
		f.on("Rank", func(ctx context.Context) error {
			_, err := f.scorer.Rank(ctx, f.eval, f.uncounted.Scratch(), f.small())
			return err
		}),
		f.on("Rank, tracked", func(ctx context.Context) error {
			_, err := f.scorer.Rank(ctx, f.eval, f.tracked, f.small())
			return err
		}),
	}
}

// plans lists the calls for joint plans of several pods, and for the ranking by what happens to the victims.
func (f *fixture) plans() []call {
	asked := joint.Request{Pods: copies(f.pod, 10), Now: now(), Limit: 2000}
	moving, one := asked, asked
	moving.Moves, one.Pods = &joint.LossCosts{}, copies(f.pod, 1)

	return []call{
		f.on("joint.Preempt", func(ctx context.Context) error {
			_, err := joint.Preempt(ctx, f.eval, f.snap, asked)
			return err
		}),
		f.on("joint.Preempt with moves", func(ctx context.Context) error {
			owned, err := f.owned()
			if err != nil {
				return err
			}
			restart(ctx)
			_, err = joint.Preempt(ctx, f.eval, owned, moving)
			return err
		}),
		f.on("joint.Outlooks", func(ctx context.Context) error {
			_, _, err := joint.Outlooks(ctx, f.eval, f.snap, one)
			return err
		}),
	}
}
