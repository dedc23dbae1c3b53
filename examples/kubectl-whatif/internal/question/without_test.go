package question_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

// drained is a cluster in which the loss of a node is felt on two others.
func drained() *outrank.Cluster {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1"), node("n2"), node("n3")},
		Pods: []*outrank.Pod{
			pod("web-1", "n1", 1000, "2", owned("ReplicaSet", "web"), labelled("app", "web")),
			pod("agent-1", "n1", 10, "0", owned("DaemonSet", "agent")), pod("shell", "n1", 10, "0"),
			pod("api-1", "n1", 500, "1", owned("ReplicaSet", "api"), labelled("app", "api")),
			pod("gone", "n1", 500, "0", owned("ReplicaSet", "api"), func(p *outrank.Pod) { p.DeletionTimestamp = now }),
			pod("kube-proxy", "n1", 2000001000, "0", func(p *outrank.Pod) { p.Mirror = true }),
			pod("web-2", "n2", 1000, "2", owned("ReplicaSet", "web"), labelled("app", "web")), pod("batch-1", "n2", 100, "2", owned("Job", "batch")),
			pod("idle-1", "n3", 5, "1", owned("ReplicaSet", "idle")), pod("core", "n3", 9000, "2", owned("ReplicaSet", "core")),
			pod("both", "n1", 1, "0", owned("ReplicaSet", "both"), func(p *outrank.Pod) { p.Labels = map[string]string{"app": "api", "both": "yes"} }),
		},
	}
	for _, b := range []struct {
		name, key, value string
		allowed          int32
	}{{"web", "app", "web", 0}, {"api", "app", "api", 1}, {"both", "both", "yes", 5}} {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{
			Namespace: "shop", Name: b.name, DisruptionsAllowed: b.allowed, Selector: &outrank.LabelSelector{MatchLabels: map[string]string{b.key: b.value}},
		})
	}
	return c
}

func TestWithout(t *testing.T) {
	s := set(t, drained())
	unchanged(t, s, func() {
		for name, nodes := range map[string][]string{"one": {"n1"}, "two": {"n3", "n1"}, "all": {"n1", "n2", "n3"}} {
			w, err := askWithout(context.Background(), s, nodes)
			require.NoError(t, err)
			golden(t, "without-"+name, w)
		}
	})
	_, err := askWithout(context.Background(), s, []string{"n9"})
	require.ErrorIs(t, err, preemption.ErrNotFound)
	_, err = askWithout(context.Background(), s, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// A pod that is not ready is evicted by rules of its own, and its loss breaks no budget.
func TestWithoutUnreadyPods(t *testing.T) {
	const policy = outrank.AlwaysAllow
	ready, unready, starting := func(*outrank.Pod) {}, func(p *outrank.Pod) { p.Ready = false }, func(p *outrank.Pod) { p.Ready, p.Phase = false, outrank.PhasePending }
	for name, tt := range map[string]struct {
		pods            []func(*outrank.Pod)
		allowed         int32
		healthy, wanted int32
		policy          outrank.UnhealthyPodEvictionPolicy
		unready, free   int
		drain           question.DrainEffect
		evicted         int
		loss            string
	}{
		"ready":                             {pods: []func(*outrank.Pod){ready}, healthy: 2, wanted: 2, policy: policy, drain: question.Blocks, loss: "breaks it"},
		"not ready, too few are":            {pods: []func(*outrank.Pod){unready}, healthy: 1, wanted: 2, unready: 1, drain: question.Blocks, loss: "keeps it"},
		"not ready, enough are":             {pods: []func(*outrank.Pod){unready}, healthy: 2, wanted: 2, unready: 1, free: 1, drain: question.Lets, evicted: 1, loss: "keeps it"},
		"not ready, none has to be":         {pods: []func(*outrank.Pod){unready}, unready: 1, drain: question.Blocks, loss: "keeps it"},
		"not ready, whatever the others do": {pods: []func(*outrank.Pod){unready}, healthy: 1, wanted: 2, policy: policy, unready: 1, free: 1, drain: question.Lets, evicted: 1, loss: "keeps it"},
		"not started":                       {pods: []func(*outrank.Pod){starting}, healthy: 1, wanted: 2, unready: 1, free: 1, drain: question.Lets, evicted: 1, loss: "keeps it"},
		"one of each": {
			pods: []func(*outrank.Pod){ready, ready, unready}, allowed: 1, healthy: 3, wanted: 2, unready: 1, free: 1, drain: question.Stops, evicted: 2, loss: "breaks it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1")}}
			for i, more := range tt.pods {
				c.Pods = append(c.Pods, pod("web-"+string(rune('a'+i)), "n1", 1, "0", owned("ReplicaSet", "web"), labelled("app", "web"), more))
			}
			c.Budgets = []*outrank.PodDisruptionBudget{{
				Namespace: "shop", Name: "web", DisruptionsAllowed: tt.allowed, CurrentHealthy: tt.healthy, DesiredHealthy: tt.wanted, UnhealthyPodEvictionPolicy: tt.policy,
				Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			}}
			w, err := askWithout(context.Background(), set(t, c), []string{"n1"})
			require.NoError(t, err)
			require.Equal(t, []question.BudgetLoad{{Key: "shop/web", Allowed: tt.allowed, Pods: len(tt.pods), Unready: tt.unready, Free: tt.free, Drain: tt.drain, Evicted: tt.evicted}}, w.Budgets)
			var out bytes.Buffer
			require.NoError(t, w.WriteText(&out, 5))
			require.Contains(t, out.String(), tt.loss+"\n")
		})
	}
}

// A drain that cannot ask two budgets at once does not ask about a pod that has not started.
func TestWithoutRefusesNoPodThatHasNotStarted(t *testing.T) {
	c := drained()
	c.Pods[len(c.Pods)-1].Phase, c.Pods[len(c.Pods)-1].Ready = outrank.PhasePending, false
	w, err := askWithout(context.Background(), set(t, c), []string{"n1"})
	require.NoError(t, err)
	require.Empty(t, w.Refused)
}

// Where not all can be shown, those that simply fit are left out first.
func TestWithoutShowsWhatMatters(t *testing.T) {
	w, err := askWithout(context.Background(), set(t, drained()), []string{"n1", "n2"})
	require.NoError(t, err)
	fits, matter := 0, 0
	for _, m := range w.Moves {
		if m.Outcome == question.Placed {
			fits++
		} else {
			matter++
		}
	}
	require.Positive(t, fits)
	require.Positive(t, matter)
	var out bytes.Buffer
	require.NoError(t, w.WriteText(&out, matter))
	for i, m := range w.Moves {
		row := fmt.Sprintf("\n  %-3d%s", i+1, m.Pod.Key)
		require.Equal(t, m.Outcome != question.Placed, strings.Contains(out.String(), row), row)
	}
}
