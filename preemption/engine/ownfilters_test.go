package engine_test

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// quota is a filter with a memory: so many pods with a label per node. It says
// what an extended resource would say of which each of these pods requests 1.
type quota struct {
	name, label, value string
	limit              int
}

func (q quota) filter() *preemption.Filter {
	return &preemption.Filter{Name: q.name, Start: q.start}
}

func (q quota) picks(p *outrank.Pod) bool { return q.label == "" || p.Labels[q.label] == q.value }

func (q quota) start(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	if !q.picks(pod) {
		return nil, nil
	}
	s := &quotaState{q, map[string]int{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.Add(p, n)
		}
	}
	return s, nil
}

type quotaState struct {
	quota
	taken map[string]int
}

func (s *quotaState) Check(n *outrank.Node) preemption.Status {
	if s.taken[n.Name] >= s.limit {
		return preemption.Unschedulable.Because("quota of " + s.name)
	}
	return preemption.Status{}
}

func (s *quotaState) count(p *outrank.Pod, n *outrank.Node, by int) {
	if s.picks(p) {
		s.taken[n.Name] += by
	}
}

func (s *quotaState) Add(p *outrank.Pod, n *outrank.Node)    { s.count(p, n, 1) }
func (s *quotaState) Remove(p *outrank.Pod, n *outrank.Node) { s.count(p, n, -1) }
func (s *quotaState) Clone() preemption.FilterState          { return &quotaState{s.quota, maps.Clone(s.taken)} }

// withQuotas returns the same rules in terms of resources.
func withQuotas(c *outrank.Cluster, p *outrank.Pod, quotas []quota) (*outrank.Cluster, *outrank.Pod) {
	name := func(i int) string { return fmt.Sprint("example.com/quota", i) }
	ask := func(p *outrank.Pod) *outrank.Pod {
		l := resource.List{}
		for i, q := range quotas {
			if q.picks(p) {
				l[resource.Name(name(i))] = resource.New(1)
			}
		}
		q := *p
		// The status says the same, which counts in its place from v1.37 on.
		q.Containers = append(slices.Clip(p.Containers), outrank.Container{Name: "quota", Requests: l, AllocatedResources: l, Actual: l})
		if p.AllocatedResources != nil && p.Actual != nil {
			q.AllocatedResources, q.Actual = p.AllocatedResources.Plus(l), p.Actual.Plus(l)
		}
		return &q
	}
	out := *c
	out.Nodes, out.Pods = nil, nil
	for _, n := range c.Nodes {
		m := *n
		for i, q := range quotas {
			m.Allocatable = m.Allocatable.Plus(resource.MustList(name(i), fmt.Sprint(q.limit)))
		}
		out.Nodes = append(out.Nodes, &m)
	}
	for _, p := range c.Pods {
		out.Pods = append(out.Pods, ask(p))
	}
	return &out, ask(p)
}

// watchful is a filter that lets everything pass, and notes where a pod is taken
// away that is not there, or put back that is.
type watchful struct {
	name  string
	mu    *sync.Mutex
	wrong *[]string
}

func (f watchful) filter() *preemption.Filter {
	return &preemption.Filter{Name: f.name, Start: f.start}
}

func (f watchful) start(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
	s := &watchfulState{f, map[string]bool{}}
	for n := range view.Nodes() {
		for _, p := range view.PodsOn(n.Name) {
			s.there[n.Name+" "+string(p.Key())] = true
		}
	}
	return s, nil
}

type watchfulState struct {
	watchful
	there map[string]bool
}

func (s *watchfulState) Check(*outrank.Node) preemption.Status { return preemption.Status{} }

func (s *watchfulState) expect(p *outrank.Pod, n *outrank.Node, there bool) {
	at := n.Name + " " + string(p.Key())
	if s.there[at] != there {
		s.mu.Lock()
		*s.wrong = append(*s.wrong, fmt.Sprintf("%s: %s is there: %v", s.name, at, !there))
		s.mu.Unlock()
	}
	s.there[at] = !there
}

func (s *watchfulState) Add(p *outrank.Pod, n *outrank.Node)    { s.expect(p, n, false) }
func (s *watchfulState) Remove(p *outrank.Pod, n *outrank.Node) { s.expect(p, n, true) }
func (s *watchfulState) Clone() preemption.FilterState {
	return &watchfulState{s.watchful, maps.Clone(s.there)}
}

// drawQuotas draws one to three rules that have something to say about a pod.
func drawQuotas(t *rapid.T, p *outrank.Pod) []quota {
	var quotas []quota
	for i := range rapid.IntRange(1, 3).Draw(t, "quotas") {
		q := quota{name: fmt.Sprint("Quota", i), limit: rapid.IntRange(1, 4).Draw(t, "limit")}
		if q.label = rapid.SampledFrom([]string{"app", "tier", ""}).Draw(t, "label"); q.label != "" {
			q.value = p.Labels[q.label]
		}
		quotas = append(quotas, q)
	}
	return quotas
}

// With one, two and three filters of the caller, Preempt and Explain decide
// what the book decides with the same rules in terms of resources,
// and the filters are told of every pod that is removed and added.
func TestPropertyOwnFiltersDecide(t *testing.T) {
	t.Parallel()
	for name, shape := range map[string]gen.Shape{
		"resources": {Budgets: 3, Taints: true},
		"nominated": {Budgets: 3, Nominated: 3},
		"ports":     {Nodes: 4, Ports: true},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shape).Draw(t, "cluster")
				p := gen.Preemptor(shape).Draw(t, "preemptor")
				quotas := drawQuotas(t, p)
				checkQuotas(t, c, p, quotas, rapid.IntRange(0, 2).Draw(t, "watchful"))
			})
		})
	}
}

func checkQuotas(t fataler, c *outrank.Cluster, p *outrank.Pod, quotas []quota, watching int) {
	t.Helper()
	byResource, asker := withQuotas(c, p, quotas)
	book := func(decide func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error)) answer {
		plan, err := decide(byResource, preemption.Request{Pod: asker, Now: gen.Now}, preemption.Config{})
		require.NoError(t, err)
		return choiceOf(answered(plan))
	}
	var wrong []string
	var filters []*preemption.Filter
	for i, q := range quotas {
		if i < watching {
			filters = append(filters, watchful{fmt.Sprint("Watchful", i), &sync.Mutex{}, &wrong}.filter())
		}
		filters = append(filters, q.filter())
	}
	snap := newSnapshot(t, c)
	for _, workers := range []int{1, 3} {
		e := newEvaluator(t, preemption.Config{Filters: filters}).Parallel(workers)
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if diff := testdiff.Diff(book(preemption.Preempt), choiceOf(answered(plan))); diff != "" {
			t.Fatalf("%d filters, %d workers (-book +Preempt):\n%s", len(filters), workers, diff)
		}
		ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if diff := testdiff.Diff(book(preemption.Explain), choiceOf(answered(ex))); diff != "" {
			t.Fatalf("%d filters, %d workers (-book +Explain):\n%s", len(filters), workers, diff)
		}
	}
	require.Empty(t, wrong, "what filters were told")
}

// choiceOf returns an answer without the statuses of nodes, because those name
// the filters.
func choiceOf(a answer) answer {
	sum := func(counts map[string]int) map[string]int {
		nodes := 0
		for _, n := range counts {
			nodes += n
		}
		return map[string]int{"nodes": nodes}
	}
	a.TurnedDown, a.Unhelpful = sum(a.TurnedDown), sum(a.Unhelpful)
	return a
}

// Each of three filters keeps another pod from coming back. A node is looked at
// twice, first with all pods of lower priority removed and then for the
// victims, and all filters have to see the same pods both times.
func TestOwnFiltersSeeEverybodyComeBack(t *testing.T) {
	tier := func(name string) with { return func(p *outrank.Pod) { p.Labels[name] = "yes" } }
	c := &outrank.Cluster{}
	for _, name := range []string{"n1", "n2", "n3"} {
		c.Nodes = append(c.Nodes, node(name, "6", "z"))
		for i, label := range []string{"red", "green", "blue", "red", "green", "blue"} {
			c.Pods = append(c.Pods, pod(fmt.Sprint(name, "-", label, i), int32(10+i), "1", on(name), tagged("app", "x"), tier(label)))
		}
	}
	p := pod("p", 100, "1", tagged("red", "yes", "green", "yes", "blue", "yes"))
	all := []quota{
		{name: "Red", label: "red", value: "yes", limit: 2}, {name: "Green", label: "green", value: "yes", limit: 2},
		{name: "Blue", label: "blue", value: "yes", limit: 1},
	}
	for _, quotas := range [][]quota{all[:1], all[1:2], all[2:], all[:2], all[1:], all, {all[2], all[1], all[0]}, {all[1], all[2], all[0]}} {
		for watching := range 3 {
			checkQuotas(t, c, p, quotas, watching)
		}
	}
}

// single is a filter whose states note where two goroutines use one at a time.
type single struct{ wrong *atomic.Int64 }

func (f single) filter() *preemption.Filter {
	return &preemption.Filter{Name: "Single", Start: f.start}
}
func (f single) start(*outrank.Pod, preemption.View) (preemption.FilterState, error) {
	return &singleState{single: f}, nil
}

type singleState struct {
	single
	using atomic.Int64
}

func (s *singleState) use() {
	if s.using.Add(1) > 1 {
		s.wrong.Add(1)
	}
	runtime.Gosched()
	s.using.Add(-1)
}

func (s *singleState) Check(*outrank.Node) preemption.Status {
	s.use()
	return preemption.Status{Code: preemption.Unschedulable}
}
func (s *singleState) Add(*outrank.Pod, *outrank.Node)    { s.use() }
func (s *singleState) Remove(*outrank.Pod, *outrank.Node) { s.use() }
func (s *singleState) Clone() preemption.FilterState      { return &singleState{single: s.single} }

// Each of several workers has a state of its own.
func TestOwnFiltersOfSeveralWorkers(t *testing.T) {
	c, p := gen.Benchmark(3000, 1, 0)
	p.Containers = nil // so that every node gets to the filter
	var wrong atomic.Int64
	e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{single{&wrong}.filter()}}).Parallel(4)
	snap := newSnapshot(t, c)
	_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	_, err = e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Zero(t, wrong.Load(), "two goroutines used one state at a time")
}
