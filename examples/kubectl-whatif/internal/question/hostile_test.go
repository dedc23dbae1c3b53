package question_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// strange is a cluster of names that no API server would allow.
func strange() *outrank.Cluster {
	c := drained()
	odd := func(s string) string { return s + "\x1b[31m<script>\u202e\r\n\U0001F600\"" + strings.Repeat("x", 253) }
	for _, n := range c.Nodes {
		n.Name = odd(n.Name)
	}
	for _, p := range c.Pods {
		p.Name, p.PriorityClassName = odd(p.Name), odd("class")
		if p.NodeName != "" {
			p.NodeName = odd(p.NodeName)
		}
		if p.Owner.Name != "" {
			p.Owner.Name = odd(p.Owner.Name)
		}
	}
	for _, b := range c.Budgets {
		b.Name = odd(b.Name)
	}
	c.Pods = append(c.Pods,
		pod(odd("gated"), "", 9, "1", func(p *outrank.Pod) { p.SchedulingGates = []string{odd("gate")} }),
		pod(odd("foreign"), "", 9, "1", func(p *outrank.Pod) { p.SchedulerName = odd("scheduler") }),
		pod(odd("waits"), "", 700, "2", func(p *outrank.Pod) { p.PriorityClassName = odd("class") }))
	return c
}

// No name from the cluster can end a line, turn its direction or colour a
// terminal, in any answer.
func TestTextIsSafe(t *testing.T) {
	s := set(t, strange())
	ctx := context.Background()
	asked := s.Cluster.Pods[len(s.Cluster.Pods)-1]
	on := s.Cluster.Nodes[0].Name
	plan, err := s.Evaluator.Preempt(ctx, s.Snapshot, preemption.Request{Pod: asked, Now: now})
	require.NoError(t, err)
	var answers []answer
	add := func(a answer, err error) {
		require.NoError(t, err)
		answers = append(answers, a)
	}
	pending, err := question.AllPending(ctx, s)
	add(pending, err)
	replicas, err := question.AskReplicas(ctx, s, asked, 5)
	add(replicas, err)
	why, err := question.AskWhyNot(ctx, s, asked, on)
	add(why, err)
	classes, err := question.AskClasses(ctx, s, []*outrank.PriorityClass{{Name: "new", Value: 5000, GlobalDefault: true}})
	add(classes, err)
	without, err := askWithout(ctx, s, []string{on})
	add(without, err)
	victims, err := question.AskVictims(ctx, s, plan, 3)
	add(victims, err)
	kubelet, err := question.AskOnNode(ctx, s, question.Binding{Pod: asked, Node: on, Static: true, Depth: 3})
	add(kubelet, err)
	for _, a := range answers {
		var b bytes.Buffer
		require.NoError(t, a.WriteText(&b, 0))
		for _, r := range b.String() {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%T: rune %q in the text", a, r)
			}
		}
		assert.NotEmpty(t, b.String())
	}
}

// A setting with a gap is an error, and a context that has ended ends a question.
func TestSettingsAndContexts(t *testing.T) {
	s := set(t, everyOutcome())
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := question.AllPending(ended, s)
	require.ErrorIs(t, err, context.Canceled)
	for _, broken := range []question.Setting{{}, {Cluster: s.Cluster}, {Cluster: s.Cluster, Snapshot: s.Snapshot}} {
		_, err := question.AllPending(context.Background(), broken)
		require.ErrorContains(t, err, "incomplete setting")
	}
	_, err = question.AskReplicas(context.Background(), s, nil, 5)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = question.AskReplicas(context.Background(), s, s.Cluster.Pod("shop", "small"), 0)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// Progress goes up to the end, and says so.
func TestProgress(t *testing.T) {
	s := set(t, drained())
	var last [2]int
	s.Progress = func(done, total int) {
		require.Less(t, last[0], done)
		last = [2]int{done, total}
	}
	_, err := askWithout(context.Background(), s, []string{"n1"})
	require.NoError(t, err)
	require.Equal(t, last[0], last[1])
	require.Positive(t, last[0])
}
