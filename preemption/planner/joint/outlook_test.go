package joint_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// Candidates are ranked as by trying all places for all replacements of each, and each replacement fares as the
// ranking says.
func TestPropertyOutlooks(t *testing.T) { overMoving(t, outlooksAreTrue) }

func outlooksAreTrue(d *drawn) {
	pod := d.pods[0]
	costs := joint.LossCosts{Moved: 1, Waits: 1000, Lost: 1_000_000}
	req := joint.Request{Pods: []*outrank.Pod{pod}, Now: gen.Now}
	if *d.moves != (joint.LossCosts{}) {
		costs, req.Moves = *d.moves, d.moves
	}
	got, all, err := joint.Outlooks(context.Background(), d.eval, d.snap, req)
	require.NoError(d, err)
	require.True(d, all)
	queue := d.snap.Clone()
	require.NoError(d, errOf(queue.PutPod(pod)))
	type ranked struct {
		node string
		cost int64
	}
	var want []ranked
	for c, err := range d.eval.Candidates(context.Background(), queue, preemption.Request{Pod: pod, Now: gen.Now}) {
		require.NoError(d, err)
		b := &brute{T: d.T, eval: d.eval, moves: &costs}
		want = append(want, ranked{c.Node, b.cheapest(d.decided(queue, pod, c), byImportance(c.Victims))})
	}
	slices.SortStableFunc(want, func(a, b ranked) int { return int(a.cost - b.cost) })
	var ranking []ranked
	for _, o := range got {
		cost, snap := int64(0), d.decided(queue, pod, o.Candidate)
		for _, v := range byImportance(o.Candidate.Victims) {
			f := o.Fates[slices.IndexFunc(o.Candidate.Victims, func(w preemption.Victim) bool { return w.Pod == v })]
			snap = d.follows(snap, v, &f)
			cost += costs.Of(f.Loss)
		}
		ranking = append(ranking, ranked{o.Candidate.Node, cost})
	}
	require.Equal(d, want, ranking)
	few, all, err := joint.Outlooks(context.Background(), d.eval, d.snap, joint.Request{Pods: req.Pods, Now: gen.Now, Limit: 1})
	require.NoError(d, err)
	require.Equal(d, len(want) == 0, len(few) == 0)
	require.True(d, !all || len(few) == len(want))
}

// decided is the cluster once a candidate's victims are gone and the preemptor runs.
func (d *drawn) decided(queue *engine.Snapshot, pod *outrank.Pod, c *preemption.Candidate) *engine.Snapshot {
	s := queue.Clone()
	for _, v := range c.Victims {
		require.NoError(d, s.RemovePod(v.Pod.Key()))
	}
	for _, p := range c.ClearedNominations {
		require.NoError(d, s.Nominate(p.Key(), ""))
	}
	if s.NominationOf(pod.Key()) != "" {
		require.NoError(d, s.Nominate(pod.Key(), ""))
	}
	require.NoError(d, s.Bind(pod.Key(), c.Node))
	return s
}

// movable is a cluster in which the pod of a DaemonSet, one without a controller and two of a
// ReplicaSet are in the way, and there is room for one of these elsewhere.
func movable(t *testing.T) *engine.Snapshot {
	web := outrank.Owner{Kind: "ReplicaSet", Name: "web"}
	agent, shell, one, two, other := pod("agent", "n1", 1, "4"), pod("shell", "n2", 1, "4"), pod("web-1", "n3", 2, "2"), pod("web-2", "n3", 2, "2"), pod("other", "n4", 500, "2")
	agent.Owner, one.Owner, two.Owner = outrank.Owner{Kind: "DaemonSet", Name: "agent"}, web, web
	return cluster(t, []string{"n1", "n2", "n3", "n4"}, agent, shell, one, two, other)
}

// What decides is what becomes of the victims, though the pods that can move are more, and of a higher
// priority (rule 25.6.7).
func TestOutlooks(t *testing.T) {
	snap, eval := movable(t), must(engine.New(preemption.Config{}))
	got, all, err := joint.Outlooks(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "3")}, Now: gen.Now})
	require.NoError(t, err)
	assert.True(t, all)
	require.Len(t, got, 3)
	assert.Equal(t, "n3", got[0].Candidate.Node)
	assert.Equal(t, []joint.Fate{{Loss: joint.Moved, Node: "n4"}, {Loss: joint.Waits, Why: []string{"Insufficient cpu on 3 of 3"}}}, got[0].Fates)
	assert.Equal(t, []joint.Fate{{Loss: joint.Lost, Why: []string{"its DaemonSet makes it again for n1 alone"}}}, got[1].Fates)
	assert.Equal(t, []joint.Fate{{Loss: joint.Lost, Why: []string{"no controller makes it again"}}}, got[2].Fates)
}

func TestBadOutlooks(t *testing.T) {
	snap, eval := movable(t), must(engine.New(preemption.Config{}))
	_, _, err := joint.Outlooks(context.Background(), nil, snap, joint.Request{})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, _, err = joint.Outlooks(context.Background(), eval, snap, joint.Request{Moves: &joint.LossCosts{Lost: -1}, Limit: -1})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	for _, text := range []string{"Pods: 0 pods", "Moves: {Moved:0 Waits:0 Lost:-1}", "Limit: -1"} {
		assert.ErrorContains(t, err, text)
	}
	running, _ := snap.Pod("default/web-1")
	_, _, err = joint.Outlooks(context.Background(), eval, snap, joint.Request{Pods: []*outrank.Pod{running}})
	require.ErrorIs(t, err, preemption.ErrState)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err = joint.Outlooks(ended, eval, snap, joint.Request{Pods: []*outrank.Pod{pod("w", "", 100, "3")}})
	require.ErrorIs(t, err, context.Canceled)
}
