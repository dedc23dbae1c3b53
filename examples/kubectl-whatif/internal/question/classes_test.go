package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/priority"
)

func inClass(name string) func(*outrank.Pod) {
	return func(p *outrank.Pod) { p.PriorityClassName = name }
}

// service is a cluster before priorities were introduced: the store has none, and
// a copy of it waits.
func service() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2")},
		Pods: []*outrank.Pod{
			pod("store-1", "n1", 0, "4", owned("StatefulSet", "store")), pod("store-2", "n2", 0, "3", owned("StatefulSet", "store")),
			pod("batch-1", "n2", 10, "1", owned("Job", "batch"), inClass("batch")), pod("store-3", "", 0, "2", owned("StatefulSet", "store")),
			pod("batch-2", "", 10, "1", owned("Job", "batch"), inClass("batch")), pod("shell", "n2", 0, "0"),
		},
		Classes: []*outrank.PriorityClass{{Name: "batch", Value: 10}},
	}
}

func TestClasses(t *testing.T) {
	for name, changed := range map[string][]*outrank.PriorityClass{
		"default": {{Name: "standard", Value: 1000, GlobalDefault: true}},
		"raised":  {{Name: "batch", Value: 5000}},
		"never":   {{Name: "batch", Value: 10, PreemptionPolicy: outrank.PreemptNever}},
		"same":    {{Name: "batch", Value: 10}},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(t, service())
			unchanged(t, s, func() {
				c, err := question.AskClasses(context.Background(), s, changed)
				require.NoError(t, err)
				golden(t, "classes-"+name, c)
			})
		})
	}
}

// A pod with the future values of its class already does not change when it is made again.
func TestClassThatSaysWhatAPodHas(t *testing.T) {
	c := service()
	c.Pods[2].Priority, c.Pods[2].PreemptionPolicy = outrank.Priority(50), outrank.PreemptLowerPriority
	answer, err := question.AskClasses(context.Background(), set(t, c), []*outrank.PriorityClass{{Name: "batch", Value: 50}})
	require.NoError(t, err)
	require.Len(t, answer.Changes, 1)
	require.Zero(t, answer.Remade)
}

func TestClassesThatMakeNoSense(t *testing.T) {
	s := set(t, service())
	_, err := question.AskClasses(context.Background(), s, []*outrank.PriorityClass{{Name: "huge", Value: 2_000_000_000}})
	require.ErrorIs(t, err, priority.ErrClass)
	_, err = question.AskClasses(context.Background(), s, []*outrank.PriorityClass{nil})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = question.AskClasses(context.Background(), s, []*outrank.PriorityClass{{Name: "a", Value: 1}, {Name: "a", Value: 2}})
	require.ErrorIs(t, err, priority.ErrClass)
}
