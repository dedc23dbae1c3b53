package question_test

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/resource"
)

// pageHolds requires that a page shows leaving and arriving pods on their nodes,
// and a node afterwards with room for its pods.
func pageHolds(t *rapid.T, s question.Setting, o *page.Overview) {
	require.Same(t, s.Snapshot, o.Snapshot)
	leaves := map[outrank.Key]bool{}
	for _, m := range o.Leave {
		require.NotEmpty(t, s.Snapshot.NodeOf(m.Key), "%s leaves a node", m.Key)
		require.False(t, leaves[m.Key], "%s leaves once", m.Key)
		leaves[m.Key] = true
	}
	comes := map[string][]*outrank.Pod{}
	for _, a := range o.Come {
		_, there := s.Snapshot.Node(a.Node)
		require.True(t, there && !slices.Contains(o.Gone, a.Node), "%s comes to %s", a.Pod.Key(), a.Node)
		comes[a.Node] = append(comes[a.Node], a.Pod)
	}
	for n := range s.Snapshot.Nodes() {
		for _, name := range []resource.Name{resource.CPU, resource.Memory, resource.Pods} {
			amount := func(r resource.List) int64 {
				if name == resource.Pods {
					return 1
				}
				return r.Amount(name)
			}
			before, after := s.Snapshot.Used(n.Name, name), int64(0)
			for _, p := range s.Snapshot.PodsOn(n.Name) {
				if !leaves[p.Key()] {
					after += amount(p.RunningRequests(s.Snapshot.Release()))
				}
			}
			for _, p := range comes[n.Name] {
				after += amount(p.RunningRequests(s.Snapshot.Release())) // as it counts once it is there
			}
			require.LessOrEqual(t, after, max(before, n.Allocatable.Amount(name)), "%s of %s", name, n.Name)
		}
	}
}

func TestPropertyPagesHoldTheAnswer(t *testing.T) {
	ctx := context.Background()
	overShapes(t, func(t *rapid.T, s question.Setting) {
		p, err := question.AllPending(ctx, s)
		require.NoError(t, err)
		o := p.Overview(s.Snapshot, nil)
		pageHolds(t, s, o)
		require.NoError(t, page.WriteOverview(io.Discard, *o))
		come := map[outrank.Key]bool{}
		for _, a := range o.Come {
			come[a.Pod.Key()] = true
		}
		effective := false
		for _, turn := range p.Turns {
			effective = effective || turn.Outcome == question.PushesOut && turn.InVain == nil
		}
		if !effective {
			require.NotContains(t, strings.Join(o.Todo, " "), "makes room by itself", "nobody finds room by evictions")
		}
		require.True(t, len(o.Todo) > 0 || len(p.Turns) == 0)
		for _, turn := range p.Turns {
			arrives := turn.InVain == nil && !turn.Resize && (turn.Outcome == question.Placed || turn.Outcome == question.PushesOut)
			require.Equal(t, arrives, come[turn.Pod.Key], turn.Pod.Key)
		}

		nodes := []string{s.Cluster.Nodes[rapid.IntRange(0, len(s.Cluster.Nodes)-1).Draw(t, "node")].Name}
		w, err := askWithout(ctx, s, nodes)
		require.NoError(t, err)
		o = w.Overview(s.Snapshot, nil)
		require.NotEmpty(t, o.Todo)
		if slices.Contains(o.Todo, "Nothing to do: all that the changes are about have a place, and nobody has to leave for them.") {
			require.Zero(t, w.Totals.Victims+w.Totals.Own-w.Totals.Placed+len(w.Lost))
			require.False(t, w.Drains[0].Stuck)
		}
		require.Equal(t, nodes, o.Gone)
		pageHolds(t, s, o)

		if i := slices.IndexFunc(s.Cluster.Pods, func(p *outrank.Pod) bool { return p.NodeName == "" && p.NominatedNodeName == "" }); i >= 0 {
			pod := s.Cluster.Pods[i]
			if r, err := question.AskReplicas(ctx, s, pod, 5); err == nil {
				o = r.Overview(s.Snapshot, pod)
				require.Len(t, o.Come, r.Running)
				pageHolds(t, s, o)
			}
		}
		c, err := question.AskClasses(ctx, s, []*outrank.PriorityClass{{Name: "low", Value: 2000}})
		require.NoError(t, err)
		o = c.Overview(s.Snapshot, nil)
		require.Empty(t, o.Come)
		require.True(t, o.May)
		pageHolds(t, s, o)
	})
}

// Names that no API server would allow are text on the page, too.
func TestPagesAreSafe(t *testing.T) {
	s := set(t, strange())
	p, err := question.AllPending(context.Background(), s)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, page.WriteOverview(&out, *p.Overview(s.Snapshot, nil)))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("<script>")))
}
