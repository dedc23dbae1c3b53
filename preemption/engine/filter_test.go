package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// slots is a filter with a memory: so many pods of the app per node. It says
// what an extended resource of which each of these pods requests 1 would say.
type slots struct {
	app   string
	limit int
}

func (f slots) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Slots", Start: f.start}
}

func (f slots) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if pod.Labels["app"] != f.app {
		return nil, nil
	}
	s := &slotState{slots: f, taken: map[string]int{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.Add(p, n)
		}
	}
	return s, nil
}

type slotState struct {
	slots
	taken map[string]int
}

func (s *slotState) Check(n *outrank.Node) preemption.Status {
	if s.taken[n.Name] >= s.limit {
		return preemption.Unschedulable.Because("no slot")
	}
	return preemption.Status{}
}

func (s *slotState) count(p *outrank.Pod, n *outrank.Node, by int) {
	if p.Labels["app"] == s.app {
		s.taken[n.Name] += by
	}
}

func (s *slotState) Add(p *outrank.Pod, n *outrank.Node)    { s.count(p, n, 1) }
func (s *slotState) Remove(p *outrank.Pod, n *outrank.Node) { s.count(p, n, -1) }

func (s *slotState) Clone() preemption.FilterState {
	return &slotState{s.slots, maps.Clone(s.taken)}
}

// withSlots returns the same rule in terms of a resource.
func withSlots(c *outrank.Cluster, p *outrank.Pod, f slots) (*outrank.Cluster, *outrank.Pod) {
	const name = "example.com/slot"
	ask := func(p *outrank.Pod) *outrank.Pod {
		if p.Labels["app"] != f.app {
			return p
		}
		q := *p
		q.Containers = append(slices.Clip(p.Containers), outrank.Container{Name: "slot", Requests: resource.MustList(name, "1")})
		return &q
	}
	out := *c
	out.Nodes, out.Pods = nil, nil
	for _, n := range c.Nodes {
		m := *n
		m.Allocatable = n.Allocatable.Plus(resource.MustList(name, fmt.Sprint(f.limit)))
		out.Nodes = append(out.Nodes, &m)
	}
	for _, p := range c.Pods {
		out.Pods = append(out.Pods, ask(p))
	}
	return &out, ask(p)
}

func TestPropertyOwnFilterTakesPart(t *testing.T) {
	t.Parallel()
	shape := gen.Shape{Budgets: 3, Nominated: 3, Taints: true}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		p := gen.Preemptor(shape).Draw(t, "preemptor")
		for _, running := range c.Pods {
			running.ResizeInfeasible = false // its spec would not count, the slot included
		}
		f := slots{app: p.Labels["app"], limit: rapid.IntRange(1, 3).Draw(t, "limit")}
		e := newEvaluator(t, preemption.Config{
			Filters: []*preemption.Filter{f.filter()},
		}).Parallel(rapid.IntRange(1, 3).Draw(t, "workers"))
		got, err := e.Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		byResource, asking := withSlots(c, p, f)
		want := explain(t, byResource, asking)
		if diff := testdiff.Diff(victims(want), victims(got)); diff != "" {
			t.Fatalf("candidates (-by resource +by filter):\n%s", diff)
		}
		if len(got.Candidates) > 0 && got.Outcome == preemption.Preempts {
			if diff := testdiff.Diff(got.Candidates[0], got.Candidate); diff != "" {
				t.Fatalf("the plan (-best candidate +chosen):\n%s", diff)
			}
		}
		for i, n := range want.Nodes {
			if n.Status.Code != got.Nodes[i].Status.Code {
				t.Fatalf("node %s: %s by resource, %s by filter", n.Node, n.Status, got.Nodes[i].Status)
			}
		}
	})
}

func victims(ex *preemption.Plan) []string {
	var out []string
	for _, c := range ex.Candidates {
		out = append(out, fmt.Sprint(c.Node, c.Victims, c.Score))
	}
	return out
}

func TestOwnFilterStatuses(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{
		{Name: "a", Allocatable: resource.MustList("pods", "9")}, {Name: "b", Allocatable: resource.MustList("pods", "9")},
		{Name: "c", Allocatable: resource.MustList("pods", "9")}, {Name: "d", Allocatable: resource.MustList("pods", "9")},
	}, Pods: []*outrank.Pod{{Name: "low", NodeName: "d", Priority: outrank.Priority(-1)}}}
	rule := &preemption.Filter{Name: "Mood", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
		return map[string]preemption.Status{
			"a": {Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{"no", "never"}},
			"b": {Code: "nonsense", Reasons: []string{"beyond all codes"}},
			"c": {Code: preemption.Unschedulable},
			"d": {Code: preemption.Unschedulable, Filter: "somebody else", Reasons: []string{"not now"}},
		}[n.Name]
	}}
	e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{slots{app: "other"}.filter(), rule}})
	ex, err := e.Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
	require.NoError(t, err)
	want := []preemption.NodeReport{
		{Node: "a", Status: preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: "Mood", Reasons: []string{"no", "never"}}},
		{Node: "b", Status: preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: "Mood", Reasons: []string{"beyond all codes"}}},
		{
			Node: "c", Status: preemption.Status{Code: preemption.Unschedulable, Filter: "Mood"},
			AfterRemoval: &preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Reasons: []string{"No preemption victims found for incoming pod"}},
		},
		{
			Node: "d", Status: preemption.Status{Code: preemption.Unschedulable, Filter: "Mood", Reasons: []string{"not now"}},
			AfterRemoval: &preemption.Status{Code: preemption.Unschedulable, Filter: "Mood", Reasons: []string{"not now"}},
		},
	}
	if diff := testdiff.Diff(want, ex.Nodes); diff != "" {
		t.Errorf("Nodes (-want +got):\n%s", diff)
	}
	assert.Len(t, ex.TurnedDown, 4, "each kind of status is counted apart")
}

// contrary fails until something was taken away and put back.
type contrary struct{ touched *bool }

func (f contrary) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Contrary", Start: f.start}
}
func (f contrary) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return f, nil
}
func (f contrary) Check(*outrank.Node) preemption.Status {
	if *f.touched {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unschedulable}
}
func (f contrary) Add(*outrank.Pod, *outrank.Node)    { *f.touched = true }
func (f contrary) Remove(*outrank.Pod, *outrank.Node) { *f.touched = true }
func (f contrary) Clone() preemption.FilterState      { return f }

func TestFilterThatContradictsItself(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}},
		Pods:  []*outrank.Pod{{Name: "low", NodeName: "n", Priority: outrank.Priority(-1)}},
	}
	e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{contrary{new(bool)}.filter()}})
	plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome, "there is no victim to name")
	assert.Equal(t, []preemption.Count{{Nodes: 1, Status: preemption.Status{
		Code: preemption.Contradiction, Reasons: []string{`expected at least one victim pod on node "n"`},
	}}}, plan.Unhelpful)
	assert.EqualError(t, plan.Err(), `expected at least one victim pod on node "n"`)
}

// The first answer of the nominated node in an attempt decides whether the pod waits there
// (rule 8.3): a filter that says something else after a dry run is not asked again.
func TestNominatedNodeCountsAsItFirstAnswered(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "9")}},
		Pods: []*outrank.Pod{{
			Name: "low", NodeName: "n", Priority: outrank.Priority(-1), DeletionTimestamp: gen.Now, DisruptionReason: outrank.PreemptionByScheduler,
		}},
	}
	for _, workers := range []int{1, 2} {
		e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{contrary{new(bool)}.filter()}}).Parallel(workers)
		plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p", NominatedNodeName: "n"}, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, preemption.NotEligible, plan.Outcome)
		assert.Equal(t, preemption.VictimsTerminating, plan.Ineligible)
	}
}

// contraryNodes takes a pod on a node only after somebody was removed from that.
type contraryNodes map[string]bool

func (f contraryNodes) filter() *preemption.Filter {
	return &preemption.Filter{Name: "contrary", Start: f.start}
}
func (f contraryNodes) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return contraryNodes{}, nil
}
func (f contraryNodes) Check(n *outrank.Node) preemption.Status {
	if f[n.Name] {
		return preemption.Status{}
	}
	return preemption.Status{Code: preemption.Unschedulable}
}
func (f contraryNodes) Add(*outrank.Pod, *outrank.Node)        {}
func (f contraryNodes) Remove(_ *outrank.Pod, n *outrank.Node) { f[n.Name] = true }
func (f contraryNodes) Clone() preemption.FilterState          { return maps.Clone(f) }

// Contradictions are an error where there is nothing else to choose, in the order of
// their texts (rule 8.12).
func TestContradictionsAreAnError(t *testing.T) {
	c := &outrank.Cluster{}
	for _, name := range []string{"n2", "n1"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("pods", "9")})
		c.Pods = append(c.Pods, &outrank.Pod{Name: "low-" + name, NodeName: name, Priority: outrank.Priority(-1)})
	}
	mine := preemption.Config{Filters: []*preemption.Filter{contraryNodes{}.filter()}}
	plan, err := newEvaluator(t, mine).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
	require.NoError(t, err)
	assert.EqualError(t, plan.Err(), `[expected at least one victim pod on node "n1", expected at least one victim pod on node "n2"]`)
	c.Nodes = append(c.Nodes, &outrank.Node{Name: "full", Allocatable: resource.MustList("pods", "0")})
	plan, err = newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p", Priority: outrank.Priority(-9)}, Now: gen.Now})
	require.NoError(t, err)
	assert.NoError(t, plan.Err(), "it fits")
}

// breaking turns every node down as things are and breaks on some once somebody has left.
type breaking struct {
	on   map[string]bool
	left map[string]bool
}

func (f breaking) filter() *preemption.Filter {
	return &preemption.Filter{Name: "broken", Start: f.start}
}
func (f breaking) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return breaking{f.on, map[string]bool{}}, nil
}
func (f breaking) Check(n *outrank.Node) preemption.Status {
	switch {
	case !f.left[n.Name]:
		return preemption.Unschedulable.Because("no")
	case f.on[n.Name]:
		return preemption.Contradiction.Because("out of order")
	}
	return preemption.UnschedulableAndUnresolvable.Because("never")
}
func (f breaking) Add(*outrank.Pod, *outrank.Node)        {}
func (f breaking) Remove(_ *outrank.Pod, n *outrank.Node) { f.left[n.Name] = true }
func (f breaking) Clone() preemption.FilterState          { return breaking{f.on, maps.Clone(f.left)} }

// A filter that breaks in a dry run is the error that preemption ends in (rule 8.12), and no
// answer about the node.
func TestFilterThatBreaks(t *testing.T) {
	c := &outrank.Cluster{}
	for _, name := range []string{"n1", "n2"} {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: resource.MustList("pods", "9")})
		c.Pods = append(c.Pods, &outrank.Pod{Name: "low-" + name, NodeName: name, Priority: outrank.Priority(-1)})
	}
	for _, on := range []map[string]bool{{"n2": true}, {"n1": true, "n2": true}, {}} {
		mine := preemption.Config{Filters: []*preemption.Filter{breaking{on: on}.filter()}}
		ex, err := newEvaluator(t, mine).Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
		require.NoError(t, err)
		plan, err := newEvaluator(t, mine).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, preemption.NothingHelps, plan.Outcome)
		assert.Equal(t, on["n2"], ex.Nodes[1].AfterRemoval.Code == preemption.Contradiction)
		if len(on) == 0 {
			assert.NoError(t, plan.Err())
			continue
		}
		assert.EqualError(t, plan.Err(), "out of order")
		assert.EqualError(t, ex.Err(), "out of order")
	}
}

type failing struct{}

func (f failing) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Slots", Start: f.start}
}

func (failing) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return nil, errors.New("no licence server")
}

func TestFilterThatCannotStart(t *testing.T) {
	e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{failing{}.filter()}})
	_, err := e.Preempt(context.Background(), newSnapshot(t, &outrank.Cluster{}), preemption.Request{Pod: &outrank.Pod{Name: "p"}, Now: gen.Now})
	assert.EqualError(t, err, "filter Slots: pod default/p: no licence server")
}

func TestConfigValidate(t *testing.T) {
	takes := func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }
	_, err := engine.New(preemption.Config{
		Filters: []*preemption.Filter{
			nil, {Node: takes}, {Name: "NodePorts", Node: takes}, {Name: "mine", Node: takes}, {Name: "mine", Node: takes},
			{Name: "nothing"}, {Name: "both", Node: takes, Start: slots{}.start},
			{Name: "key", Start: slots{}.start, Key: (*outrank.Pod).NamespaceName}, {Name: "concerns", Node: takes, Concerns: (*outrank.Pod).Terminating},
		},
	})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, `preemption config: Filters[0]: missing
preemption config: Filters[1].Name: missing
preemption config: Filters[2].Name: there is another filter of the name "NodePorts"
preemption config: Filters[4].Name: there is another filter of the name "mine"
preemption config: Filters[5]: has neither a Node nor a Start
preemption config: Filters[6]: has a Node and a Start; it is asked by one of them
preemption config: Filters[7].Key: set, and there is no Node whose answers it could tell apart
preemption config: Filters[8].Concerns: set, and a Node is told of no pods`)
}
