package engine_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// derivedAnew reports whether what other rules than the default ones look at is as if it
// were computed now.
func derivedAnew(s *engine.Snapshot, n *state.NodeState) bool {
	l, e := stateOf(s).Summaries.At(n.Slot), stateOf(s).Summaries.ExtremesAt(n.Slot)
	return state.ExtremesOf(n, l) == *e && state.ShareSumsOf(n, l, e) == *stateOf(s).Summaries.ShareSumsAt(n.Slot) &&
		state.TwoLowestOf(n) == *stateOf(s).Summaries.TwoLowestAt(n.Slot) && state.LatestOf(n) == stateOf(s).Summaries.LatestAt(n.Slot)
}

// dump writes down everything that a snapshot knows, except where in memory it
// is. It asks for topology domains, so that the snapshot keeps them until the
// next time.
func dump(s *engine.Snapshot) string {
	var b strings.Builder
	for _, slot := range stateOf(s).Order {
		fmt.Fprintf(&b, "node %s\n", stateOf(s).NodeStates[slot].Name)
	}
	var states []string
	stateOf(s).Slots.Each(func(name string, slot int32) {
		n := stateOf(s).NodeStates[slot]
		states = append(states, fmt.Sprintf("%s=%s: %p offers %v pods %d taken %v concerned %v unstarted %d latest %d\n  summary %+v rows %v sort keys %v\n  levels %v covered %s extremes %v\n  pods %s\n  nominated %s\n",
			name, n.Name, n.Node, fmt.Sprint(n.Offers.Std, n.Offers.More()), n.MaxPods, n.Taken, n.Concerned, n.Unstarted, n.Latest, fmt.Sprint(*stateOf(s).Summaries.At(slot), *stateOf(s).Summaries.TopSumsAt(slot)), n.Rows, n.SortKeys,
			n.Levels, dumpCovered(s, n), derivedAnew(s, n), dumpPods(n.Pods), dumpPods(n.Nominated)))
	})
	stateOf(s).PodStates.Each(func(p *state.PodState) {
		states = append(states, fmt.Sprintf("%s: %p on %q nominated %q covering %v\n", p.Pod.Key(), p.Pod, p.Node(), p.Nominated(), coveredBy(s, p.Class)))
	})
	slices.Sort(states)
	b.WriteString(strings.Join(states, ""))
	fmt.Fprintf(&b, "repelling kinds %d\n", stateOf(s).Classes.AntiAffinity)
	var kinds []string
	for m := range stateOf(s).Classes.All() {
		nodes := map[string]int32{}
		for slot, on := range m.Nodes() {
			nodes[stateOf(s).NodeStates[slot].Name] = on.Pods
		}
		kinds = append(kinds, fmt.Sprintf("kind %q covering %v: %d pods, on %v\n", m.Class.Key, coveredBy(s, m.Class), m.Pods, nodes))
	}
	slices.Sort(kinds)
	b.WriteString(strings.Join(kinds, ""))
	var claims []string
	stateOf(s).Claims.Each(func(key string, u *state.ClaimUsers) {
		nodes := map[string]int32{}
		for slot, n := range u.Nodes {
			nodes[stateOf(s).NodeStates[slot].Name] = n
		}
		claims = append(claims, fmt.Sprintf("claim %q on %v\n", key, nodes))
	})
	slices.Sort(claims)
	b.WriteString(strings.Join(claims, ""))
	for _, key := range []string{"kubernetes.io/hostname", outrank.ZoneLabel, "rack", "zone"} {
		fmt.Fprintf(&b, "topology %s: %s\n", key, dumpPartition(s, stateOf(s).Partition(key)))
	}
	for budget := range s.Budgets() {
		fmt.Fprintf(&b, "budget %p\n", budget)
	}
	for g := range s.Groups() {
		fmt.Fprintf(&b, "group %s %p\n", g.Key(), g)
	}
	for g := range s.Composites() {
		fmt.Fprintf(&b, "composite %s %p\n", g.Key(), g)
	}
	b.WriteString(dumpUnits(s))
	for ns := range s.Namespaces() {
		fmt.Fprintf(&b, "namespace %s %p\n", ns.Name, ns)
	}
	return b.String()
}

// dumpCovered lists the covered pods of a node with their budgets.
func dumpCovered(s *engine.Snapshot, n *state.NodeState) string {
	var keys []string
	for _, g := range n.Covered {
		keys = append(keys, fmt.Sprintf("%s by %s", n.Pods[g.Index].Pod.Key(), coveredBy(s, g.Class)))
	}
	return strings.Join(keys, ", ")
}

// dumpPartition writes down the domains with their nodes, whatever their ids are.
func dumpPartition(s *engine.Snapshot, p *state.Partition) string {
	domains, there := map[string][]string{}, 0
	p.IDOf.Each(func(value string, id int32) {
		domains[value] = []string{fmt.Sprint(p.Nodes[id], " nodes:")}
		stateOf(s).Slots.Each(func(name string, slot int32) {
			if p.Of(slot) == id {
				domains[value] = append(domains[value], name)
				there++
			}
		})
		slices.Sort(domains[value])
		if int(id) >= p.Domains || slices.Contains(p.Unused, id) {
			domains[value] = append(domains[value], "no such id")
		}
	})
	stateOf(s).Slots.Each(func(_ string, slot int32) {
		if p.Of(slot) != state.NoDomain {
			there--
		}
	})
	return fmt.Sprintf("%v, %d nodes elsewhere", domains, -there)
}

// coveredBy lists the budgets of a class, whatever their indices are.
func coveredBy(s *engine.Snapshot, k *state.PodClass) string {
	var keys []string
	for _, b := range k.Covering {
		keys = append(keys, string(stateOf(s).BudgetSet.List[b].Key()))
	}
	return strings.Join(keys, " ")
}

func dumpPods(ps []*state.PodState) string {
	var keys []string
	for _, p := range ps {
		keys = append(keys, string(p.Pod.Key()))
	}
	return strings.Join(keys, " ")
}

// machine drives a snapshot and, beside it, a plain cluster with what the
// snapshot must contain.
type machine struct {
	snap       *engine.Snapshot
	nodes      []*outrank.Node
	running    map[outrank.Key]string // key to node
	waiting    map[outrank.Key]string // key to nomination
	pods       map[outrank.Key]*outrank.Pod
	budgets    []*outrank.PodDisruptionBudget
	groups     []*outrank.PodGroup
	composites []*outrank.CompositePodGroup
	// namespaces are by name, delivered is whatever an informer has said so far.
	namespaces map[string]*outrank.Namespace
	delivered  []func(t *rapid.T)
	// past are the marks that are out, with what the snapshot was then.
	past   []moment
	clones []moment
	serial int
}

type moment struct {
	mark engine.Mark
	dump string
	m    machine
	snap *engine.Snapshot
}

func newMachine(c *outrank.Cluster) *machine {
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		panic(err)
	}
	m := &machine{
		snap: snap, nodes: slices.Clone(c.Nodes), budgets: c.Budgets, groups: c.Groups, composites: c.Composites,
		namespaces: map[string]*outrank.Namespace{},
		running:    map[outrank.Key]string{}, waiting: map[outrank.Key]string{}, pods: map[outrank.Key]*outrank.Pod{},
	}
	for _, p := range c.Pods {
		if !p.Finished() {
			m.take(p)
		}
	}
	for _, ns := range c.Namespaces {
		m.namespaces[ns.Name] = ns
	}
	return m
}

func (m *machine) take(p *outrank.Pod) {
	m.pods[p.Key()] = p
	if p.NodeName != "" {
		m.running[p.Key()] = p.NodeName
	} else {
		m.waiting[p.Key()] = p.NominatedNodeName
	}
}

func (m *machine) copy() machine {
	c := *m
	c.nodes = slices.Clone(m.nodes)
	c.running, c.waiting, c.pods = maps.Clone(m.running), maps.Clone(m.waiting), maps.Clone(m.pods)
	c.namespaces = maps.Clone(m.namespaces)
	c.past, c.clones = nil, nil
	return c
}

func (m *machine) restore(c machine) {
	past, clones, serial, delivered := m.past, m.clones, m.serial, m.delivered
	*m = c.copy()
	m.past, m.clones, m.serial, m.delivered = past, clones, serial, delivered
}

func (m *machine) AddPod(t *rapid.T) {
	m.serial++
	p := outrank.Pod{}
	if like, ok := m.pods[m.podKey(t)]; ok {
		p = *like
	}
	p.Name, p.Namespace = fmt.Sprintf("new%d", m.serial), "default"
	p.NodeName, p.NominatedNodeName = "", ""
	switch rapid.IntRange(0, 2).Draw(t, "where") {
	case 0:
		p.NodeName = m.nodeName(t)
	case 1:
		p.NominatedNodeName = m.nodeName(t)
	}
	replaced, err := m.snap.PutPod(&p)
	require.NoError(t, err)
	require.Nil(t, replaced, "it is new")
	m.take(&p)
}

// nodeName returns the name of a node that exists, or of one that does not.
func (m *machine) nodeName(t *rapid.T) string {
	names := []string{"ghost"}
	for _, n := range m.nodes {
		names = append(names, n.Name)
	}
	return rapid.SampledFrom(names).Draw(t, "node")
}

func (m *machine) podKey(t *rapid.T) outrank.Key {
	return rapid.SampledFrom(append(slices.Sorted(maps.Keys(m.pods)), "default/nobody")).Draw(t, "pod")
}

func (m *machine) has(node string) bool {
	return slices.ContainsFunc(m.nodes, func(n *outrank.Node) bool { return n.Name == node })
}

// UpdatePod changes the labels, requests and priority of a pod.
func (m *machine) UpdatePod(t *rapid.T) {
	key := m.podKey(t)
	old, ok := m.pods[key]
	if !ok {
		return
	}
	p := *old
	p.Labels = map[string]string{"app": rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "app")}
	p.Priority = outrank.Priority(rapid.Int32Range(-5, 300).Draw(t, "priority"))
	p.Containers = []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprintf("%dm", rapid.IntRange(0, 900).Draw(t, "cpu")))}}
	m.putVersion(t, &p)
}

// UpdateNode changes what a node offers, or cordons it.
func (m *machine) UpdateNode(t *rapid.T) {
	m.putNode(t, &outrank.Node{
		Name: m.nodeName(t), Allocatable: resource.MustList("cpu", "2", "pods", "4"), Unschedulable: rapid.Bool().Draw(t, "cordoned"), Labels: zone(t),
	})
}

func (m *machine) RemovePod(t *rapid.T) {
	key := m.podKey(t)
	err := m.snap.RemovePod(key)
	if _, ok := m.pods[key]; !ok {
		require.ErrorIs(t, err, preemption.ErrNotFound)
		return
	}
	require.NoError(t, err)
	delete(m.pods, key)
	delete(m.running, key)
	delete(m.waiting, key)
}

func (m *machine) Bind(t *rapid.T) {
	key, node := m.podKey(t), m.nodeName(t)
	if m.checkPending(t, m.snap.Bind(key, node), key, node) {
		delete(m.waiting, key)
		m.running[key] = node
	}
}

func (m *machine) Nominate(t *rapid.T) {
	key := m.podKey(t)
	node := ""
	if rapid.Bool().Draw(t, "somewhere") {
		node = m.nodeName(t)
	}
	if m.checkPending(t, m.snap.Nominate(key, node), key, node) {
		m.waiting[key] = node
	}
}

// checkPending holds the error of Bind and Nominate to the rules, and reports
// whether there must be none.
func (m *machine) checkPending(t *rapid.T, err error, key outrank.Key, node string) bool {
	_, known := m.pods[key]
	_, running := m.running[key]
	switch {
	case !known || !running && node != "" && !m.has(node):
		require.ErrorIs(t, err, preemption.ErrNotFound)
	case running:
		require.ErrorIs(t, err, preemption.ErrState)
	default:
		require.NoError(t, err)
		return true
	}
	return false
}

// zone draws the zone of a node, if it has one.
func zone(t *rapid.T) map[string]string {
	return rapid.SampledFrom([]map[string]string{nil, {"zone": "z1"}, {"zone": "z2"}}).Draw(t, "zone")
}

func (m *machine) AddNode(t *rapid.T) {
	n := &outrank.Node{Name: rapid.SampledFrom([]string{"ghost", "fresh", "n0", "n1"}).Draw(t, "name"), Allocatable: resource.MustList("cpu", "1", "pods", "5"), Labels: zone(t)}
	m.putNode(t, n)
}

func (m *machine) RemoveNode(t *rapid.T) {
	name := m.nodeName(t)
	err := m.snap.RemoveNode(name)
	if !m.has(name) {
		require.ErrorIs(t, err, preemption.ErrNotFound)
		return
	}
	require.NoError(t, err)
	m.nodes = slices.DeleteFunc(m.nodes, func(n *outrank.Node) bool { return n.Name == name })
}

func (m *machine) SetBudgets(t *rapid.T) {
	var budgets []*outrank.PodDisruptionBudget
	for _, b := range m.budgets {
		switch rapid.SampledFrom([]string{"same", "same", "status", "selector", "gone"}).Draw(t, "budget") {
		case "gone":
			continue
		case "status":
			other := *b
			other.DisruptionsAllowed = rapid.Int32Range(0, 2).Draw(t, "allowed")
			b = &other
		case "selector":
			other := *b
			other.Selector = &outrank.LabelSelector{MatchLabels: map[string]string{"app": rapid.SampledFrom([]string{"a", "b", "new"}).Draw(t, "app")}}
			b = &other
		}
		budgets = append(budgets, b)
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2, 20}).Draw(t, "more") {
		m.serial++
		b := &outrank.PodDisruptionBudget{Name: fmt.Sprint("set", m.serial), Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "a"}}}
		at := len(budgets)
		if rapid.Bool().Draw(t, "between") {
			at = rapid.IntRange(0, at).Draw(t, "at")
		}
		budgets = slices.Insert(budgets, at, b)
	}
	if rapid.IntRange(0, 4).Draw(t, "order") == 0 {
		slices.Reverse(budgets)
	}
	m.budgets = budgets
	require.NoError(t, setBudgets(m.snap, m.budgets))
}

func (m *machine) Mark(*rapid.T) {
	d := dump(m.snap)
	m.past = append(m.past, moment{mark: m.snap.Mark(), dump: d, m: m.copy()})
}

func (m *machine) Undo(t *rapid.T) {
	if len(m.past) == 0 {
		require.ErrorIs(t, m.snap.Undo(engine.Mark{}), engine.ErrMark)
		return
	}
	i := rapid.IntRange(0, len(m.past)-1).Draw(t, "mark")
	was, later := m.past[i], m.past[i+1:]
	require.NoError(t, m.snap.Undo(was.mark))
	if diff := testdiff.Diff(was.dump, dump(m.snap)); diff != "" {
		t.Fatalf("Undo (-marked +undone):\n%s", diff)
	}
	for _, used := range append(later, was) {
		require.ErrorIs(t, m.snap.Undo(used.mark), engine.ErrMark)
		require.ErrorIs(t, m.snap.Keep(used.mark), engine.ErrMark)
	}
	m.past = m.past[:i]
	m.restore(was.m)
}

func (m *machine) Keep(t *rapid.T) {
	if len(m.past) == 0 {
		return
	}
	i := rapid.IntRange(0, len(m.past)-1).Draw(t, "mark")
	before := dump(m.snap)
	require.NoError(t, m.snap.Keep(m.past[i].mark))
	require.Equal(t, before, dump(m.snap))
	require.ErrorIs(t, m.snap.Undo(m.past[i].mark), engine.ErrMark)
	m.past = m.past[:i]
	if i == 0 {
		require.Empty(t, stateOf(m.snap).Journal.Steps, "nothing is recorded without a mark")
	}
}

// Clone leaves a copy behind that must stay as it is, and sometimes continues
// with the copy instead.
func (m *machine) Clone(t *rapid.T) {
	other := m.snap.Clone()
	require.Equal(t, dump(m.snap), dump(other))
	if len(m.past) == 0 && rapid.Bool().Draw(t, "swap") {
		m.snap, other = other, m.snap
	}
	m.clones = append(m.clones, moment{dump: dump(other), snap: other})
}

// Scratch changes a scratch, by any of the other steps, while the snapshot stays as it is. The
// scratch equals a snapshot that is built anew all the while.
func (m *machine) Scratch(t *rapid.T) {
	before := dump(m.snap)
	v := m.copy()
	v.snap, v.past, v.delivered = m.snap.Scratch(), nil, nil
	require.Equal(t, before, dump(v.snap))
	steps := rapid.StateMachineActions(&v)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(steps)), func(name string) bool {
		return name == "" || name == "Scratch" || name == "Clone" || name == "Redeliver"
	})
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		steps[rapid.SampledFrom(names).Draw(t, "step")](t)
		v.Check(t)
	}
	if diff := testdiff.Diff(before, dump(m.snap)); diff != "" {
		t.Fatalf("a change of a scratch changed the snapshot (-before +after):\n%s", diff)
	}
	m.serial = v.serial
}

// Check runs after every step.
func (m *machine) Check(t *rapid.T) {
	if diff := testdiff.Diff(dump(m.fresh(t)), dump(m.snap)); diff != "" {
		t.Fatalf("snapshot (-built anew +changed in place):\n%s", diff)
	}
	for _, c := range m.clones {
		if diff := testdiff.Diff(c.dump, dump(c.snap)); diff != "" {
			t.Fatalf("a clone changed (-then +now):\n%s", diff)
		}
	}
	if len(m.past) == 0 {
		require.Empty(t, stateOf(m.snap).Journal.Steps)
	}
}

// fresh builds a snapshot of what the machine contains.
func (m *machine) fresh(t *rapid.T) *engine.Snapshot {
	s, err := engine.NewSnapshot(&outrank.Cluster{
		Release: m.snap.Release(), Budgets: m.budgets, Groups: m.groups, Composites: m.composites, Namespaces: slices.Collect(maps.Values(m.namespaces)),
	})
	require.NoError(t, err)
	stateOf(s).Columns = stateOf(m.snap).Columns // chosen by what there was at the start
	for _, n := range m.nodes {
		require.NoError(t, s.PutNode(n))
	}
	for key, p := range m.pods {
		stateOf(s).Put(stateOf(s).NewPodState(p, m.running[key], m.waiting[key], stateOf(s).ClassOf(p)))
	}
	return s
}

// After any changes a snapshot equals a new one with the same content. Undo
// restores it exactly, nested marks included, and a clone does not change.
func TestPropertyUndoAndClone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(gen.Cluster(gen.Shape{Nodes: 3, PodsPerNode: 3, Budgets: 3, Nominated: 3, Groups: 3, Units: true, Affinity: true, Ports: true, Volumes: true}).Draw(t, "cluster"))
		t.Repeat(rapid.StateMachineActions(m))
	})
}

func TestSnapshotQueries(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "b"}, {Name: "a"}},
		Pods: []*outrank.Pod{
			{Name: "x", NodeName: "a", Containers: []outrank.Container{{Requests: resource.MustList("cpu", "100m", "memory", "8E", "example.com/gpu", "2", "storage", "1")}}},
			{Name: "y", NodeName: "a", Priority: outrank.Priority(1), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "150m", "memory", "8E")}}},
			{Name: "z", NominatedNodeName: "b"}, {Name: "w", Phase: outrank.PhaseFailed, NodeName: "a"},
			{Name: "lost", NodeName: "gone"},
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "p"}},
	}
	s, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	var names []string
	for n := range s.Nodes() {
		names = append(names, n.Name)
	}
	assert.Equal(t, []string{"b", "a"}, names, "in the caller's order")
	for range s.Nodes() {
		break // stopping early is fine
	}
	assert.Equal(t, 2, s.NumNodes())
	assert.Equal(t, []*outrank.Pod{c.Pods[1], c.Pods[0]}, s.PodsOn("a"), "by importance")
	assert.Equal(t, []*outrank.Pod{c.Pods[2]}, s.NominatedTo("b"))
	assert.Nil(t, s.PodsOn("nowhere"))
	assert.Nil(t, s.NominatedTo("nowhere"))
	assert.Equal(t, "a", s.NodeOf("default/x"))
	assert.Equal(t, "", s.NodeOf("default/z"))
	assert.Equal(t, "b", s.NominationOf("default/z"))
	assert.Equal(t, "", s.NominationOf("default/nobody"))
	assert.Equal(t, "gone", s.NodeOf("default/lost"))
	_, ok := s.Pod("default/w")
	assert.False(t, ok, "a finished pod is not there")
	_, ok = s.Node("gone")
	assert.False(t, ok, "pods naming it do not make a node")
	p, ok := s.Pod("default/x")
	assert.True(t, ok && p == c.Pods[0])
	assert.Equal(t, c.Budgets, slices.Collect(s.Budgets()))
	for _, used := range []struct {
		name resource.Name
		want int64
	}{
		{"cpu", 250}, {"example.com/gpu", 2}, {"pods", 2}, {"ephemeral-storage", 0}, {"example.com/fpga", 0},
		{"memory", math.MaxInt64}, // saturates
		{"storage", 0},            // no node accounts for it
	} {
		assert.Equal(t, used.want, s.Used("a", used.name), "%s", used.name)
	}
	assert.Zero(t, s.Used("nowhere", "cpu"))
	// What saturated is exact again when the rest goes.
	require.NoError(t, s.RemovePod("default/y"))
	assert.Equal(t, resource.Amount("memory", resource.MustParse("8E")), s.Used("a", "memory"))
}

func TestSnapshotRefuses(t *testing.T) {
	_, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}, {Name: "n"}, {}}, Pods: []*outrank.Pod{nil}})
	var invalid *outrank.InputError
	require.ErrorAs(t, err, &invalid)
	assert.Len(t, invalid.Problems, 3, "every problem at once: %v", err)

	s, err := engine.NewSnapshot(nil)
	require.NoError(t, err, "no cluster is an empty one")
	assert.ErrorIs(t, s.PutNode(&outrank.Node{}), outrank.ErrInvalid)
	assert.ErrorIs(t, s.PutNode(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, errOf(s.PutPod(nil)), outrank.ErrInvalid)
	assert.ErrorIs(t, errOf(s.PutPod(&outrank.Pod{Name: "p", Overhead: resource.MustList("cpu", "-1")})), outrank.ErrInvalid)
	assert.ErrorIs(t, s.PutBudget(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, s.PutGroup(nil), outrank.ErrInvalid)
	assert.ErrorIs(t, s.Apply(nil), outrank.ErrInvalid)
	assert.ErrorContains(t, s.RemovePod("default/p"), "pod default/p: not found")
	other, err := engine.NewSnapshot(nil)
	require.NoError(t, err)
	assert.ErrorIs(t, s.Undo(other.Mark()), engine.ErrMark, "a mark is of one snapshot")
}

func TestApplyChecksFirst(t *testing.T) {
	victim := &outrank.Pod{Name: "v", NodeName: "n"}
	newSnap := func() *engine.Snapshot {
		s, err := engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}, {Name: "m"}}, Pods: []*outrank.Pod{victim, {Name: "other", NodeName: "m"}}})
		require.NoError(t, err)
		return s
	}
	preemptor := &outrank.Pod{Name: "p"}
	for name, plan := range map[string]*preemption.Plan{
		"nothing to carry out":       {Outcome: preemption.NothingHelps, Pod: preemptor},
		"no node where it fits":      {Outcome: preemption.Fits, Pod: preemptor},
		"no such node":               {Outcome: preemption.Preempts, Pod: preemptor, Candidate: preemption.Candidate{Node: "x"}},
		"a victim that is not there": {Outcome: preemption.Preempts, Pod: preemptor, Candidate: preemption.Candidate{Node: "n", Victims: []preemption.Victim{{Pod: victim}, {Pod: &outrank.Pod{Name: "gone"}}}}},
		"a victim of another node":   {Outcome: preemption.Preempts, Pod: preemptor, Candidate: preemption.Candidate{Node: "m", Victims: []preemption.Victim{{Pod: victim}}}},
		"a preemptor that runs":      {Outcome: preemption.Preempts, Pod: &outrank.Pod{Name: "other"}, Candidate: preemption.Candidate{Node: "n", Victims: []preemption.Victim{{Pod: victim}}}},
		"a preemptor without a name": {Outcome: preemption.Preempts, Pod: &outrank.Pod{}, Candidate: preemption.Candidate{Node: "n"}},
	} {
		s := newSnap()
		before := dump(s)
		assert.Error(t, s.Apply(plan), name)
		assert.Equal(t, before, dump(s), "%s: nothing changed", name)
	}
	s := newSnap()
	require.NoError(t, s.Apply(&preemption.Plan{Outcome: preemption.Preempts, Pod: preemptor, Candidate: preemption.Candidate{Node: "n", Victims: []preemption.Victim{{Pod: victim}, {Pod: victim}}}}))
	assert.Empty(t, s.PodsOn("n"), "a victim named twice leaves once")
}
