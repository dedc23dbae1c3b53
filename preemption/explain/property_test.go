package explain_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
)

// shapes are the sorts of clusters that properties run over.
var shapes = map[string]gen.Shape{
	"resources": {Budgets: 4},
	"alike":     {Nodes: 4, Alike: true, Budgets: 2},
	"nominated": {Budgets: 4, Nominated: 4},
	"filters":   {Budgets: 4, Taints: true, Selectors: true, Ports: true, Features: true},
	"affinity":  {Nodes: 8, PodsPerNode: 4, Affinity: true},
	"spread":    {Nodes: 8, PodsPerNode: 4, Spread: true, Selectors: true},
	"volumes":   {Nodes: 4, PodsPerNode: 5, Nominated: 3, Volumes: true},
	"full":      gen.Full(),
	"units":     {Groups: 3, Units: true, Budgets: 4, Nominated: 4, Taints: true},
	"far units": {Nodes: 6, PodsPerNode: 4, Groups: 2, Units: true, Affinity: true, Spread: true, Volumes: true, Ports: true},
}

// question is one drawn question with its answer and the reasons.
type question struct {
	*rapid.T
	cluster *outrank.Cluster
	pod     *outrank.Pod
	snap    *engine.Snapshot
	eval    *engine.Evaluator
	ex      *preemption.Plan
	report  *explain.Report
	// copies says which pods are copies of the preemptor; nil for none.
	copies func(*outrank.Pod) bool
}

// isCopy reports whether a pod is a copy of the preemptor.
func (q *question) isCopy(p *outrank.Pod) bool { return q.copies != nil && q.copies(p) }

func (q *question) request() preemption.Request {
	return preemption.Request{Pod: q.pod, Now: gen.Now}
}

// overShapes runs a property over every shape of cluster. Lists are not cut, so that all
// of them are tested.
func overShapes(t *testing.T, names []string, property func(q *question)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				q := &question{T: t, cluster: gen.Cluster(shapes[name]).Draw(t, "cluster"), pod: gen.Preemptor(shapes[name]).Draw(t, "preemptor")}
				if q.pod.Group != "" && name != "full" && name != "resources" {
					q.pod.Group = ""
				}
				q.taintCordoned()
				if shapes[name].Affinity && rapid.Bool().Draw(t, "wants to be near") {
					q.wantNear()
				}
				config := preemption.Config{}
				if rapid.IntRange(0, 3).Draw(t, "protects") == 0 {
					config.Eligibility.Take = func(_, victim *outrank.Pod) (rule string, ok bool) {
						return "", victim.Name[len(victim.Name)-1]%3 != 0
					}
				}
				if rapid.IntRange(0, 3).Draw(t, "has copies") == 0 {
					q.copies = func(p *outrank.Pod) bool { return p.Name[len(p.Name)-1]%4 == 0 }
				}
				q.ask(config)
				property(q)
			})
		})
	}
}

// taintCordoned gives cordoned nodes the taint that a cluster gives them.
func (q *question) taintCordoned() {
	for i, n := range q.cluster.Nodes {
		if n.Unschedulable && rapid.Bool().Draw(q.T, "taint of the cordon") {
			other := *n
			other.Taints = append(slices.Clone(n.Taints), outrank.Taint{Key: outrank.UnschedulableTaint, Effect: outrank.NoSchedule})
			q.cluster.Nodes[i] = &other
		}
	}
}

// wantNear has the preemptor ask to be near a pod like one that runs on a node which is then
// full, so that it may push out those that it wants to be near.
func (q *question) wantNear() {
	running := slices.DeleteFunc(slices.Clone(q.cluster.Pods), func(p *outrank.Pod) bool { return p.NodeName == "" || p.Finished() })
	if len(running) == 0 {
		return
	}
	friend := rapid.SampledFrom(running).Draw(q.T, "friend")
	key := rapid.SampledFrom([]string{"kubernetes.io/hostname", "topology.kubernetes.io/zone"}).Draw(q.T, "near by")
	q.pod.Affinity.PodAffinity = []outrank.PodAffinityTerm{{
		TopologyKey: key, Namespaces: []string{friend.NamespaceName()}, LabelSelector: &outrank.LabelSelector{MatchLabels: friend.Labels},
	}}
	q.pod.Labels = map[string]string{"app": "lone"}
}

func allShapes() []string { return slices.Sorted(maps.Keys(shapes)) }

func (q *question) ask(config preemption.Config) {
	var err error
	q.snap, err = engine.NewSnapshot(q.cluster)
	require.NoError(q, err)
	q.eval, err = engine.New(config)
	require.NoError(q, err)
	q.ex, err = q.eval.Explain(context.Background(), q.snap, q.request())
	if err != nil {
		q.Skip(err.Error()) // a pod of a group does not preempt by itself
	}
	q.report, err = explain.Ask(context.Background(), explain.Question{Evaluator: q.eval, Snapshot: q.snap, Request: q.request(), Plan: q.ex}, explain.Options{Most: 1 << 20, Copies: q.copies})
	require.NoError(q, err)
}

// Each node is in one group, of the stage that the explanation says.
func TestPropertyEachNodeHasOneGroup(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		stages := map[string]explain.Stage{}
		for _, g := range q.report.Nodes {
			require.Zero(q, g.Names.More)
			require.Contains(q, g.Names.Items, g.Example)
			for _, name := range g.Names.Items {
				require.NotContains(q, stages, name, "a node in two groups")
				stages[name] = g.Stage
			}
		}
		require.Len(q, stages, len(q.ex.Nodes))
		for _, n := range q.ex.Nodes {
			want := explain.NoHelp
			switch {
			case q.ex.Outcome == preemption.Preempts && n.Node == q.ex.Node:
				want = explain.Chosen
			case n.Status.Code == preemption.Success:
				want = explain.Fits
			case n.AfterRemoval != nil && n.AfterRemoval.Code == preemption.Success:
				want = explain.Candidate
			case n.AfterRemoval != nil:
				want = explain.InVain
			}
			require.Equal(q, want, stages[n.Node], n.Node)
		}
	})
}

// Every built-in filter that fails has its thing named, before and after preemption.
func TestPropertyEveryThingIsNamed(t *testing.T) {
	named := func(q *question, o *explain.Obstacle, where string) {
		if o == nil {
			return
		}
		bare := explain.Obstacle{Filter: o.Filter, ExcludedBy: o.ExcludedBy, Reasons: o.Reasons}
		if cmp.Equal(&bare, o, cmpopts.EquateEmpty()) {
			q.Fatalf("%s: nothing is named behind %q", where, o.Text())
		}
	}
	overShapes(t, allShapes(), func(q *question) {
		for _, g := range q.report.Nodes {
			named(q, g.Before, g.Example+" before")
			named(q, g.After, g.Example+" after")
		}
		for _, v := range q.report.Victims.Items {
			if !v.AtItsTurn {
				named(q, v.Blocks, string(v.Pod.Key))
			}
		}
	})
}

// A report that was written and read back is the same, and says the same.
func TestPropertyReportsReadBack(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		text, err := json.Marshal(q.report)
		require.NoError(q, err)
		var again explain.Report
		require.NoError(q, json.Unmarshal(text, &again))
		second, err := json.Marshal(&again)
		require.NoError(q, err)
		require.Equal(q, string(text), string(second))
		require.Equal(q, q.report.Text(), again.Text())
		once, err := explain.Ask(context.Background(), explain.Question{Evaluator: q.eval, Snapshot: q.snap, Request: q.request()}, explain.Options{Most: 1 << 20, Copies: q.copies})
		require.NoError(q, err)
		require.Equal(q, q.report.Text(), once.Text())
	})
}
