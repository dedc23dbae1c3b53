package execution_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// plainly makes the nominations of a snapshot those of a nominator, in the obvious way: all of
// them anew. Names are all pods that there may be.
func plainly(t require.TestingT, n *execution.Nominator, snap *engine.Snapshot, nominated map[string]*outrank.Pod) {
	for node := range snap.Nodes() {
		for _, p := range snap.NominatedTo(node.Name) {
			require.NoError(t, snap.Nominate(p.Key(), ""))
		}
	}
	for _, p := range nominated {
		node := n.NodeOf(p.Key())
		_, there := snap.Node(node)
		known, ok := snap.Pod(p.Key())
		if node == "" || !there || snap.NodeOf(p.Key()) != "" || ok && known.UID != p.UID {
			continue
		}
		if !ok {
			require.NoError(t, errOf(snap.PutPod(p)))
		}
		require.NoError(t, snap.Nominate(p.Key(), node))
	}
}

// same compares what two snapshots have of these nodes and pods.
func same(t require.TestingT, want, got *engine.Snapshot, nodes []string) {
	text := func(s *engine.Snapshot) (out string) {
		for _, node := range nodes {
			_, there := s.Node(node)
			out += fmt.Sprintln(node, there)
			for _, p := range s.PodsOn(node) {
				out += fmt.Sprintln(" runs", p.Key(), p.UID)
			}
			for _, p := range s.NominatedTo(node) {
				out += fmt.Sprintln(" nominated", p.Key(), p.UID)
			}
		}
		for p := range s.Pods() {
			out += fmt.Sprintln(p.Key(), p.UID, s.NodeOf(p.Key()), s.NominationOf(p.Key()))
		}
		return out
	}
	require.Equal(t, text(want), text(got))
}

// Whatever happens to a snapshot and its clones between two attempts, by whomever, applying the
// nominations to it is the same as applying all of them anew.
func TestPropertyApplyToFollows(t *testing.T) {
	nodes := []string{"n1", "n2", "n3"}
	rapid.Check(t, func(t *rapid.T) {
		var n, other execution.Nominator
		cluster := &outrank.Cluster{}
		for _, name := range nodes {
			cluster.Nodes = append(cluster.Nodes, smallNode(name))
		}
		snap, err := engine.NewSnapshot(cluster)
		require.NoError(t, err)
		snaps, marks := []*engine.Snapshot{snap}, map[*engine.Snapshot][]engine.Mark{}
		nominated := map[string]*outrank.Pod{} // the version that each nomination came with
		drawSnap := func(t *rapid.T) *engine.Snapshot { return rapid.SampledFrom(snaps).Draw(t, "snapshot") }
		drawNode := func(t *rapid.T) string { return rapid.SampledFrom(nodes).Draw(t, "node") }
		drawPod := func(t *rapid.T) *outrank.Pod {
			name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "name")
			return pendingPod(name, withUID(rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(t, "uid")), withPriority(rapid.Int32Range(0, 3).Draw(t, "priority")))
		}
		t.Repeat(map[string]func(*rapid.T){
			"nominate": func(t *rapid.T) {
				p := drawPod(t)
				n.Remove(p)
				if n.Add(p, drawNode(t)) == nil {
					nominated[p.Name] = p
				}
			},
			"not any more":   func(t *rapid.T) { n.Remove(drawPod(t)) },
			"nominate aside": func(t *rapid.T) { n.SetAside(drawPod(t), drawPod(t))() },
			// From here on somebody else changes the snapshot. What makes no sense is an error.
			"put":      func(t *rapid.T) { _, _ = drawSnap(t).PutPod(drawPod(t)) },
			"put on":   func(t *rapid.T) { p := drawPod(t); p.NodeName = drawNode(t); _, _ = drawSnap(t).PutPod(p) },
			"put with": func(t *rapid.T) { p := drawPod(t); p.NominatedNodeName = drawNode(t); _, _ = drawSnap(t).PutPod(p) },
			"bind":     func(t *rapid.T) { _ = drawSnap(t).Bind(drawPod(t).Key(), drawNode(t)) },
			"unbind":   func(t *rapid.T) { _ = drawSnap(t).Bind(drawPod(t).Key(), "") },
			"remove":   func(t *rapid.T) { _ = drawSnap(t).RemovePod(drawPod(t).Key()) },
			"move":     func(t *rapid.T) { _ = drawSnap(t).Nominate(drawPod(t).Key(), drawNode(t)) },
			"clear":    func(t *rapid.T) { _ = drawSnap(t).Nominate(drawPod(t).Key(), "") },
			"plan": func(t *rapid.T) {
				plan := evicting("e")
				plan.Pod = drawPod(t)
				plan.Node = drawNode(t)
				s := drawSnap(t)
				plan.ClearedNominations = s.NominatedTo(plan.Node)
				_ = s.Apply(plan)
			},
			"add node":    func(t *rapid.T) { _ = drawSnap(t).PutNode(smallNode(drawNode(t))) },
			"remove node": func(t *rapid.T) { _ = drawSnap(t).RemoveNode(drawNode(t)) },
			"mark":        func(t *rapid.T) { s := drawSnap(t); marks[s] = append(marks[s], s.Mark()) },
			"undo": func(t *rapid.T) {
				if s := drawSnap(t); len(marks[s]) > 0 {
					at := rapid.IntRange(0, len(marks[s])-1).Draw(t, "mark")
					require.NoError(t, s.Undo(marks[s][at]))
					marks[s] = marks[s][:at]
				}
			},
			"clone": func(t *rapid.T) {
				c := drawSnap(t).Clone()
				if len(snaps) < 4 {
					snaps = append(snaps, c)
				} else {
					at := rapid.IntRange(0, len(snaps)-1).Draw(t, "in place of")
					delete(marks, snaps[at])
					snaps[at] = c
				}
			},
			"another nominator": func(t *rapid.T) { require.NoError(t, other.ApplyTo(drawSnap(t))) },
			"apply": func(t *rapid.T) {
				s := drawSnap(t)
				want := s.Clone()
				plainly(t, &n, want, nominated)
				require.NoError(t, n.ApplyTo(s))
				same(t, want, s, nodes)
			},
			"many changes": func(t *rapid.T) {
				if rapid.IntRange(0, 20).Draw(t, "rarely") > 0 {
					return
				}
				s, p := drawSnap(t), pendingPod("many")
				for range 1100 {
					if rapid.Bool().Draw(t, "here") {
						require.NoError(t, n.Add(p, "n1"))
						n.Remove(p)
					}
					require.NoError(t, errOf(s.PutPod(pendingPod("many"))))
				}
			},
		})
	})
}

// However many nominations and nodes there are, applying them costs what has changed.
func TestApplyToCostsWhatHasChanged(t *testing.T) {
	cluster, n := &outrank.Cluster{}, execution.Nominator{}
	for i := range 2000 {
		cluster.Nodes = append(cluster.Nodes, smallNode(fmt.Sprint("n", i)))
		require.NoError(t, n.Add(pendingPod(fmt.Sprint("p", i)), fmt.Sprint("n", i)))
	}
	snap, err := engine.NewSnapshot(cluster)
	require.NoError(t, err)
	apply := func() { require.NoError(t, n.ApplyTo(snap)) }
	all := testing.AllocsPerRun(1, func() {
		require.NoError(t, new(execution.Nominator).ApplyTo(snap))
		apply()
	})
	assert.Greater(t, all, 2000.0, "after another nominator all are looked at")
	assert.Less(t, testing.AllocsPerRun(10, apply), 10.0)
	assert.Less(t, testing.AllocsPerRun(10, func() {
		require.NoError(t, errOf(snap.PutPod(pendingPod("p7"))))
		n.Remove(pendingPod("p8"))
		require.NoError(t, n.Add(pendingPod("p8"), "n9"))
		apply()
	}), 100.0)
	clone := snap.Clone()
	assert.Less(t, testing.AllocsPerRun(1, func() { require.NoError(t, n.ApplyTo(clone)) }), 10.0, "a clone goes on from there")
}

// A follower is told what has happened since it saw the snapshot last, and no more.
func TestFollow(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{smallNode("n1")}})
	require.NoError(t, err)
	type asked struct{ name string }
	me, other := &asked{"me"}, &asked{"other"}
	saw := func(s *engine.Snapshot, by any, point uint64) (c engine.Changes) {
		require.NoError(t, s.Follow(by, func(got engine.Changes) (uint64, error) { c = got; return point, nil }))
		return c
	}
	assert.Equal(t, engine.Changes{All: true}, saw(snap, me, 7))
	assert.Equal(t, engine.Changes{Point: 7}, saw(snap, me, 8))
	p := pendingPod("p")
	require.NoError(t, errOf(snap.PutPod(p)))
	require.NoError(t, snap.PutNode(smallNode("n2")))
	clone := snap.Clone()
	require.NoError(t, clone.RemoveNode("n1"))
	want := engine.Changes{Point: 8, Pods: []*outrank.Pod{p}, Nodes: []string{"n2"}}
	assert.Equal(t, want, saw(snap, me, 9))
	want.Nodes = append(want.Nodes, "n1")
	assert.Equal(t, want, saw(clone, me, 9), "a clone has what its origin had")

	before := snap.Revision()
	mark := snap.Mark()
	assert.Equal(t, before, snap.Revision(), "a mark is no change")
	require.NoError(t, snap.RemovePod(p.Key()))
	require.NoError(t, snap.Undo(mark))
	assert.Equal(t, []*outrank.Pod{p, p}, saw(snap, me, 10).Pods, "taking a change back is one")
	assert.Greater(t, snap.Revision(), before)

	require.ErrorIs(t, snap.Follow(me, func(engine.Changes) (uint64, error) { return 11, errBusy }), errBusy)
	assert.Equal(t, uint64(10), saw(snap, me, 12).Point, "what failed was not seen")
	assert.True(t, saw(snap, other, 0).All, "another one begins anew")
	assert.True(t, saw(snap, me, 0).All, "and so does the one before")

	require.ErrorIs(t, snap.Follow(me, func(engine.Changes) (uint64, error) {
		require.NoError(t, snap.RemovePod(p.Key()))
		return 0, errBusy
	}), errBusy)
	_, there := snap.Pod(p.Key())
	assert.True(t, there, "what a follower does that fails is taken back")
	for _, by := range []any{nil, []string{"a slice"}, struct{ of any }{[]int{1}}} {
		require.ErrorIs(t, snap.Follow(by, func(engine.Changes) (uint64, error) { return 0, nil }), outrank.ErrInvalid)
	}
	require.ErrorIs(t, snap.Follow(me, nil), outrank.ErrInvalid)
	var zero engine.Snapshot
	assert.Zero(t, zero.Revision())
	assert.True(t, saw(&zero, me, 0).All)
}

// Nominations that make no sense are errors that name the pod.
func TestNominationsThatMakeNoSense(t *testing.T) {
	gone := map[outrank.Key]*outrank.Pod{"default/bound": pendingPod("bound", withNode("n9")), "default/p": pendingPod("p")}
	n := execution.Nominator{Find: func(key outrank.Key) (*outrank.Pod, bool) { p, ok := gone[key]; return p, ok }}
	require.NoError(t, n.Add(pendingPod("p"), "n1"))
	require.NoError(t, n.Add(pendingPod("p"), "n1"), "the same again")
	for _, c := range []struct {
		pod  *outrank.Pod
		is   error
		text string
	}{
		{pendingPod("q"), preemption.ErrNotFound, "pod default/q: not found: it is gone, and cannot be nominated to node n2"},
		{pendingPod("bound"), preemption.ErrState, "pod default/bound: it does not wait any more, and cannot be nominated to node n2"},
		{pendingPod("p", withNode("n3")), preemption.ErrState, "pod default/p: "},
		{nil, outrank.ErrInvalid, "no pod"},
	} {
		err := n.Add(c.pod, "n2")
		require.ErrorIs(t, err, c.is)
		if c.pod != nil {
			assert.ErrorContains(t, err, string(c.pod.Key()))
		}
	}
	assert.Zero(t, n.Len(), "a pod that runs has none")
	var two execution.Nominator
	require.NoError(t, two.Add(pendingPod("p", withUID("1")), "n1"))
	require.ErrorContains(t, two.Add(pendingPod("p", withUID("1")), "n2"), "pod default/p: not in the right state: it is nominated to node n1 already, and now to n2")
	require.NoError(t, two.Add(pendingPod("p", withUID("2")), "n2"), "a later pod has the name")
	err := two.Add(pendingPod("p", withUID("1")), "n3")
	require.ErrorIs(t, err, preemption.ErrNotFound)
	require.ErrorContains(t, err, "pod default/p: ")
	assert.Equal(t, "n2", two.NodeOf("default/p"))
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }
