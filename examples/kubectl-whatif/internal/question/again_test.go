package question_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// Pods of one controller that wait for the same reasons take one decision, as long as nothing changes.
func TestOneDecisionForPodsAlike(t *testing.T) {
	alike := func(name string, more ...func(*outrank.Pod)) *outrank.Pod {
		return pod(name, "", 5, "3", append(more, owned("Job", "batch"))...)
	}
	for _, tt := range []struct {
		name  string
		pods  []*outrank.Pod
		asked int
	}{
		{"alike", []*outrank.Pod{alike("a"), alike("b"), alike("c")}, 1},
		{"another label", []*outrank.Pod{alike("a"), alike("b", labelled("app", "x")), alike("c", labelled("app", "x"))}, 2},
		{"another controller", []*outrank.Pod{alike("a"), pod("b", "", 5, "3"), alike("c")}, 3},
		{"a nomination", []*outrank.Pod{alike("a"), alike("b", func(p *outrank.Pod) { p.NominatedNodeName = "n2" }), alike("c")}, 3},
		// The pod between them takes room, which a pod that is alike might have needed.
		{"somebody finds a place", []*outrank.Pod{alike("a"), pod("b", "", 5, "1", owned("Job", "batch")), alike("c")}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := map[string]bool{}
			s := set(t, &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1"), node("n2")},
				Pods:  append(tt.pods, pod("web-1", "n1", 100, "2"), pod("web-2", "n2", 100, "2")),
			})
			eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{{
				Name: "Counting",
				Start: func(p *outrank.Pod, _ preemption.View) (preemption.FilterState, error) {
					asked[p.Name] = true
					return nil, nil
				},
			}}})
			require.NoError(t, err)
			s.Evaluator = eval

			got, err := question.AllPending(context.Background(), s)
			require.NoError(t, err)
			assert.Len(t, got.Turns, len(tt.pods))
			assert.Len(t, asked, tt.asked)
		})
	}
}

// A turn is the same whether the pod before it was alike or not. Value plays no part in any decision, and tells
// the pods apart.
func TestPropertyPodsAlikeHaveTheSameTurns(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		copies := *s.Cluster
		copies.Pods = nil
		for _, p := range s.Cluster.Pods {
			copies.Pods = append(copies.Pods, p)
			for i := range 3 {
				if p.NodeName == "" {
					more := *p
					more.Name, more.UID = fmt.Sprintf("%s-%d", p.Name, i), fmt.Sprintf("%s-%d", p.UID, i)
					copies.Pods = append(copies.Pods, &more)
				}
			}
		}
		apart := copies
		apart.Pods = nil
		for i, p := range copies.Pods {
			other := *p
			other.Value = i
			apart.Pods = append(apart.Pods, &other)
		}

		got, err := question.AllPending(context.Background(), set(t, &copies))
		want, other := question.AllPending(context.Background(), set(t, &apart))
		require.Equal(t, fmt.Sprint(other), fmt.Sprint(err))
		require.Equal(t, want, got)
	})
}
