package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/resource"
)

func TestNominatorOperations(t *testing.T) {
	const key = "default/p"
	for name, c := range map[string]struct {
		why  string
		do   func(n *execution.Nominator)
		want string
	}{
		"add":         {"the node given counts", func(n *execution.Nominator) { n.Add(pendingPod("p", withNomination("own")), "given") }, "given"},
		"add own":     {"no node given: the pod's own", func(n *execution.Nominator) { n.Add(pendingPod("p", withNomination("own")), "") }, "own"},
		"add neither": {"an old entry goes even if no new one comes", func(n *execution.Nominator) { n.Add(pendingPod("p"), "n1"); n.Add(pendingPod("p"), "") }, ""},
		"add twice":   {"one of two nominations would keep room for nobody", func(n *execution.Nominator) { n.Add(pendingPod("p"), "n1"); n.Add(pendingPod("p"), "n2") }, "n1"},
		"add same":    {"adding again is no second entry", func(n *execution.Nominator) { n.Add(pendingPod("p"), "n1"); n.Add(pendingPod("p"), "n1") }, "n1"},
		"add running": {"a pod with a node has no nomination", func(n *execution.Nominator) {
			n.Add(pendingPod("p"), "n1")
			n.Add(pendingPod("p", withNode("n3")), "n2")
		}, ""},
		"add finished": {"nor has one that has ended", func(n *execution.Nominator) { n.Add(&outrank.Pod{Name: "p", Phase: outrank.PhaseFailed}, "n1") }, ""},
		"add successor": {"a later pod of the name takes the place", func(n *execution.Nominator) {
			n.Add(pendingPod("p", withUID("1")), "n1")
			n.Add(pendingPod("p", withUID("2")), "n2")
		}, "n2"},
		"nil":    {"there is no nil pod", func(n *execution.Nominator) { n.Add(nil, "n1"); n.Remove(nil); n.Update(nil, nil) }, ""},
		"delete": {"gone", func(n *execution.Nominator) { n.Add(pendingPod("p"), "n1"); n.Remove(pendingPod("p")) }, ""},
		"delete unknown": {"another pod's entry stays", func(n *execution.Nominator) {
			n.Add(pendingPod("p"), "n1")
			n.Remove(pendingPod("q"))
		}, "n1"},
		"delete predecessor": {"late news of the pod before does not touch it", func(n *execution.Nominator) {
			n.Add(pendingPod("p", withUID("2")), "n2")
			n.Remove(pendingPod("p", withUID("1")))
		}, "n2"},
		"update keeps": {"neither names a node: the memory counts", func(n *execution.Nominator) {
			n.Add(pendingPod("p"), "n1")
			n.Update(pendingPod("p"), pendingPod("p"))
		}, "n1"},
		"update unknown": {"nothing in memory, nothing to keep", func(n *execution.Nominator) {
			n.Update(pendingPod("p"), pendingPod("p"))
		}, ""},
		"update sets": {"a nomination appears", func(n *execution.Nominator) {
			n.Add(pendingPod("p"), "n1")
			n.Update(pendingPod("p"), pendingPod("p", withNomination("n2")))
		}, "n2"},
		"update moves": {"a nomination changes", func(n *execution.Nominator) {
			n.Add(pendingPod("p", withNomination("n1")), "")
			n.Update(pendingPod("p", withNomination("n1")), pendingPod("p", withNomination("n2")))
		}, "n2"},
		"update clears": {"a nomination disappears: the memory goes, too", func(n *execution.Nominator) {
			n.Add(pendingPod("p", withNomination("n1")), "")
			n.Update(pendingPod("p", withNomination("n1")), pendingPod("p"))
		}, ""},
		"update to running": {"it was bound", func(n *execution.Nominator) {
			n.Add(pendingPod("p"), "n1")
			n.Update(pendingPod("p"), pendingPod("p", withNode("n1")))
		}, ""},
		"update to another": {"another pod takes nothing over", func(n *execution.Nominator) {
			n.Add(pendingPod("p", withUID("1")), "n1")
			n.Update(pendingPod("p", withUID("1")), pendingPod("p", withUID("2")))
		}, ""},
		"update from nothing": {"a first sight is an addition", func(n *execution.Nominator) { n.Update(nil, pendingPod("p", withNomination("n1"))) }, "n1"},
		"update to nothing":   {"a last sight is a deletion", func(n *execution.Nominator) { n.Add(pendingPod("p"), "n1"); n.Update(pendingPod("p"), nil) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var n execution.Nominator
			c.do(&n)
			require.NoError(t, checkNominator(&n))
			assert.Equal(t, c.want, n.NodeOf(key), c.why)
			assert.Equal(t, c.want != "", n.Len() == 1)
			if c.want != "" {
				assert.Len(t, n.NominatedTo(c.want), 1)
			}
		})
	}
}

func TestNominatedInOrder(t *testing.T) {
	var n execution.Nominator
	early := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, p := range []*outrank.Pod{
		pendingPod("b"), pendingPod("a"), pendingPod("late", withStart(early.Add(time.Hour))), pendingPod("early", withStart(early)),
		pendingPod("top", withPriority(99)), {Name: "a", Namespace: "aaa", Priority: outrank.Priority(10)}, {Name: "none"},
	} {
		n.Add(p, "n1")
	}
	var keys []outrank.Key
	for _, p := range n.NominatedTo("n1") {
		keys = append(keys, p.Key())
	}
	want := []outrank.Key{"default/top", "default/early", "default/late", "aaa/a", "default/a", "default/b", "default/none"}
	assert.Equal(t, want, keys, "priority, start (none is latest), namespace, name")

	n.NominatedTo("n1")[0] = nil
	require.NoError(t, checkNominator(&n), "the list is the caller's own")
}

// nominated is a pod that room was made for, and where, with the UIDs of the pods
// that it replaced.
type nominated struct {
	pod    *outrank.Pod
	node   string
	before map[string]bool
	// aside is set where the nomination is set aside.
	aside bool
}

// plainNominator is a list of entries, and obviously right.
type plainNominator []nominated

func (l *plainNominator) delete(p *outrank.Pod) {
	*l = slices.DeleteFunc(*l, func(e nominated) bool {
		return e.pod.Key() == p.Key() && (e.pod.UID == p.UID || e.pod.UID == "" || p.UID == "")
	})
}

func (l *plainNominator) add(p *outrank.Pod, node string, before map[string]bool) {
	for _, e := range *l {
		if e.pod.Key() != p.Key() {
			continue
		}
		if e.before[p.UID] {
			return
		}
		if before = maps.Clone(e.before); e.pod.UID != p.UID && e.pod.UID != "" && p.UID != "" {
			before[e.pod.UID] = true
		}
	}
	*l = slices.DeleteFunc(*l, func(e nominated) bool { return e.pod.Key() == p.Key() })
	if node == "" {
		node = p.NominatedNodeName
	}
	if node != "" && p.NodeName == "" && !p.Finished() {
		if before == nil {
			before = map[string]bool{}
		}
		*l = append(*l, nominated{pod: p, node: node, before: before})
	}
}

// taken reports whether a waiting pod is nominated to another node.
func (l plainNominator) taken(p *outrank.Pod, node string) bool {
	return node != "" && p.NodeName == "" && !p.Finished() && slices.ContainsFunc(l.shown(), func(e nominated) bool {
		return e.node != node && e.pod.Key() == p.Key() && (e.pod.UID == p.UID || e.pod.UID == "" || p.UID == "") && !e.before[p.UID]
	})
}

func (l *plainNominator) update(old, new *outrank.Pod) {
	node, before := "", map[string]bool{}
	successor := new.UID != old.UID && new.UID != "" && old.UID != ""
	for i, e := range *l {
		same := e.pod.UID == old.UID || e.pod.UID == "" || old.UID == ""
		if e.pod.Key() != old.Key() || !same {
			continue
		}
		if e.aside && !successor && old.NominatedNodeName == "" && new.NominatedNodeName == "" {
			(*l)[i].pod = new
			return
		}
		before = maps.Clone(e.before)
		if !successor && old.NominatedNodeName == "" && new.NominatedNodeName == "" {
			node = e.node
		}
	}
	if successor {
		before[old.UID] = true
	}
	l.delete(old)
	l.add(new, node, before)
}

// setAside sets the pods of a name aside, and back puts all of those back.
func (l plainNominator) setAside(p *outrank.Pod) {
	for i, e := range l {
		if e.pod.Key() == p.Key() && (e.pod.UID == p.UID || e.pod.UID == "" || p.UID == "") {
			l[i].aside = true
		}
	}
}

func (l *plainNominator) back() {
	for _, e := range slices.Clone(*l) {
		if e.aside {
			l.delete(e.pod)
			l.add(e.pod, e.node, e.before)
		}
	}
}

func (l plainNominator) shown() plainNominator {
	return slices.DeleteFunc(slices.Clone(l), func(e nominated) bool { return e.aside })
}

func (l plainNominator) onNode(node string) []*outrank.Pod {
	var pods []*outrank.Pod
	for _, e := range l.shown() {
		if e.node == node {
			pods = append(pods, e.pod)
		}
	}
	slices.SortFunc(pods, compareNominated)
	return pods
}

func TestNominatorStateMachine(t *testing.T) {
	nodes := []string{"", "n1", "n2", "n3"}
	draw := func(t *rapid.T, name string) *outrank.Pod {
		return pendingPod(name,
			withPriority(rapid.Int32Range(0, 3).Draw(t, "priority")),
			withUID(rapid.SampledFrom([]string{"", "1", "2", "3"}).Draw(t, "uid")),
			withNomination(rapid.SampledFrom(nodes).Draw(t, "own")),
			withNode(rapid.SampledFrom([]string{"", "", "", "n9"}).Draw(t, "runs on")),
			func(p *outrank.Pod) {
				p.Phase = rapid.SampledFrom([]outrank.Phase{"", "", "", "", "", outrank.PhaseFailed}).Draw(t, "phase")
			})
	}
	name := func(t *rapid.T) string { return rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "name") }
	rapid.Check(t, func(t *rapid.T) {
		var n execution.Nominator
		var plain plainNominator
		var back func()
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				p, node := draw(t, name(t)), rapid.SampledFrom(nodes).Draw(t, "node")
				err := n.Add(p, node)
				if err != nil {
					require.ErrorContains(t, err, string(p.Key()))
				}
				if plain.taken(p, node) {
					require.ErrorIs(t, err, preemption.ErrState, "two nominations")
					return
				}
				plain.add(p, node, nil)
			},
			"update": func(t *rapid.T) {
				at := name(t)
				old, new := draw(t, at), draw(t, at)
				n.Update(old, new)
				plain.update(old, new)
			},
			"delete": func(t *rapid.T) {
				p := draw(t, name(t))
				n.Remove(p)
				plain.delete(p)
			},
			"aside": func(t *rapid.T) {
				if back != nil {
					back()
					plain.back()
					back = nil
					return
				}
				pods := []*outrank.Pod{draw(t, name(t)), draw(t, name(t)), draw(t, name(t))}
				back = n.SetAside(pods...)
				for _, p := range pods {
					plain.setAside(p)
				}
			},
			"": func(t *rapid.T) {
				require.NoError(t, checkNominator(&n))
				require.Equal(t, len(plain.shown()), n.Len())
				for _, e := range plain.shown() {
					require.Equal(t, e.node, n.NodeOf(e.pod.Key()))
				}
				for _, node := range nodes {
					require.Empty(t, testdiff.Diff(plain.onNode(node), n.NominatedTo(node), cmp.Comparer(func(a, b *outrank.Pod) bool { return a == b })))
				}
			},
		})
	})
}

func TestNominatorConcurrently(t *testing.T) {
	var n execution.Nominator
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n0"}, {Name: "n1"}}})
	require.NoError(t, err)
	var all sync.WaitGroup
	for w := range 4 {
		mine := snap.Clone()
		all.Go(func() {
			for i := range 200 {
				p := pendingPod(fmt.Sprint("p", (w+i)%5))
				if err := n.Add(p, fmt.Sprint("n", i%2)); err != nil && !errors.Is(err, preemption.ErrState) {
					t.Error(err)
				}
				n.Update(p, pendingPod(p.Name))
				n.NominatedTo("n0")
				if err := n.ApplyTo(mine); err != nil {
					t.Error(err)
				}
				n.Remove(pendingPod(fmt.Sprint("p", i%5)))
			}
		})
	}
	all.Wait()
	require.NoError(t, checkNominator(&n))
}

func TestApplyToAlignsEveryNomination(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{smallNode("n1"), smallNode("n2")},
		Pods: []*outrank.Pod{
			pendingPod("stale", withNomination("n1")), pendingPod("moved", withNomination("n1")), pendingPod("right", withNomination("n2")),
			pendingPod("bare"), pendingPod("runs", withNode("n1")), pendingPod("reborn", withUID("2"), withNomination("n1")),
		},
	})
	require.NoError(t, err)
	var n execution.Nominator
	for name, node := range map[string]string{"moved": "n2", "right": "n2", "bare": "n1", "runs": "n2", "new": "n1", "nowhere": "n9"} {
		n.Add(pendingPod(name), node)
	}
	n.Add(pendingPod("reborn", withUID("1")), "n2")
	for range 2 {
		require.NoError(t, n.ApplyTo(snap))
		got := map[string]string{}
		for _, name := range []string{"stale", "moved", "right", "bare", "runs", "reborn", "new", "nowhere"} {
			got[name] = snap.NominationOf(outrank.NewKey("", name))
		}
		want := map[string]string{
			"stale": "", "moved": "n2", "right": "n2", "bare": "n1", "new": "n1",
			"runs": "", "reborn": "", "nowhere": "",
		}
		require.Empty(t, testdiff.Diff(want, got), "a second time changes nothing")
	}
	assert.Equal(t, "n1", snap.NodeOf("default/runs"))
	_, known := snap.Pod("default/nowhere")
	assert.False(t, known, "a nomination without effect brings no pod in")
}

func TestApplyToLeavesTheSnapshotAfterAnError(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{smallNode("n1")}, Pods: []*outrank.Pod{pendingPod("stale", withNomination("n1"))},
	})
	require.NoError(t, err)
	var n execution.Nominator
	n.Add(pendingPod("good"), "n1")
	n.Add(pendingPod("zero", func(p *outrank.Pod) { p.Overhead = resource.MustList("cpu", "-1") }), "n1")
	require.ErrorIs(t, n.ApplyTo(snap), outrank.ErrInvalid)
	assert.Equal(t, "n1", snap.NominationOf("default/stale"))
	_, known := snap.Pod("default/good")
	assert.False(t, known)
	require.ErrorIs(t, n.ApplyTo(nil), outrank.ErrInvalid)
}

// The evaluator answers as if the nominations stood in the pods, which is where
// a snapshot takes them from.
func TestApplyToIsWhatThePodsSay(t *testing.T) {
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		told, bare, n := &outrank.Cluster{}, &outrank.Cluster{}, execution.Nominator{}
		nodes := []string{"n1", "n2", "n3"}
		for _, name := range nodes {
			node := smallNode(name)
			told.Nodes, bare.Nodes = append(told.Nodes, node), append(bare.Nodes, node)
		}
		size := rapid.SampledFrom([]string{"1", "2", "3"})
		for i := range rapid.IntRange(0, 10).Draw(t, "pods") {
			p := pendingPod(fmt.Sprint("p", i), withPriority(rapid.Int32Range(0, 5).Draw(t, "priority")), withRequest(size.Draw(t, "cpu")))
			node := rapid.SampledFrom(nodes).Draw(t, "node")
			if rapid.Bool().Draw(t, "runs") {
				p.NodeName = node
				told.Pods, bare.Pods = append(told.Pods, p), append(bare.Pods, p)
				continue
			}
			knows := *p
			knows.NominatedNodeName = node
			told.Pods = append(told.Pods, &knows)
			n.Add(p, node)
			if rapid.Bool().Draw(t, "known") {
				bare.Pods = append(bare.Pods, p)
			}
		}
		want, err := engine.NewSnapshot(told)
		require.NoError(t, err)
		got, err := engine.NewSnapshot(bare)
		require.NoError(t, err)
		require.NoError(t, n.ApplyTo(got))
		pod := pendingPod("x", withPriority(rapid.Int32Range(0, 6).Draw(t, "preemptor")), withRequest(size.Draw(t, "cpu")))
		require.Equal(t, outcomeOf(t, eval, want, pod), outcomeOf(t, eval, got, pod))
	})
}

func outcomeOf(t *rapid.T, eval *engine.Evaluator, snap *engine.Snapshot, pod *outrank.Pod) string {
	ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: pod, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	text, err := json.Marshal(ex)
	require.NoError(t, err)
	return string(text)
}
