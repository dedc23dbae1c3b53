package question_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// Readers of the program's page see these answers about its sample cluster.
func TestSampleCluster(t *testing.T) {
	c := sample(t)
	s := set(t, c)
	s.Now = c.AsOf.Add(time.Second)
	ctx := context.Background()
	asked := c.Pod("shop", "checkout-2")
	plan, err := s.Evaluator.Preempt(ctx, s.Snapshot, preemption.Request{Pod: asked, Now: s.Now})
	require.NoError(t, err)
	var out bytes.Buffer
	say := func(command string, a answer, err error) {
		require.NoError(t, err)
		out.WriteString("$ " + command + "\n")
		require.NoError(t, a.WriteText(&out, 10))
		out.WriteString("\n")
		var narrow bytes.Buffer
		require.NoError(t, a.WriteText(console.Page{W: &narrow, Screen: console.Screen{Width: 80}}, 10))
		for line := range strings.Lines(narrow.String()) {
			require.LessOrEqual(t, console.Width(strings.TrimSuffix(line, "\n")), 80, "%s: %s", command, line)
		}
	}
	pending, err := question.AllPending(ctx, s)
	say("--pending all", pending, err)
	replicas, err := question.AskReplicas(ctx, s, asked, 5)
	say("--pending shop/checkout-2 --replicas 5", replicas, err)
	why, err := question.AskWhyNot(ctx, s, asked, "apps-b1")
	say("--pending shop/checkout-2 --why-not apps-b1", why, err)
	classes, err := question.AskClasses(ctx, s, []*outrank.PriorityClass{{Name: "batch", Value: 2000}})
	say("--set-class batch=2000", classes, err)
	without, err := askWithout(ctx, s, []string{"apps-a1"})
	say("--without apps-a1", without, err)
	victims, err := question.AskVictims(ctx, s, plan, 2)
	say("--pending shop/checkout-2 --replacements 2", victims, err)
	kubelet, err := question.AskOnNode(ctx, s, question.Binding{Pod: asked, Node: "apps-a1", Static: true, Depth: 2})
	say("--pending shop/checkout-2 --on-node apps-a1 --static", kubelet, err)
	if *update {
		require.NoError(t, os.WriteFile("testdata/sample.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/sample.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}
