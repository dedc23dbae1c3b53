package joint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// A nomination of the plan is cleared only where it still is, and only if the pod is still
// the one that the plan names.
func TestApplyClearsNominations(t *testing.T) {
	lower := func(uid string) *outrank.Pod {
		p := pod("lower", "", 99, "1")
		p.NominatedNodeName, p.UID = "n1", uid
		return p
	}
	for _, test := range []struct {
		name      string
		meanwhile func(*engine.Snapshot) error
		want      string
	}{
		{"as it was", func(*engine.Snapshot) error { return nil }, ""},
		{"to another node", func(s *engine.Snapshot) error { return s.Nominate("default/lower", "n2") }, "n2"},
		{"another pod of the name", func(s *engine.Snapshot) error { return errOf(s.PutPod(lower("new"))) }, "n1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), pod("b", "n2", 200, "4"), lower("old"))
			plan := preempt(t, snap, preemption.Config{}, pod("w", "", 100, "3"))
			require.Len(t, plan.Placements[0].ClearedNominations, 1)
			require.NoError(t, test.meanwhile(snap))
			mark := snap.Mark()
			require.NoError(t, plan.Apply(snap))
			assert.Equal(t, test.want, snap.NominationOf("default/lower"))
			assert.Equal(t, "n1", snap.NominationOf("default/w"))
			require.NoError(t, snap.Undo(mark))
			assert.NotEmpty(t, snap.NominationOf("default/lower"))
		})
	}
}

// A pod that the plan places keeps its new nomination, also where another placement clears its old one.
func TestApplyKeepsWhatIsPlaced(t *testing.T) {
	both := pod("both", "", 99, "1")
	both.NominatedNodeName = "n1"
	snap := cluster(t, []string{"n1", "n2"}, pod("a", "n1", 1, "4"), both)
	plan := preempt(t, snap, preemption.Config{}, pod("w", "", 100, "3"), both)
	for i := range plan.Placements {
		plan.Placements[i].ClearedNominations = []*outrank.Pod{both}
	}
	require.NoError(t, plan.Apply(snap))
	for i := range plan.Placements {
		at := &plan.Placements[i]
		assert.Equal(t, at.Node, snap.NominationOf(at.Pod.Key()), at.Pod.Name)
	}
}
