package inverse_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/drawn"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

func TestMain(m *testing.M) { seeded.Run(m, 100) }

func scenario(t require.TestingT, s question.Setting, changes ...question.Change) *question.Scenario {
	sc, err := question.NewScenario(context.Background(), s, changes...)
	require.NoError(t, err)
	return sc
}

// shapes are the sorts of clusters that properties run over.
var shapes = map[string]clustergen.Shape{
	"resources": {}, "filters": {Taints: true, Selectors: true, Ports: true}, "affinity": {Affinity: true, Spread: true},
}

// overShapes draws clusters in which most pods have controllers and some wait, and requires that
// they are left alone.
func overShapes(t *testing.T, property func(t *rapid.T, s question.Setting)) {
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape := shape
				shape.Nodes = rapid.IntRange(1, 6).Draw(t, "nodes")
				shape.Budgets, shape.Nominated = rapid.IntRange(0, 3).Draw(t, "budgets"), rapid.IntRange(0, 3).Draw(t, "nominated")
				c, err := clustergen.Cluster(shape, rapid.Uint64().Draw(t, "seed"))
				require.NoError(t, err)
				c.Classes = []*outrank.PriorityClass{{Name: "low", Value: 10}, {Name: "high", Value: 1000}, {Name: "polite", Value: 500, PreemptionPolicy: outrank.PreemptNever}}
				for i, p := range c.Pods {
					if i%9 > 0 {
						p.Owner = outrank.Owner{Kind: []string{"ReplicaSet", "DaemonSet", "StatefulSet"}[i%3], Name: fmt.Sprint(i % 4)}
					}
					p.Ready = i%7 > 0 && p.NodeName != ""
				}
				for i := range rapid.IntRange(0, 3).Draw(t, "waiting") {
					p := drawPod(t, shape)
					p.Name = fmt.Sprintf("waiting-%d", i)
					c.Pods = append(c.Pods, p)
				}
				s := drawn.Setting(t, c)
				before := drawn.State(s)
				property(t, s)
				require.Equal(t, before, drawn.State(s), "the snapshot is left alone")
			})
		})
	}
}

func drawPod(t *rapid.T, shape clustergen.Shape) *outrank.Pod {
	p, err := clustergen.Preemptor(shape, rapid.Uint64().Draw(t, "pod"))
	require.NoError(t, err)
	p.Name, p.UID, p.Group, p.NominatedNodeName = "asked", "", "", ""
	p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: "0"}
	return p
}

// answer is a result of a question.
type answer interface {
	WriteText(w io.Writer, limit int) error
}

// stable requires that a question has the same answer again, to the byte.
func stable[T answer](t require.TestingT, ask func() (T, error)) T {
	one, err := ask()
	require.NoError(t, err)
	two, err := ask()
	require.NoError(t, err)
	a, err := json.Marshal(one)
	require.NoError(t, err)
	b, err := json.Marshal(two)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	require.NotContains(t, string(a), "null", "lists are never null")
	for _, limit := range []int{0, 1, 10} {
		var first, second bytes.Buffer
		require.NoError(t, one.WriteText(&first, limit))
		require.NoError(t, two.WriteText(&second, limit))
		require.Equal(t, first.String(), second.String())
		require.NotContains(t, first.String(), "\x1b")
		require.NotContains(t, first.String(), "%!")
	}
	return one
}

// places reports whether the evaluator alone finds a place for a pod, and how many leave for it.
func places(t require.TestingT, s question.Setting, snap *engine.Snapshot, pod *outrank.Pod) (ok bool, leave int) {
	ctx := context.Background()
	plan, err := s.Evaluator.Preempt(ctx, snap, preemption.Request{Pod: pod, Now: s.Now})
	require.NoError(t, err)
	switch plan.Outcome {
	case preemption.Fits:
		return true, 0
	case preemption.Preempts:
		without := snap.Clone()
		for _, v := range plan.Victims {
			require.NoError(t, without.RemovePod(v.Pod.Key()))
			if !v.Pod.Terminating() {
				leave++
			}
		}
		status, err := s.Evaluator.Check(without, pod, plan.Node)
		require.NoError(t, err)
		return status.Code == preemption.Success, leave
	}
	return false, 0
}
