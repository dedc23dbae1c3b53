package question_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// Pods that fit go where the scheduler's scores prefer: to the emptier nodes, or the fuller ones
// where its profile says so.
func TestPlacedByScores(t *testing.T) {
	asks := func(name, cpu, on string) *outrank.Pod {
		return &outrank.Pod{Name: name, NodeName: on, Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", cpu)}}}
	}
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods:  []*outrank.Pod{asks("old", "2", "n1"), asks("new-1", "1", ""), asks("new-2", "1", ""), asks("new-3", "1", "")},
	}
	packed, err := score.New(score.Config{Fit: score.Strategy{Type: score.MostAllocated}})
	require.NoError(t, err)
	for _, tt := range []struct {
		scores func(string) *score.Scorer
		want   string
	}{
		{nil, "[n2 n3 n2]"},
		{func(string) *score.Scorer { return packed }, "[n1 n1 n2]"},
		{func(string) *score.Scorer { return nil }, "[n2 n3 n2]"},
	} {
		s := set(t, c)
		s.Scores = tt.scores
		all, err := question.AllPending(context.Background(), s)
		require.NoError(t, err)
		var nodes []string
		for _, turn := range all.Turns {
			nodes = append(nodes, turn.Node)
		}
		require.Equal(t, tt.want, fmt.Sprint(nodes))
		copies, err := question.AskReplicas(context.Background(), s, asks("copy", "1", ""), 3)
		require.NoError(t, err)
		nodes = nil
		for _, turn := range copies.Turns {
			nodes = append(nodes, turn.Node)
		}
		require.Equal(t, tt.want, fmt.Sprint(nodes))
	}
}

// A preference that a scheduler cannot read has it fail over the pod, which waits. Where one
// node alone takes the pod, scores are not asked for (rule 27.1.7).
func TestNotScored(t *testing.T) {
	odd := pod("odd", "", 1, "1")
	odd.Preferences = &outrank.Preferences{NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 1, Preference: outrank.NodeSelectorTerm{
		MatchExpressions: []outrank.NodeRequirement{{Key: "a", Operator: outrank.In, Values: []string{"-"}}},
	}}}}
	alone, err := question.AllPending(context.Background(), set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1")}, Pods: []*outrank.Pod{odd}}))
	require.NoError(t, err)
	require.Equal(t, question.Placed, alone.Turns[0].Outcome)
	all, err := question.AllPending(context.Background(), set(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2")}, Pods: []*outrank.Pod{odd}}))
	require.NoError(t, err)
	require.Equal(t, question.Waits, all.Turns[0].Outcome)
	require.Contains(t, all.Turns[0].TurnedDown[0].Reasons[0], "NodeAffinity")
}

// Where a pod that fits goes is the best by its scheduler's scores, and the nodes are counted that are as good.
func TestWhereItGoes(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")}, Pods: []*outrank.Pod{pod("old", "n1", 1, "2")}}
	packed, err := score.New(score.Config{Fit: score.Strategy{Type: score.MostAllocated}})
	require.NoError(t, err)
	new := pod("new", "", 1, "1")
	s := set(t, c)
	goes, err := question.WhereItGoes(t.Context(), s, new)
	require.NoError(t, err)
	require.Equal(t, &question.Goes{Node: "n2", Equal: 2}, goes)
	require.Equal(t, "By its scheduler's scores it goes to one of 2 equal nodes: n2, say.", goes.Text())
	s.Scores = func(string) *score.Scorer { return packed }
	goes, err = question.WhereItGoes(t.Context(), s, new)
	require.NoError(t, err)
	require.Equal(t, "By its scheduler's scores it goes to n1.", goes.Text())
	goes, err = question.WhereItGoes(t.Context(), s, pod("vast", "", 1, "100"))
	require.NoError(t, err)
	require.Nil(t, goes)
	_, err = question.WhereItGoes(t.Context(), question.Setting{}, new)
	require.Error(t, err)
}
