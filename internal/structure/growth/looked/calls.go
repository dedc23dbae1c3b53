package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/clustergen"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/joint"
	"github.com/outrank-go/outrank/preemption/score"
	"github.com/outrank-go/outrank/resource"
)

// clusters have more pods than may be gone through without a look, and as many nodes as Kubernetes is made for.
// Each has the preemptors that take longest there.
var clusters = []struct {
	name        string
	nodes, pods int
	without     []string
}{
	{"pods", 500, 30, []string{"spread"}},
	{"nodes", 5000, 5, []string{"apart", "near"}},
}

// preemptors are the benchmark's, alone, with a term that keeps it apart, and with a constraint.
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

const hostname = "kubernetes.io/hostname"

func ofApp() *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}}
}

// now is later than every start.
func now() time.Time { return clustergen.Now() }

// fixture is a cluster and what asks for room there.
type fixture struct {
	cluster *outrank.Cluster
	pod     *outrank.Pod
	eval    *preemption.Evaluator
}

func (f *fixture) snapshot() *preemption.Snapshot {
	snap, err := preemption.NewSnapshot(f.cluster)
	if err != nil {
		panic(err)
	}
	return snap
}

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
			if f.eval, err = preemption.NewEvaluator(preemption.Config{Workers: 1}); err != nil {
				return nil, err
			}
			for _, one := range f.calls() {
				all = append(all, call{c.name + "/" + p.name + "/" + one.name, one.of})
			}
		}
	}
	return all, nil
}

func (f *fixture) calls() []call {
	e, pod := f.eval, f.pod
	req := preemption.Request{Pod: pod, Now: now()}
	var snap, attached *preemption.Snapshot
	var plan *preemption.Plan
	scorer, err := score.New(score.Config{})
	if err != nil {
		panic(err)
	}
	on := func(name string, of func(ctx context.Context) error) call {
		return call{name, func(ctx context.Context) error {
			if snap == nil {
				snap, attached = f.snapshot(), f.snapshot()
				if err := scorer.Attach(attached); err != nil {
					return err
				}
				var err error
				if plan, err = e.Preempt(context.Background(), f.snapshot(), pod, now()); err != nil {
					return err
				}
				if plan.Outcome != preemption.Preempt {
					return fmt.Errorf("outcome %v", plan.Outcome)
				}
				restart(ctx)
			}
			return of(ctx)
		}}
	}
	small := *pod
	small.Containers = []outrank.Container{{Name: "c", Requests: resource.List{resource.CPU: resource.NewMilli(1)}}}
	small.Affinity.PodAntiAffinity, small.Affinity.PodAffinity = nil, nil
	small.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: hostname, WhenUnsatisfiable: outrank.ScheduleAnyway, LabelSelector: ofApp(),
	}}
	small.Preferences = &outrank.Preferences{PodAffinity: []outrank.WeightedPodAffinityTerm{{
		Weight: 3, PodAffinityTerm: outrank.PodAffinityTerm{LabelSelector: ofApp(), TopologyKey: hostname},
	}}}
	return []call{
		on("Preempt", func(ctx context.Context) error { _, err := e.Preempt(ctx, snap, pod, now()); return err }),
		on("Preempt again", func(ctx context.Context) error { _, err := e.Preempt(ctx, snap, pod, now()); return err }),
		on("Preempt a third time", func(ctx context.Context) error { _, err := e.Preempt(ctx, snap, pod, now()); return err }),
		on("Explain", func(ctx context.Context) error { _, err := e.Explain(ctx, snap, pod, now()); return err }),
		on("Feasible", func(ctx context.Context) error { _, err := e.Feasible(ctx, snap, &small); return err }),
		on("Verify", func(ctx context.Context) error { return e.Verify(ctx, snap, plan, now()) }),
		on("Regret", func(ctx context.Context) error { _, err := e.Regret(ctx, snap, plan, now()); return err }),
		on("PreemptAcross", func(ctx context.Context) error { _, err := e.PreemptAcross(ctx, snap, pod, now()); return err }),
		on("Candidates", func(ctx context.Context) error {
			for _, err := range e.Candidates(ctx, snap, req) {
				if err != nil {
					return err
				}
			}
			return nil
		}),
		on("ExplainNode", func(ctx context.Context) error {
			_, _, err := e.ExplainNode(ctx, snap, req, f.cluster.Nodes[1].Name)
			return err
		}),
		on("PreemptGroup", func(ctx context.Context) error {
			plan, err := e.PreemptGroup(ctx, snap, preemption.GroupRequest{Pods: copies(pod, 10), Now: now()})
			if err == nil && plan.Outcome != preemption.Preempt && plan.Outcome != preemption.NothingHelps {
				err = fmt.Errorf("outcome %v", plan.Outcome)
			}
			return err
		}),
		on("FirstFit", func(ctx context.Context) error { _, err := e.FirstFit(ctx, snap, copies(&small, 10)); return err }),
		on("explain.Ask", func(ctx context.Context) error {
			_, err := explain.Ask(ctx, e, snap, req, explain.Options{})
			return err
		}),
		on("explain.Replacements", func(ctx context.Context) error {
			_, err := explain.Replacements(ctx, e, snap, plan, now(), explain.Options{})
			return err
		}),
		on("Rank", func(ctx context.Context) error { _, err := scorer.Rank(ctx, e, snap, &small); return err }),
		on("Rank, attached", func(ctx context.Context) error { _, err := scorer.Rank(ctx, e, attached, &small); return err }),
		on("joint.Preempt", func(ctx context.Context) error {
			_, err := joint.Preempt(ctx, e, snap, joint.Request{Pods: copies(pod, 10), Now: now(), Limit: 2000})
			return err
		}),
		on("joint.Preempt with moves", func(ctx context.Context) error {
			owned := f.snapshot()
			for i, p := range slices.Collect(owned.Pods()) {
				switch {
				case i%10 == 0:
					if err := owned.RemovePod(p.Key()); err != nil {
						return err
					}
				case i%4 > 0:
					q := *p
					q.Owner = outrank.Owner{Kind: "ReplicaSet", Name: "set"}
					if err := owned.UpdatePod(&q); err != nil {
						return err
					}
				}
			}
			restart(ctx)
			_, err := joint.Preempt(ctx, e, owned, joint.Request{Pods: copies(pod, 10), Now: now(), Limit: 2000, Moves: &preemption.LossCosts{}})
			return err
		}),
		on("joint.Outlooks", func(ctx context.Context) error {
			_, _, err := joint.Outlooks(ctx, e, snap, joint.Request{Pods: copies(pod, 1), Now: now(), Limit: 2000})
			return err
		}),
	}
}

// copies are pods of the same kind that ask for the same, a half, a quarter and an eighth.
func copies(pod *outrank.Pod, n int) []*outrank.Pod {
	out := make([]*outrank.Pod, n)
	for i := range out {
		p := *pod
		p.Name = fmt.Sprint("waiting-", i)
		list := resource.List{}
		for name, q := range pod.Requests() {
			amount := resource.Amount(name, q) >> (i % 4)
			if list[name] = resource.New(amount); name == resource.CPU {
				list[name] = resource.NewMilli(amount)
			}
		}
		p.Containers, p.InitContainers, p.Overhead, p.Resources = []outrank.Container{{Name: "c", Requests: list}}, nil, nil, nil
		out[i] = &p
	}
	return out
}
