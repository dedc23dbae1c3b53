package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

const hostname = "kubernetes.io/hostname"

func ofApp() *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchLabels: map[string]string{"app": "app-1"}}
}

// now returns a time after all start times.
func now() time.Time { return clustergen.Now() }

// fixture is a cluster and what the calls about it need.
type fixture struct {
	cluster *outrank.Cluster
	pod     *outrank.Pod
	eval    *engine.Evaluator
	across  *engine.Evaluator
	scorer  *score.Scorer

	// The snapshots and the plan are made by prepare, before the first call. By then tracked keeps counts of
	// pods for the scorer; uncounted never does.
	snap, tracked, uncounted *engine.Snapshot
	plan                     *preemption.Plan
}

func (f *fixture) snapshot() *engine.Snapshot {
	snap, err := engine.NewSnapshot(f.cluster)
	if err != nil {
		panic(err)
	}
	return snap
}

// prepare makes the snapshots and the plan, unless they exist already.
func (f *fixture) prepare() (err error) {
	if f.snap != nil {
		return nil
	}

	f.tracked, f.uncounted = f.snapshot(), f.snapshot()
	if _, err := f.scorer.Rank(context.Background(), f.eval, f.tracked, f.small()); err != nil {
		return err
	}

	f.plan, err = f.eval.Preempt(context.Background(), f.snapshot(), preemption.Request{Pod: f.pod, Now: now()})
	if err != nil {
		return err
	}
	if f.plan.Outcome != preemption.Preempts {
		return fmt.Errorf("outcome %v", f.plan.Outcome)
	}

	// Set last: it says that everything else is there.
	f.snap = f.snapshot()
	return nil
}

func (f *fixture) request() preemption.Request { return preemption.Request{Pod: f.pod, Now: now()} }

// owned returns a snapshot of the cluster in which most pods have a controller and a tenth are removed, so
// that there is room for the pods that controllers recreate.
func (f *fixture) owned() (*engine.Snapshot, error) {
	snap := f.snapshot()
	for i, p := range slices.Collect(snap.Pods()) {
		var err error
		switch {
		case i%10 == 0:
			err = snap.RemovePod(p.Key())
		case i%4 > 0:
			q := *p
			q.Owner = outrank.Owner{Kind: "ReplicaSet", Name: "set"}
			_, err = snap.PutPod(&q)
		}
		if err != nil {
			return nil, err
		}
	}
	return snap, nil
}

// small returns a pod that fits on most nodes and prefers some of them. To score nodes for it, one has to
// look at the pods of the whole cluster.
func (f *fixture) small() *outrank.Pod {
	small := *f.pod
	small.Containers = []outrank.Container{{Name: "c", Requests: resource.List{resource.CPU: resource.NewMilli(1)}}}
	small.Affinity.PodAntiAffinity, small.Affinity.PodAffinity = nil, nil

	small.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: hostname, WhenUnsatisfiable: outrank.ScheduleAnyway, LabelSelector: ofApp(),
	}}
	small.Preferences = &outrank.Preferences{PodAffinity: []outrank.WeightedPodAffinityTerm{{
		Weight: 3, PodAffinityTerm: outrank.PodAffinityTerm{LabelSelector: ofApp(), TopologyKey: hostname},
	}}}
	return &small
}

// copies returns n pods that request, in turn, as much as the pod, a half, a quarter and an eighth of it.
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
