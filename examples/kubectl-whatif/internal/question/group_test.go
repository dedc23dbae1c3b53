package question_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption"
)

func inGroup(name string) func(*outrank.Pod) { return func(p *outrank.Pod) { p.Group = name } }

// groups is a cluster in which groups wait.
func groups(t *testing.T) *outrank.Cluster {
	c := everyOutcome()
	c.Pods = append(c.Pods,
		pod("train-0", "", 5000, "2", inGroup("train")), pod("train-1", "", 5000, "2", inGroup("train")),
		pod("tiny-0", "", 6000, "500m", inGroup("tiny")), pod("tiny-1", "", 6000, "500m", inGroup("tiny")),
		pod("vast-0", "", 4000, "4", inGroup("vast")), pod("vast-1", "", 4000, "4", inGroup("vast")),
		pod("odd-0", "", 300, "1", inGroup("odd")), pod("odd-1", "", 200, "1", inGroup("odd")), pod("lost", "", 100, "1", inGroup("nobody")),
	)
	for _, g := range []struct {
		name     string
		priority int32
	}{{"train", 5000}, {"tiny", 6000}, {"vast", 4000}, {"odd", 300}} {
		c.Groups = append(c.Groups, &outrank.PodGroup{Namespace: "shop", Name: g.name, Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(g.priority)})
	}
	var err error
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	return c
}

// Groups have one turn for all their pods: one is placed, one pushes others out,
// one waits, and the pods of an unknown one have turns one by one.
func TestPendingGroups(t *testing.T) {
	c := groups(t)
	s := set(t, c)
	unchanged(t, s, func() {
		p, err := question.AllPending(context.Background(), s)
		require.NoError(t, err)
		golden(t, "pending-groups", p)
	})
	_, err := question.AskReplicas(context.Background(), s, c.Pods[len(c.Pods)-1], 2)
	require.ErrorIs(t, err, outrank.ErrInvalid, "no pod of a group has replicas by itself")
}

// A group that leaves as a whole breaks the budgets of those of its pods that they cover, and a
// group that pushes it out may have no room for all of its own.
func TestPendingGroupPushesOutAGroup(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1")},
		Pods: []*outrank.Pod{
			pod("low-0", "n1", 1, "2", inGroup("low"), labelled("app", "web")), pod("low-1", "n1", 1, "2", inGroup("low")),
			pod("high-0", "", 9, "3", inGroup("high")), pod("high-1", "", 9, "3", inGroup("high")),
		},
		Groups: []*outrank.PodGroup{
			{Namespace: "shop", Name: "low", Policy: outrank.GangPolicy, MinCount: 2, Priority: outrank.Priority(1), DisruptionMode: outrank.DisruptPodGroup},
			{Namespace: "shop", Name: "high", Policy: outrank.GangPolicy, MinCount: 1, Priority: outrank.Priority(9)},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Namespace: "shop", Name: "web", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}},
	}
	var err error
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	p, err := question.AllPending(context.Background(), set(t, c))
	require.NoError(t, err)
	require.Equal(t, question.PendingTotals{Pods: 2, Groups: 1, PushesOut: 1, Unplaced: 1, Victims: 2, Violating: 1}, p.Totals)
}

// A tree that is too deep is named by the highest group that a tree may have, and waits.
func TestTreeThatIsTooDeep(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:  []*outrank.Node{node("n1")},
		Pods:   []*outrank.Pod{pod("p", "", 9, "1", inGroup("g"))},
		Groups: []*outrank.PodGroup{{Namespace: "shop", Name: "g", Policy: outrank.BasicPolicy, Parent: "c2", Priority: outrank.Priority(9)}},
	}
	for level := 2; level < outrank.MaxGroupLevels+3; level++ {
		c.Composites = append(c.Composites, &outrank.CompositePodGroup{
			Namespace: "shop", Name: fmt.Sprint("c", level), Parent: fmt.Sprint("c", level+1), Policy: outrank.BasicPolicy, Priority: outrank.Priority(9),
		})
	}
	c.Composites[len(c.Composites)-1].Parent = ""
	var err error
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true, "TopologyAwareWorkloadScheduling": true})
	require.NoError(t, err)
	p, err := question.AllPending(context.Background(), set(t, c))
	require.NoError(t, err)
	require.Len(t, p.Turns, 1)
	require.Equal(t, outrank.Key(fmt.Sprint("shop/c", outrank.MaxGroupLevels)), p.Turns[0].Pod.Key)
	require.Contains(t, p.Turns[0].Trouble, fmt.Sprintf("more than %d levels of groups", outrank.MaxGroupLevels))
}

// A gated pod has no turn with its group.
func TestGatedPodOfAGroup(t *testing.T) {
	c := groups(t)
	c.Pods = append(c.Pods, pod("tiny-2", "", 6000, "500m", inGroup("tiny"), func(p *outrank.Pod) { p.SchedulingGates = []string{"wait.example.com/quota"} }))
	p, err := question.AllPending(context.Background(), set(t, c))
	require.NoError(t, err)
	outcomes := map[outrank.Key]question.Outcome{}
	for _, turn := range p.Turns {
		outcomes[turn.Pod.Key] = turn.Outcome
		if turn.Pod.Key == "shop/tiny" {
			require.Len(t, turn.Members, 2)
		}
	}
	require.Equal(t, question.Gated, outcomes["shop/tiny-2"])
}

// A group is asked about as things are, without regard to other waiting pods, from any of
// its pods.
func TestAskGroup(t *testing.T) {
	c := groups(t)
	s := set(t, c)
	ask := func(name string) (*question.WholeGroup, error) {
		i := slices.IndexFunc(c.Pods, func(p *outrank.Pod) bool { return p.Name == name })
		return question.AskGroup(context.Background(), s, c.Pods[i])
	}
	for _, name := range []string{"train", "tiny", "vast"} {
		unchanged(t, s, func() {
			w, err := ask(name + "-0")
			require.NoError(t, err)
			golden(t, "group-"+name, w)
			other, err := ask(name + "-1")
			require.NoError(t, err)
			require.Equal(t, w.Report, other.Report)
			pods := []*outrank.Pod{}
			for _, m := range w.Members {
				p, ok := s.Snapshot.Pod(m.Key)
				require.True(t, ok)
				pods = append(pods, p)
			}
			plan, err := s.Evaluator.PreemptGroup(context.Background(), s.Snapshot, preemption.GroupRequest{Pods: pods, Now: s.Now})
			require.NoError(t, err)
			require.Equal(t, plan.Outcome, w.Report.Outcome)
			require.Len(t, plan.Victims, w.Report.VictimPods)
			drawn := w.Overview(s.Snapshot, nil)
			require.Len(t, drawn.Leave, w.Report.VictimPods)
			require.Len(t, drawn.Come, len(plan.Placement))
		})
	}
	for _, name := range []string{"lost", "odd-0", "small"} {
		_, err := ask(name)
		require.ErrorIs(t, err, outrank.ErrInvalid, name)
	}
	_, err := question.AskGroup(context.Background(), s, nil)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = question.AskGroup(context.Background(), question.Setting{}, c.Pods[0])
	require.Error(t, err)
	elsewhere := pod("train-9", "", 5000, "2", inGroup("train"))
	_, err = question.AskGroup(context.Background(), s, elsewhere)
	require.ErrorIs(t, err, outrank.ErrInvalid, "no pod that waits")
}
