package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// rivals is a full node n1, where room was made for low before, with n2 and n3,
// which are too small for any pod that asks for something.
func rivals() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "0", "a"), node("n3", "0", "a")},
		Pods: []*outrank.Pod{
			pod("victim", 1, "2", on("n1")),
			pod("low", 2, "1", nominated("n1")), pod("other", 3, "1", nominated("n1")),
		},
	}
}

// meanwhile is what may happen to a nominated pod between the plan and Apply.
// Only a pod that is still nominated to a node of the plan loses its
// nomination.
var meanwhile = []struct {
	name, why string
	change    func(s *engine.Snapshot) error
	// nomination and node are those of low afterwards.
	nomination, node string
}{
	{"nothing", "it makes way", func(*engine.Snapshot) error { return nil }, "", ""},
	{
		"nominated elsewhere", "that room is not taken from it",
		func(s *engine.Snapshot) error { return s.Nominate("default/low", "n2") }, "n2", "",
	},
	{
		"not nominated any more", "there is nothing to lose",
		func(s *engine.Snapshot) error { return s.Nominate("default/low", "") }, "", "",
	},
	{
		"nominated elsewhere and back", "it stands where it stood",
		func(s *engine.Snapshot) error {
			if err := s.Nominate("default/low", "n2"); err != nil {
				return err
			}
			return s.Nominate("default/low", "n1")
		}, "", "",
	},
	{
		"bound elsewhere", "it runs",
		func(s *engine.Snapshot) error { return s.Bind("default/low", "n2") }, "", "n2",
	},
	{
		"bound to the node", "it runs there and is no victim",
		func(s *engine.Snapshot) error { return s.Bind("default/low", "n1") }, "", "n1",
	},
	{
		"removed", "it does not come back",
		func(s *engine.Snapshot) error { return s.RemovePod("default/low") }, "", "",
	},
	{
		"a newer version", "where it was nominated counts, not which version was",
		func(s *engine.Snapshot) error { return errOf(s.PutPod(pod("low", 2, "1", app("x")))) }, "", "",
	},
}

func TestApplyAfterNominationsChanged(t *testing.T) {
	preemptor := pod("preemptor", 9, "2")
	for _, c := range meanwhile {
		t.Run(c.name, func(t *testing.T) {
			snap := newSnapshot(t, in36(rivals()))
			plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: preemptor, Now: now})
			require.NoError(t, err)
			require.Equal(t, []string{"default/other", "default/low"}, keys(plan.ClearedNominations))
			require.NoError(t, c.change(snap))
			_, there := snap.Pod("default/low")

			require.NoError(t, snap.Apply(plan))
			assert.Equal(t, c.nomination, snap.NominationOf("default/low"), c.why)
			assert.Equal(t, c.node, snap.NodeOf("default/low"), c.why)
			_, still := snap.Pod("default/low")
			assert.Equal(t, there, still, c.why)
			assert.Empty(t, snap.NominationOf("default/other"), "the change is not about this one")
			assert.Equal(t, "n1", snap.NominationOf("default/preemptor"))
		})
	}
}

// A pod that is nominated after the plan was made is not in the plan and keeps
// its nomination.
func TestApplyLeavesLaterNominations(t *testing.T) {
	snap := newSnapshot(t, in36(rivals()))
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(t.Context(), snap, preemption.Request{Pod: pod("preemptor", 9, "2"), Now: now})
	require.NoError(t, err)
	require.NoError(t, errOf(snap.PutPod(pod("late", 2, "1", nominated("n1")))))
	require.NoError(t, snap.Apply(plan))
	assert.Equal(t, []string{"default/preemptor", "default/late"}, keys(snap.NominatedTo("n1")))
}
