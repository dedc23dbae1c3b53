package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
	"github.com/outrank-go/outrank/resource"
)

// registers says which pods are written down.
func registers(p *outrank.Pod) bool { return nameHash(p)%3 > 0 && p.Labels["app"] != "db" }

// registerOf writes down where every such pod is, and in what zone that node is. It counts how often
// that is done anew.
func registerOf(made *int) *preemption.Tracker {
	return &preemption.Tracker{Concerns: registers, New: func() preemption.ClusterState {
		*made++
		return entries{}
	}}
}

type entries map[string]int

func (e entries) change(p *outrank.Pod, n *outrank.Node, by int) {
	at := fmt.Sprint(p.Key(), " on ", n.Name, " in ", n.Labels["zone"], n.Unschedulable)
	if e[at] += by; e[at] == 0 {
		delete(e, at)
	}
}

func (e entries) Add(p *outrank.Pod, n *outrank.Node)    { e.change(p, n, 1) }
func (e entries) Remove(p *outrank.Pod, n *outrank.Node) { e.change(p, n, -1) }
func (e entries) Clone() preemption.ClusterState         { return maps.Clone(e) }
func (e entries) String() string {
	var lines []string
	for at, count := range e {
		lines = append(lines, fmt.Sprint(at, ": ", count))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// attachedMachine changes a snapshot that keeps the state of a tracker, the pods that concern a
// filter, and the answers of a rule.
type attachedMachine struct {
	*machine
	tracker  *preemption.Tracker
	made     int // states of it
	everyone *preemption.Tracker
	filter   *preemption.Filter
	rule     *preemption.Filter
	pod      *outrank.Pod
	others   []attachedClone
}

// attachedClone is a snapshot that nobody changes any more.
type attachedClone struct {
	snap *engine.Snapshot
	then string
}

func (m *attachedMachine) stateOf(s *engine.Snapshot) string {
	return fmt.Sprint(s.Tracked(m.tracker), s.Tracked(m.everyone))
}

func (m *attachedMachine) clone(t *rapid.T) {
	other := m.snap.Clone()
	if len(m.past) == 0 && rapid.Bool().Draw(t, "swap") {
		m.snap, other = other, m.snap
	}
	m.others = append(m.others, attachedClone{other, m.stateOf(other)})
}

func (m *attachedMachine) check(t *rapid.T) {
	if diff := testdiff.Diff(m.stateOf(m.fresh(t)), m.stateOf(m.snap)); diff != "" {
		t.Fatalf("state (-built anew +tracked):\n%s", diff)
	}
	made := m.made
	for _, o := range m.others {
		if diff := testdiff.Diff(o.then, m.stateOf(o.snap)); diff != "" {
			t.Fatalf("the state of a clone changed (-then +now):\n%s", diff)
		}
	}
	require.Equal(t, made, m.made, "what is tracked is not counted again")
	lists := stateOf(m.snap).ConcernedBy(context.Background(), m.filter)
	for _, n := range stateOf(m.snap).NodeStates {
		if n == nil {
			continue
		}
		var want []*state.PodState
		for _, p := range n.Pods {
			if registers(p.Pod) {
				want = append(want, p)
			}
		}
		require.True(t, slices.Equal(want, lists.On(n)), "pods of %s that concern the filter", n.Name)
	}
	m.checkRule(t)
}

// checkRule compares what is kept of a rule with what it says.
func (m *attachedMachine) checkRule(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "ask") > 0 {
		return
	}
	pod := *m.pod
	pod.Labels = map[string]string{"app": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "app")}
	_, table := filters.AnswersOf(m.rule, questionAbout(stateOf(m.snap), &pod))
	failing := 0
	for _, slot := range stateOf(m.snap).Order {
		want := m.rule.Node(&pod, stateOf(m.snap).NodeStates[slot].Node)
		require.Equal(t, want, table.At(slot), stateOf(m.snap).NodeStates[slot].Name)
		if want.Code != preemption.Success {
			failing++
		}
	}
	require.Equal(t, failing, table.Failing)
}

// Whatever happens to a snapshot, the state of a tracker is one that is built anew, as are the lists
// of pods that concern a filter, and what is kept of a rule about nodes is what the rule says.
func TestPropertyTrackedStateFollows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &attachedMachine{machine: newMachine(gen.Cluster(gen.Shape{Nodes: 4, Nominated: 3, Budgets: 2}).Draw(t, "cluster"))}
		m.tracker = registerOf(&m.made)
		m.everyone = &preemption.Tracker{New: func() preemption.ClusterState { return entries{} }}
		m.filter = &preemption.Filter{Concerns: registers}
		require.NotNil(t, m.snap.Tracked(m.tracker))
		m.pod = &outrank.Pod{Name: "asker"}
		m.rule = &preemption.Filter{Name: "Zone", Key: func(p *outrank.Pod) string { return p.Labels["app"] }, Node: func(p *outrank.Pod, n *outrank.Node) preemption.Status {
			if text := n.Labels["zone"] + p.Labels["app"]; len(n.Name)%2 == 0 || text == "z1a" || text == "z2b" {
				return preemption.Unschedulable.Because(text, n.Name)
			}
			return preemption.Status{}
		}}
		t.Repeat(map[string]func(*rapid.T){
			"AddPod": m.AddPod, "RemovePod": m.RemovePod, "Bind": m.Bind, "Nominate": m.Nominate, "UpdatePod": m.UpdatePod,
			"AddNode": m.AddNode, "UpdateNode": m.UpdateNode, "RemoveNode": m.RemoveNode, "SetBudgets": m.SetBudgets,
			"PutPod": m.PutPod, "PutNode": m.PutNode, "PutBudget": m.PutBudget, "Unbind": m.Unbind,
			"Mark": m.Mark, "Undo": m.Undo, "Keep": m.Keep, "Clone": m.clone,
			"": m.check,
		})
	})
}

// askedRule counts the calls of a rule.
type askedRule struct {
	mu    sync.Mutex
	nodes map[string]int
}

func (a *askedRule) check(_ *outrank.Pod, n *outrank.Node) preemption.Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.nodes[n.Name]++
	if n.Unschedulable {
		return preemption.Unschedulable.Because("cordoned")
	}
	return preemption.Status{}
}

// A rule with a key is asked about all nodes once, then about those that changed; in
// clones, too.
func TestKeyedRuleIsAskedOnce(t *testing.T) {
	c, p := gen.Benchmark(100, 5, 2)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	a := askedRule{nodes: map[string]int{}}
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{{Name: "Rule", Key: func(*outrank.Pod) string { return "" }, Node: a.check}}})
	require.NoError(t, err)
	plain, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	decide := func(snap *engine.Snapshot) *preemption.Plan {
		clear(a.nodes)
		var plan *preemption.Plan
		for _, of := range []*outrank.Pod{p, {Name: "other", Priority: outrank.Priority(99), Containers: p.Containers}} {
			plan, err = eval.Preempt(context.Background(), snap, preemption.Request{Pod: of, Now: gen.Now})
			require.NoError(t, err)
		}
		want, err := plain.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, want.Victims, got.Victims)
		return plan
	}
	decide(snap)
	assert.Len(t, a.nodes, 100)
	assert.Equal(t, 100, sum(a.nodes))
	decide(snap)
	assert.Empty(t, a.nodes)
	other := *c.Nodes[7]
	other.Labels = map[string]string{"new": "yes"}
	clone := snap.Clone()
	require.NoError(t, clone.PutNode(&other))
	decide(clone)
	assert.Equal(t, map[string]int{other.Name: 1}, a.nodes)
	decide(snap)
	assert.Empty(t, a.nodes)
	require.NoError(t, snap.RemoveNode(c.Nodes[3].Name))
	require.NoError(t, snap.PutNode(c.Nodes[3]))
	decide(snap)
	assert.Equal(t, map[string]int{c.Nodes[3].Name: 1}, a.nodes)
	// All pods of lower priority away would not do: the rule is not asked.
	large := *p
	large.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "1000")}}
	b := askedRule{nodes: map[string]int{}}
	unkeyed, err := engine.New(preemption.Config{Filters: []*preemption.Filter{{Name: "Rule", Node: b.check}}})
	require.NoError(t, err)
	_, err = unkeyed.Preempt(context.Background(), snap, preemption.Request{Pod: &large, Now: gen.Now})
	require.NoError(t, err)
	assert.Empty(t, b.nodes)
}

func sum(counts map[string]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

// Readers of one snapshot share what is kept.
func TestKeyedRuleAtOnce(t *testing.T) {
	c, p := gen.Benchmark(200, 3, 2)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	rule := &preemption.Filter{Name: "Rule", Key: func(p *outrank.Pod) string { return p.Labels["app"] }, Node: func(p *outrank.Pod, n *outrank.Node) preemption.Status {
		if n.Name[len(n.Name)-1:] == p.Labels["app"] {
			return preemption.Unschedulable.Because(p.Labels["app"])
		}
		return preemption.Status{}
	}}
	eval, err := engine.New(preemption.Config{Filters: []*preemption.Filter{rule, headcount{app: "3", limit: 1}.filter(true)}})
	require.NoError(t, err)
	var all sync.WaitGroup
	problems := make([]error, 8)
	for i := range problems {
		all.Go(func() {
			for at := range 40 {
				q := *p
				q.Labels = map[string]string{"app": fmt.Sprint((at + i) % 10)}
				_, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: &q, Now: gen.Now})
				problems[i] = errors.Join(problems[i], err)
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(problems...))
}

// questionAbout is a question about a pod with the usual filters.
func questionAbout(snap *state.Snapshot, pod *outrank.Pod) *filters.Question {
	q := &filters.Question{Snap: snap, Pod: pod}
	if err := q.Configure(context.Background(), &preemption.Profile{}); err != nil {
		panic(err)
	}
	return q
}
