package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// A namespace that is created after the snapshot exists for the namespace
// selectors of the preemptor and of the pods that run already; one that goes is
// gone for the preemptor's.
func TestNamespacesOfASnapshotChange(t *testing.T) {
	prod := &outrank.LabelSelector{MatchLabels: map[string]string{"stage": "prod"}}
	away := outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, NamespaceSelector: prod, TopologyKey: "zone",
	}}}
	web := map[string]string{"app": "web"}
	for _, test := range []struct {
		name, namespace string
		runs, asks      *outrank.Pod
	}{
		{
			"of the preemptor", "shop",
			&outrank.Pod{Name: "r", Namespace: "shop", Labels: web, NodeName: "n"}, &outrank.Pod{Name: "p", Affinity: away},
		},
		{
			"of a pod that runs", "shop",
			&outrank.Pod{Name: "r", NodeName: "n", Affinity: away}, &outrank.Pod{Name: "p", Namespace: "shop", Labels: web},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			snap := newSnapshot(t, &outrank.Cluster{
				Nodes: []*outrank.Node{{Name: "n", Labels: map[string]string{"zone": "z"}, Allocatable: resource.MustList("pods", "9")}},
				Pods:  []*outrank.Pod{test.runs},
			})
			e := newEvaluator(t, preemption.Config{})
			fits := func() int {
				nodes, err := e.Feasible(context.Background(), snap, test.asks)
				require.NoError(t, err)
				return len(nodes)
			}
			assert.Equal(t, 1, fits(), "nobody knows the namespace")
			mark := snap.Mark()
			require.NoError(t, snap.PutNamespace(&outrank.Namespace{Name: test.namespace, Labels: prod.MatchLabels}))
			assert.Equal(t, 0, fits(), "it is there")
			require.NoError(t, snap.PutNamespace(&outrank.Namespace{Name: test.namespace}))
			assert.Equal(t, 1, fits(), "it has lost its label")
			require.NoError(t, snap.PutNamespace(&outrank.Namespace{Name: test.namespace, Labels: prod.MatchLabels}))
			require.NoError(t, snap.RemoveNamespace(test.namespace))
			assert.Equal(t, 1, fits(), "it is gone")
			require.ErrorIs(t, snap.RemoveNamespace(test.namespace), preemption.ErrNotFound)
			require.NoError(t, snap.Undo(mark))
			assert.Equal(t, 1, fits())
		})
	}
}

func TestPutPodKeepsWhatIsNotWrittenYet(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}}})
	pod := func(change func(*outrank.Pod)) *outrank.Pod {
		p := &outrank.Pod{Name: "p", UID: "1"}
		change(p)
		return p
	}
	same := func(*outrank.Pod) {}
	for _, step := range []struct {
		reason          string
		do              func() error
		node, nominated string
	}{
		{"new", func() error { return errOf(snap.PutPod(pod(same))) }, "", ""},
		{"room was made", func() error { return snap.Nominate("default/p", "m") }, "", "m"},
		{"the nomination is not written yet", func() error { return errOf(snap.PutPod(pod(same))) }, "", "m"},
		{"another one is", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.NominatedNodeName = "n" }))) }, "", "n"},
		{"it was cleared", func() error { return errOf(snap.PutPod(pod(same))) }, "", ""},
		{"bound by the caller", func() error { return snap.Bind("default/p", "m") }, "m", ""},
		{"the binding is not written yet", func() error { return errOf(snap.PutPod(pod(same))) }, "m", ""},
		{"it failed", func() error { return snap.Bind("default/p", "") }, "", ""},
		{"bound elsewhere", func() error {
			return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.NodeName, p.StartTime = "n", now })))
		}, "n", ""},
		{"a pod never loses its node", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.StartTime = now }))) }, "n", ""},
		{"nor its start", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.NodeName = "m" }))) }, "n", ""},
		{"of another UID, it is another pod", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.UID = "2" }))) }, "", ""},
		{"bound by the caller", func() error { return snap.Bind("default/p", "m") }, "m", ""},
		{"and yet another pod", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.UID = "3" }))) }, "", ""},
		{"room was made", func() error { return snap.Nominate("default/p", "n") }, "", "n"},
		{"for that one alone", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.UID = "4" }))) }, "", ""},
		{"without a UID it is believed", func() error { return errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.UID, p.NodeName = "", "m" }))) }, "m", ""},
	} {
		require.NoError(t, step.do(), step.reason)
		assert.Equal(t, step.node, snap.NodeOf("default/p"), "node: %s", step.reason)
		assert.Equal(t, step.nominated, snap.NominationOf("default/p"), "nomination: %s", step.reason)
	}
	require.NoError(t, errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }))))
	_, ok := snap.Pod("default/p")
	assert.False(t, ok, "it has finished")
	require.NoError(t, errOf(snap.PutPod(pod(func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }))), "and may say so again")
}

// PutPod returns the version that it replaces, and nothing for a pod that is new or a version that is ignored.
func TestPutPodReturnsWhatItReplaces(t *testing.T) {
	started := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}}})
	first := &outrank.Pod{Name: "p", UID: "1"}
	equal, runs := *first, *first
	runs.NodeName, runs.StartTime = "n", started
	other, named, ended := *first, *first, *first
	other.UID, named.UID, ended.UID = "2", "", "2"
	ended.Phase = outrank.PhaseSucceeded
	gone := ended

	for _, step := range []struct {
		reason        string
		put, replaced *outrank.Pod
	}{
		{"it is new", first, nil},
		{"the very object once again", first, first},
		{"an equal version", &equal, first},
		{"it has changed", &runs, &equal},
		{"an older version is ignored", first, nil},
		{"of another UID, it is another pod", &other, &runs},
		{"without a UID, it is the same pod", &named, &other},
		{"it has ended", &ended, &named},
		{"nobody knows it any more", &gone, nil},
		{"and so it is new again", first, nil},
	} {
		replaced, err := snap.PutPod(step.put)
		require.NoError(t, err, step.reason)
		assert.Same(t, step.replaced, replaced, step.reason)
	}

	for _, bad := range []*outrank.Pod{nil, {}, {Name: "p", OS: "beos"}} {
		replaced, err := snap.PutPod(bad)
		assert.ErrorIs(t, err, outrank.ErrInvalid)
		assert.Nil(t, replaced)
	}
	first.Labels = map[string]string{"app": "other"}
	replaced, err := snap.PutPod(first)
	assert.ErrorIs(t, err, preemption.ErrState, "it was changed in place")
	assert.Nil(t, replaced)
}

// Bind with an empty node takes a pod off its node, which has its room back; the pod is pending, without a nomination.
func TestBindToNoNode(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
		Pods:  []*outrank.Pod{pod("p", 5, "2"), pod("runs", 1, "1", on("n2")), pod("lost", 1, "1", on("gone"))},
	})
	require.NoError(t, snap.Nominate("default/p", "n2"))
	before := standings(snap)
	mark := snap.Mark()
	require.NoError(t, snap.Bind("default/p", "n1"))
	assert.EqualValues(t, 2000, snap.Used("n1", resource.CPU))

	require.NoError(t, snap.Bind("default/p", ""))
	assert.Empty(t, snap.NodeOf("default/p"))
	assert.Empty(t, snap.NominationOf("default/p"), "the binding has ended it")
	assert.Empty(t, snap.PodsOn("n1"))
	assert.Zero(t, snap.Used("n1", resource.CPU))
	err := snap.Bind("default/p", "")
	assert.ErrorIs(t, err, preemption.ErrState)
	assert.ErrorContains(t, err, "pod default/p: not in the right state: it has no node")

	// So does one that no Bind has put there, and one on a node that the snapshot does not hold.
	require.NoError(t, snap.Bind("default/runs", ""))
	assert.Empty(t, snap.PodsOn("n2"))
	require.NoError(t, snap.Bind("default/lost", ""))
	assert.Empty(t, snap.NodeOf("default/lost"))
	require.NoError(t, snap.Bind("default/lost", "n1"))
	assert.ErrorIs(t, snap.Bind("default/nobody", ""), preemption.ErrNotFound)
	require.NoError(t, snap.Undo(mark))
	assert.Equal(t, before, standings(snap))
}

// Nominate with an empty node ends a nomination; it does nothing where there is none.
func TestNominateToNoNode(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")}, Pods: []*outrank.Pod{pod("p", 5, "2"), pod("runs", 1, "1", on("n1"))},
	})
	e, low := newEvaluator(t, preemption.Config{}), pod("low", 3, "1")
	fits := func() bool {
		status, err := e.Check(snap, low, "n1")
		require.NoError(t, err)
		return status.Code == preemption.Success
	}
	require.True(t, fits())
	require.NoError(t, snap.Nominate("default/p", "n1"))
	require.False(t, fits(), "the room is kept")

	for range 2 {
		require.NoError(t, snap.Nominate("default/p", ""))
		assert.Empty(t, snap.NominationOf("default/p"))
		assert.Empty(t, snap.NominatedTo("n1"))
		assert.True(t, fits())
	}
	assert.ErrorIs(t, snap.Nominate("default/runs", ""), preemption.ErrState)
	assert.ErrorIs(t, snap.Nominate("default/nobody", ""), preemption.ErrNotFound)
}

func TestPutRefuses(t *testing.T) {
	snap := newSnapshot(t, nil)
	assert.ErrorIs(t, snap.PutNode(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, errOf(snap.PutPod(nil)), outrank.ErrInvalid)
	assert.ErrorIs(t, errOf(snap.PutPod(&outrank.Pod{})), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.PutBudget(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.PutNamespace(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.PutNamespace(&outrank.Namespace{}), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.PutGroup(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, snap.RemoveGroup("default/g"), preemption.ErrNotFound)
	assert.ErrorIs(t, snap.RemoveNamespace("shop"), preemption.ErrNotFound)
	assert.ErrorIs(t, snap.Bind("default/p", ""), preemption.ErrNotFound)
	require.NoError(t, errOf(snap.PutPod(&outrank.Pod{Name: "p"})))
	assert.ErrorIs(t, snap.Bind("default/p", ""), preemption.ErrState)
}
