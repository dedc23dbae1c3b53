package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A draft shows the cluster without those that are away and without the waiting pods of the group, and
// says of each pod which nodes take it beside others, in whatever order it is asked: what a snapshot says
// that is made anew of the same pods, each node by itself.
func TestPropertyDraft(t *testing.T) {
	t.Parallel()
	asked, beside := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := gen.Workloads(gen.Shape{Groups: 3, Nominated: 3, PodsPerNode: 3, Affinity: true, Spread: true, Volumes: true}).Draw(t, "workload")
		snap, err := engine.NewSnapshot(w.Cluster)
		require.NoError(t, err)
		e := newEvaluator(t, drawGroupConfig(t))

		place := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
			for p := range draft.Nominated() {
				require.NotContains(t, keys(pods), string(p.Key()))
			}
			nodes := slices.Collect(draft.Nodes())
			for range rapid.IntRange(0, 6).Draw(t, "questions") {
				order := rapid.Permutation(slices.Clone(pods)).Draw(t, "order")
				var at []preemption.Assignment
				for _, p := range order[1 : 1+rapid.IntRange(0, len(order)-1).Draw(t, "beside")] {
					at = append(at, preemption.Assignment{Pod: p, Node: rapid.SampledFrom(nodes).Draw(t, "node").Name})
				}
				got, err := draft.Feasible(order[0], at...)
				want, wantErr := takersAnew(e, snap, draft, drafted{pods, order[0], at})
				require.Equal(t, wantErr == nil, err == nil, "%v, and anew %v", err, wantErr)
				require.Equal(t, want, nodeNames(got), "of %s beside %v\ncluster: %s", order[0].Key(), at, asJSON(w.Cluster))
				asked, beside = asked+1, beside+len(at)
			}
			return nil, &preemption.Refusal{Reason: "asked enough"}, nil
		}
		_, _ = e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: w.Pods, Now: gen.Now, Place: place})
	})
	assert.Positive(t, asked)
	assert.Positive(t, beside)
}

// drafted is a question about a draft: a pod beside others, of the pods of a group.
type drafted struct {
	group []*outrank.Pod
	pod   *outrank.Pod
	at    []preemption.Assignment
}

// takersAnew names the nodes that take the pod of a question, in a snapshot made for it.
func takersAnew(e *engine.Evaluator, snap *engine.Snapshot, draft preemption.Draft, q drafted) (names []string, err error) {
	anew := must(engine.NewSnapshot(snap.Cluster()))
	for n := range snap.Nodes() {
		for _, p := range snap.PodsOn(n.Name) {
			if !slices.Contains(draft.PodsOn(n.Name), p) {
				if err := anew.RemovePod(p.Key()); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, p := range q.group { // in the version of the request, with the nomination that is known
		nomination := p.NominatedNodeName
		if _, known := anew.Pod(p.Key()); known {
			nomination = anew.NominationOf(p.Key())
		}
		if _, err := anew.PutPod(p); err != nil {
			return nil, err
		}
		if _, there := anew.Node(nomination); !there {
			nomination = ""
		}
		if err := anew.Nominate(p.Key(), nomination); err != nil {
			return nil, err
		}
	}
	for _, a := range q.at {
		if err := anew.Bind(a.Pod.Key(), a.Node); err != nil {
			return nil, err
		}
	}
	for n := range anew.Nodes() {
		status, err := e.Check(anew, q.pod, n.Name)
		if err != nil {
			return nil, err
		}
		if status.Code == preemption.Success {
			names = append(names, n.Name)
		}
	}
	return names, nil
}

func nodeNames(nodes []*outrank.Node) (names []string) {
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// What a draft refuses, and that it says no more once the function has returned.
func TestDraftRefuses(t *testing.T) {
	c := withGroups(&outrank.Cluster{Nodes: []*outrank.Node{node("n1", "4", "a")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}})
	snap, e, pods := newSnapshot(t, c), newEvaluator(t, preemption.Config{}), gang(2)
	var kept preemption.Draft
	place := func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		kept = draft
		for name, ask := range map[string]func() ([]*outrank.Node, error){
			"no pod":         func() ([]*outrank.Node, error) { return draft.Feasible(nil) },
			"another pod":    func() ([]*outrank.Node, error) { return draft.Feasible(c.Pods[0]) },
			"beside another": func() ([]*outrank.Node, error) { return draft.Feasible(pods[0], assigned(c.Pods[0], "n1")...) },
			"beside itself":  func() ([]*outrank.Node, error) { return draft.Feasible(pods[0], assigned(pods[0], "n1")...) },
			"beside one twice": func() ([]*outrank.Node, error) {
				return draft.Feasible(pods[0], assigned(pods[1], "n1", pods[1], "n1")...)
			},
			"beside none":       func() ([]*outrank.Node, error) { return draft.Feasible(pods[0], preemption.Assignment{Node: "n1"}) },
			"beside, elsewhere": func() ([]*outrank.Node, error) { return draft.Feasible(pods[0], assigned(pods[1], "n9")...) },
		} {
			nodes, err := ask()
			assert.ErrorIs(t, err, outrank.ErrInvalid, name)
			assert.Nil(t, nodes, name)
		}
		nodes, err := draft.Feasible(pods[0])
		require.NoError(t, err)
		assert.Equal(t, []string{"n1"}, nodeNames(nodes), "as if it had not been asked the others")
		return assigned(pods[0], "n1", pods[1], "n1"), nil, nil
	}
	plan, err := e.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: gen.Now, Place: place})
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, plan.Outcome)
	_, err = kept.Feasible(pods[0])
	assert.ErrorIs(t, err, preemption.ErrState)
	assert.Equal(t, []string{"default/low"}, keys(kept.PodsOn("n1")), "it is still the cluster that it was")
}
