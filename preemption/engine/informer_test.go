package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// deliver has an informer say something, which it may say again at any time.
func (m *machine) deliver(t *rapid.T, say func(t *rapid.T)) {
	m.delivered = append(m.delivered, say)
	say(t)
}

// Redeliver says again what was said before, however outdated.
func (m *machine) Redeliver(t *rapid.T) {
	if len(m.delivered) > 0 {
		rapid.SampledFrom(m.delivered).Draw(t, "again")(t)
	}
}

// PutPod delivers a version of a pod: mostly of one that is there, of one with
// another UID, or of a new one.
func (m *machine) PutPod(t *rapid.T) {
	p := outrank.Pod{Name: rapid.SampledFrom([]string{"put1", "put2"}).Draw(t, "name")}
	if like, ok := m.pods[m.podKey(t)]; ok && rapid.Bool().Draw(t, "known") {
		p = *like
	}
	p.UID = rapid.SampledFrom([]string{p.UID, p.UID, "a", "b", ""}).Draw(t, "uid")
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "app")}
	p.Priority = outrank.Priority(rapid.Int32Range(0, 3).Draw(t, "priority") * 100)
	p.NodeName = rapid.SampledFrom([]string{p.NodeName, "", m.nodeName(t)}).Draw(t, "on")
	p.NominatedNodeName = rapid.SampledFrom([]string{p.NominatedNodeName, "", m.nodeName(t)}).Draw(t, "nominated")
	p.StartTime = rapid.SampledFrom([]time.Time{p.StartTime, {}, gen.Now}).Draw(t, "start")
	p.DeletionTimestamp = rapid.SampledFrom([]time.Time{p.DeletionTimestamp, {}, {}, gen.Now}).Draw(t, "deletion")
	p.Phase = rapid.SampledFrom([]outrank.Phase{"", "", outrank.PhaseRunning, outrank.PhaseFailed}).Draw(t, "phase")
	m.deliver(t, func(t *rapid.T) {
		m.putVersion(t, &p)
	})
}

// putVersion puts a version of a pod.
func (m *machine) putVersion(t *rapid.T, p *outrank.Pod) {
	replaced, err := m.snap.PutPod(p)
	require.NoError(t, err)
	require.Same(t, m.putPod(p), replaced)
}

// putPod says in the plainest way what PutPod comes to, and what it replaces.
func (m *machine) putPod(p *outrank.Pod) (replaced *outrank.Pod) {
	key := p.Key()
	old := m.pods[key]
	known := old
	gone := func() {
		delete(m.pods, key)
		delete(m.running, key)
		delete(m.waiting, key)
	}
	if old != nil && old.UID != "" && p.UID != "" && old.UID != p.UID {
		gone()
		old = nil
	}
	if p.Finished() {
		gone()
		return known
	}
	if old == nil {
		m.take(p)
		return known
	}
	if old.UID != "" && old.UID == p.UID {
		lostNode := old.NodeName != "" && p.NodeName == ""
		lostStart := !old.StartTime.IsZero() && p.StartTime.IsZero()
		lostEnd := !old.DeletionTimestamp.IsZero() && p.DeletionTimestamp.IsZero()
		if lostNode || lostStart || lostEnd {
			return nil
		}
	}
	on, runs := m.running[key]
	nominated := m.waiting[key]
	gone()
	m.pods[key] = p
	switch {
	case p.NodeName != "":
		m.running[key] = p.NodeName
	case runs && old.NodeName == "":
		m.running[key] = on
	case p.NominatedNodeName != "" || old.NominatedNodeName != "":
		m.waiting[key] = p.NominatedNodeName
	default:
		m.waiting[key] = nominated
	}
	return known
}

// PutNode delivers a node that is new, has changed, or says what it said before.
func (m *machine) PutNode(t *rapid.T) {
	n := &outrank.Node{
		Name: m.nodeName(t), Labels: zone(t), Unschedulable: rapid.Bool().Draw(t, "cordoned"),
		Allocatable: resource.MustList("cpu", fmt.Sprint(rapid.IntRange(1, 3).Draw(t, "cpu")), "pods", "4"),
	}
	m.deliver(t, func(t *rapid.T) { m.putNode(t, n) })
}

// putNode puts a node in its place, or behind all others.
func (m *machine) putNode(t *rapid.T, n *outrank.Node) {
	require.NoError(t, m.snap.PutNode(n))
	nodes := slices.Clone(m.nodes)
	if i := slices.IndexFunc(nodes, func(x *outrank.Node) bool { return x.Name == n.Name }); i >= 0 {
		nodes[i] = n
	} else {
		nodes = append(nodes, n)
	}
	m.nodes = nodes
}

// PutBudget delivers a budget that is new, with another status, or with another
// selector.
func (m *machine) PutBudget(t *rapid.T) {
	b := outrank.PodDisruptionBudget{Name: rapid.SampledFrom([]string{"put1", "put2", "put3"}).Draw(t, "name")}
	if len(m.budgets) > 0 && rapid.Bool().Draw(t, "known") {
		b = *rapid.SampledFrom(m.budgets).Draw(t, "budget")
	}
	b.DisruptionsAllowed = rapid.Int32Range(0, 2).Draw(t, "allowed")
	if b.Selector == nil || rapid.Bool().Draw(t, "other selector") {
		b.Selector = &outrank.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "app")}}
	}
	m.deliver(t, func(t *rapid.T) {
		require.NoError(t, m.snap.PutBudget(&b))
		budgets := slices.Clone(m.budgets)
		if i := m.budgetAt(b.Key()); i >= 0 {
			budgets[i] = &b
		} else {
			budgets = append(budgets, &b)
		}
		m.budgets = budgets
	})
}

func (m *machine) budgetAt(key outrank.Key) int {
	return slices.IndexFunc(m.budgets, func(b *outrank.PodDisruptionBudget) bool { return b.Key() == key })
}

func (m *machine) RemoveBudget(t *rapid.T) {
	keys := []outrank.Key{"default/nobody"}
	for _, b := range m.budgets {
		keys = append(keys, b.Key())
	}
	key := rapid.SampledFrom(keys).Draw(t, "budget")
	m.deliver(t, func(t *rapid.T) {
		err := m.snap.RemoveBudget(key)
		i := m.budgetAt(key)
		if i < 0 {
			require.ErrorIs(t, err, preemption.ErrNotFound)
			return
		}
		require.NoError(t, err)
		m.budgets = slices.Delete(slices.Clone(m.budgets), i, i+1)
	})
}

func (m *machine) PutNamespace(t *rapid.T) {
	ns := &outrank.Namespace{Name: rapid.SampledFrom([]string{"default", "other"}).Draw(t, "name"), Labels: zone(t)}
	m.deliver(t, func(t *rapid.T) {
		require.NoError(t, m.snap.PutNamespace(ns))
		m.namespaces[ns.Name] = ns
	})
}

func (m *machine) RemoveNamespace(t *rapid.T) {
	name := rapid.SampledFrom([]string{"default", "other"}).Draw(t, "name")
	m.deliver(t, func(t *rapid.T) {
		err := m.snap.RemoveNamespace(name)
		if m.namespaces[name] == nil {
			require.ErrorIs(t, err, preemption.ErrNotFound)
			return
		}
		require.NoError(t, err)
		delete(m.namespaces, name)
	})
}

func (m *machine) PutGroup(t *rapid.T) {
	g := drawGroup(t, rapid.SampledFrom([]string{"g0", "g1"}).Draw(t, "name"))
	m.deliver(t, func(t *rapid.T) {
		require.NoError(t, m.snap.PutGroup(g))
		m.groups = append(m.without(g.Key()), g)
	})
}

func (m *machine) without(key outrank.Key) []*outrank.PodGroup {
	return slices.DeleteFunc(slices.Clone(m.groups), func(g *outrank.PodGroup) bool { return g.Key() == key })
}

func (m *machine) RemoveGroup(t *rapid.T) {
	key := rapid.SampledFrom([]outrank.Key{"default/g0", "default/g1"}).Draw(t, "group")
	m.deliver(t, func(t *rapid.T) {
		rest := m.without(key)
		err := m.snap.RemoveGroup(key)
		if len(rest) == len(m.groups) {
			require.ErrorIs(t, err, preemption.ErrNotFound)
			return
		}
		require.NoError(t, err)
		m.groups = rest
	})
}

func (m *machine) PutComposite(t *rapid.T) {
	g := drawComposite(t, rapid.SampledFrom([]string{"c0", "c1", "c2", "c3"}).Draw(t, "name"))
	m.deliver(t, func(t *rapid.T) {
		require.NoError(t, m.snap.PutComposite(g))
		m.composites = append(m.withoutComposite(g.Key()), g)
	})
}

func (m *machine) withoutComposite(key outrank.Key) []*outrank.CompositePodGroup {
	return slices.DeleteFunc(slices.Clone(m.composites), func(g *outrank.CompositePodGroup) bool { return g.Key() == key })
}

func (m *machine) RemoveComposite(t *rapid.T) {
	key := rapid.SampledFrom([]outrank.Key{"default/c0", "default/c1", "default/c2"}).Draw(t, "composite group")
	m.deliver(t, func(t *rapid.T) {
		rest := m.withoutComposite(key)
		err := m.snap.RemoveComposite(key)
		if len(rest) == len(m.composites) {
			require.ErrorIs(t, err, preemption.ErrNotFound)
			return
		}
		require.NoError(t, err)
		m.composites = rest
	})
}

func (m *machine) Unbind(t *rapid.T) {
	key := m.podKey(t)
	err := m.snap.Bind(key, "")
	_, runs := m.running[key]
	switch {
	case m.pods[key] == nil:
		require.ErrorIs(t, err, preemption.ErrNotFound)
	case !runs:
		require.ErrorIs(t, err, preemption.ErrState)
	default:
		require.NoError(t, err)
		delete(m.running, key)
		m.waiting[key] = ""
	}
}

// A cluster is back what it was made of, and the pods say where they are.
func (m *machine) Export(t *rapid.T) {
	c := m.snap.Cluster()
	require.True(t, slices.Equal(m.nodes, c.Nodes), "the nodes are in their order")
	require.Equal(t, len(m.budgets), len(c.Budgets))
	require.Equal(t, len(m.groups), len(c.Groups))
	require.Equal(t, len(m.pods), len(c.Pods))
	for _, p := range c.Pods {
		key := p.Key()
		require.Equal(t, m.running[key], p.NodeName, "%s", key)
		if m.running[key] == "" {
			require.Equal(t, m.waiting[key], p.NominatedNodeName, "%s", key)
		}
		like := *m.pods[key]
		like.NodeName, like.NominatedNodeName = p.NodeName, p.NominatedNodeName
		require.Equal(t, like, *p, "nothing else is written")
	}
	again, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	stateOf(again).Columns = stateOf(m.snap).Columns
	require.Equal(t, order(m.snap), order(again), "the order of the pods is that of the cluster's")
}

// order lists the pods of a snapshot with where they are.
func order(s *engine.Snapshot) string {
	var b strings.Builder
	for p := range s.Pods() {
		fmt.Fprintln(&b, p.Key(), s.NodeOf(p.Key()), s.NominationOf(p.Key()))
	}
	return b.String()
}

// Whatever an informer says, twice or late, the snapshot is as if built anew from
// what there is then; undo takes it back.
func TestPropertyInformer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(gen.Cluster(gen.Shape{Nodes: 3, PodsPerNode: 3, Budgets: 2, Nominated: 2, Groups: 2, Units: true}).Draw(t, "cluster"))
		t.Repeat(map[string]func(*rapid.T){
			"Redeliver": m.Redeliver, "PutPod": m.PutPod, "PutNode": m.PutNode, "PutBudget": m.PutBudget, "RemoveBudget": m.RemoveBudget,
			"PutNamespace": m.PutNamespace, "RemoveNamespace": m.RemoveNamespace, "PutGroup": m.PutGroup, "RemoveGroup": m.RemoveGroup,
			"PutComposite": m.PutComposite, "RemoveComposite": m.RemoveComposite,
			"Unbind": m.Unbind, "Bind": m.Bind, "Nominate": m.Nominate, "RemovePod": m.RemovePod, "RemoveNode": m.RemoveNode,
			"Mark": m.Mark, "Undo": m.Undo, "Keep": m.Keep, "Clone": m.Clone, "Export": m.Export, "": m.Check,
		})
	})
}

// Many budgets that come and go leave nothing behind.
func TestBudgetsComeAndGo(t *testing.T) {
	var pods []*outrank.Pod
	for i := range 5 {
		pods = append(pods, &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: "n", Labels: map[string]string{"app": fmt.Sprint(i % 3)}})
	}
	snap, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}, Pods: pods})
	require.NoError(t, err)
	var names []string
	for i := range 200 {
		b := &outrank.PodDisruptionBudget{Name: fmt.Sprint("b", i), Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint(i % 3)}}}
		require.NoError(t, snap.PutBudget(b))
		if names = append(names, b.Name); len(names) > 4 {
			mark := snap.Mark()
			require.NoError(t, snap.RemoveBudget(outrank.NewKey("", names[1])))
			require.NoError(t, snap.Undo(mark))
			require.NoError(t, snap.RemoveBudget(outrank.NewKey("", names[1])))
			names = append(names[:1], names[2:]...)
		}
		var got []string
		for b := range snap.Budgets() {
			got = append(got, b.Name)
		}
		require.Equal(t, names, got, "in the order in which they came")
		require.Less(t, len(stateOf(snap).BudgetSet.List), 50)
	}
	require.ErrorIs(t, snap.RemoveBudget("default/b7"), preemption.ErrNotFound)
}
