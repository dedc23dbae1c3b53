package explain_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
)

func ExampleWhyNot() {
	snap, e := small()
	req := preemption.Request{Pod: &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asking("cpu", "2")}, Now: now}
	ex, err := e.Explain(context.Background(), snap, req)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := explain.WhyNot(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: req, Plan: ex}, "n2", explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(answer.Text())
	// Output:
	// Node n2 is out for default/web (priority 100), and no eviction changes that.
	// As things are: taint gpu:NoSchedule.
	// With the toleration {key: gpu, operator: Exists, effect: NoSchedule} it fits on n2.
}

// why asks about each node of a cluster.
func why(t *testing.T, c *outrank.Cluster, pod *outrank.Pod) []*explain.NodeAnswer {
	t.Helper()
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	req := preemption.Request{Pod: pod, Now: now}
	ex, err := e.Explain(context.Background(), snap, req)
	require.NoError(t, err)
	var out []*explain.NodeAnswer
	for _, n := range c.Nodes {
		a, err := explain.WhyNot(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: req, Plan: ex}, n.Name, explain.Options{})
		require.NoError(t, err)
		out = append(out, a)
	}
	_, err = explain.WhyNot(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: req, Plan: ex}, "elsewhere", explain.Options{})
	require.ErrorIs(t, err, preemption.ErrNotFound)
	return out
}

func TestGoldenNodeAnswers(t *testing.T) {
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			c, pod := scene()
			answers := why(t, c, pod)
			var b strings.Builder
			for _, a := range answers {
				b.WriteString(a.Text() + "\n")
			}
			compare(t, "whynot-"+name+".txt", []byte(b.String()))
			if name == "crowd" {
				text, err := json.MarshalIndent(answers, "", "  ")
				require.NoError(t, err)
				compare(t, "whynot-"+name+".json", append(text, '\n'))
			}
		})
	}
}

// An answer that nobody made has a text, too.
func TestEmptyNodeAnswers(t *testing.T) {
	for _, a := range []explain.NodeAnswer{{}, {Verdict: explain.Verdict{Stage: explain.InVain, After: &explain.Obstacle{}}},
		{Verdict: explain.Verdict{Stage: explain.Candidate}, Best: explain.Contender{Node: "n"}}, {Answer: explain.Answer{Refused: &explain.Obstacle{}}},
	} {
		assert.NotEmpty(t, a.Text())
	}
}

// What is said of one node is what the report of all nodes says: its stage, who leaves the
// chosen one and why. The victims of any candidate make room, and the rank that it lost by is
// the first in which the two differ.
func TestPropertyNodeAnswersAreTrue(t *testing.T) {
	overShapes(t, allShapes(), func(q *question) {
		stages := map[string]explain.Stage{}
		for _, g := range q.report.Nodes {
			for _, name := range g.Names.Items {
				stages[name] = g.Stage
			}
		}
		for i := range q.ex.Nodes {
			node := q.ex.Nodes[i].Node
			a, err := explain.WhyNot(context.Background(), explain.Question{Evaluator: q.eval, Snapshot: q.snap, Request: q.request(), Plan: q.ex}, node, explain.Options{Most: 1 << 20})
			require.NoError(q, err)
			require.Equal(q, stages[node], a.Stage)
			q.nodeAnswer(a)
			text, err := json.Marshal(a)
			require.NoError(q, err)
			var again explain.NodeAnswer
			require.NoError(q, json.Unmarshal(text, &again))
			require.Equal(q, a.Text(), again.Text())
		}
	})
}

func (q *question) nodeAnswer(a *explain.NodeAnswer) {
	if a.Stage == explain.Chosen {
		require.Equal(q, q.report.Victims, a.Victims)
	}
	if a.Before != nil {
		q.shortIsShort(a.Node, nil, a.Before.Short)
	}
	possible := q.possible(a.Node)
	if a.Refused == nil {
		require.Len(q, possible, len(a.Possible.Items))
	}
	for _, v := range a.Victims.Items {
		require.True(q, possible[v.Pod.Key], "%s might leave %s", v.Pod.Key, a.Node)
	}
	i := slices.IndexFunc(q.ex.Candidates, func(c preemption.Candidate) bool { return c.Node == a.Node })
	require.Equal(q, i+1, a.Place)
	if i <= 0 {
		require.Empty(q, a.Best.Node)
		return
	}
	_, by := q.ex.Candidates[0].Score.Compare(q.ex.Candidates[i].Score, nil)
	require.Equal(q, cmp.Or(by, "node-order"), a.LostBy)
	require.Equal(q, q.ex.Candidates[0].Node, a.Best.Node)
}
