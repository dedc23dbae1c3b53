package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

func inGroup(name string) func(*outrank.Pod) { return func(p *outrank.Pod) { p.Group = name } }

// Groups have one turn for all their pods: one is placed, one pushes others out, one waits,
// and the pods of one that nobody knows are told of one by one.
func TestPendingGroups(t *testing.T) {
	c := crowd()
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
	s := set(t, c)
	unchanged(t, s, func() {
		p, err := question.AllPending(context.Background(), s)
		require.NoError(t, err)
		golden(t, "pending-groups", p)
	})
	_, err = question.AskReplicas(context.Background(), s, c.Pods[len(c.Pods)-1], 2)
	require.ErrorIs(t, err, outrank.ErrInvalid, "no pod of a group has replicas by itself")
}
