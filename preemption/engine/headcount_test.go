package engine_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// headcount is a filter about the number of pods of an app on a node: at most so many
// or, where least is set, at least so many. In selective form it says that other apps
// do not concern it.
type headcount struct {
	app   string
	limit int
	least bool
}

func (h headcount) concerns(p *outrank.Pod) bool { return p.Labels["app"] == h.app }

// filter looks the cluster up in a tracker, or counts it by itself.
func (h headcount) filter(tracked bool) *preemption.Filter {
	tracker := &preemption.Tracker{Concerns: h.concerns, New: func() preemption.ClusterState { return heads{} }}
	start := func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		if tracked {
			return &headState{h, view.Tracked(tracker).(heads), heads{}}, nil
		}
		cluster := heads{}
		for n := range view.Nodes() {
			for _, p := range view.PodsOn(n.Name) {
				if h.concerns(p) {
					cluster.Add(p, n)
				}
			}
		}
		return &headState{h, cluster, heads{}}, nil
	}
	return &preemption.Filter{Name: "Headcount", Concerns: h.concerns, Start: start}
}

// heads has the number by node.
type heads map[string]int

func (c heads) Add(_ *outrank.Pod, n *outrank.Node)    { c[n.Name]++ }
func (c heads) Remove(_ *outrank.Pod, n *outrank.Node) { c[n.Name]-- }
func (c heads) Clone() preemption.ClusterState         { return maps.Clone(c) }

type headState struct {
	headcount
	cluster, more heads
}

func (s *headState) Check(n *outrank.Node) preemption.Status {
	count := s.cluster[n.Name] + s.more[n.Name]
	if s.least && count < s.limit || !s.least && count > s.limit {
		return preemption.Unschedulable.Because(fmt.Sprint("not so many: ", count))
	}
	return preemption.Status{}
}

// Add and Remove expect pods of the app alone.
func (s *headState) Add(p *outrank.Pod, n *outrank.Node)    { s.change(p, n, 1) }
func (s *headState) Remove(p *outrank.Pod, n *outrank.Node) { s.change(p, n, -1) }
func (s *headState) change(p *outrank.Pod, n *outrank.Node, by int) {
	if !s.concerns(p) {
		panic("a pod that does not concern the filter: " + p.Name)
	}
	s.more[n.Name] += by
}
func (s *headState) Clone() preemption.FilterState {
	return &headState{s.headcount, s.cluster, maps.Clone(s.more)}
}

// everybody is a headcount that does not say which pods concern it.
func (h headcount) everybody() *preemption.Filter {
	of := h.filter(false)
	start := func(pod *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		state, err := of.Start(pod, view)
		return unselectiveState{state.(*headState)}, err
	}
	return &preemption.Filter{Name: "Everybody", Start: start}
}

type unselectiveState struct{ *headState }

func (s unselectiveState) Add(p *outrank.Pod, n *outrank.Node) {
	if s.concerns(p) {
		s.headState.Add(p, n)
	}
}

func (s unselectiveState) Remove(p *outrank.Pod, n *outrank.Node) {
	if s.concerns(p) {
		s.headState.Remove(p, n)
	}
}
func (s unselectiveState) Clone() preemption.FilterState {
	return unselectiveState{s.headState.Clone().(*headState)}
}

// drawOwnFilters draws filters of the caller: rules about nodes, with keys and without,
// and ones about other pods, of which some have a tracker.
func drawOwnFilters(t *rapid.T) []*preemption.Filter {
	var fs []*preemption.Filter
	draw := func(what string) bool { return rapid.IntRange(0, 2).Draw(t, what) == 0 }
	code := rapid.SampledFrom([]preemption.Code{preemption.Unschedulable, preemption.UnschedulableAndUnresolvable})
	rule := func(what string) func(*outrank.Pod, *outrank.Node) preemption.Status {
		of, code := rapid.IntRange(1, 4).Draw(t, what), code.Draw(t, "code")
		return func(p *outrank.Pod, n *outrank.Node) preemption.Status {
			if (len(n.Name)+int(n.Name[len(n.Name)-1])+len(p.Labels["app"]))%5 < 5-of {
				return preemption.Status{}
			}
			return preemption.Status{Code: code, Reasons: []string{what}}
		}
	}
	if draw("rule") {
		fs = append(fs, &preemption.Filter{Name: "Rule", Node: rule("rule")})
	}
	if draw("selective") {
		fs = append(fs, drawHeadcount(t).filter(rapid.Bool().Draw(t, "tracked")))
	}
	if draw("keyed rule") {
		fs = append(fs, &preemption.Filter{Name: "RuleBy", Key: func(p *outrank.Pod) string { return p.Labels["app"] }, Node: rule("keyed rule")})
	}
	if draw("stateful") {
		fs = append(fs, drawHeadcount(t).everybody())
	}
	return fs
}

func drawHeadcount(t *rapid.T) headcount {
	return headcount{
		app:   rapid.SampledFrom([]string{"web", "db", "0", "1", "2"}).Draw(t, "app"),
		limit: rapid.IntRange(0, 3).Draw(t, "limit"), least: rapid.IntRange(0, 3).Draw(t, "least") == 0,
	}
}

// By the default rules, with filters that say which pods concern them, and with several
// rules about nodes in turn, whose answers one snapshot keeps; also where other filters look at
// pods, where the preemptor asks for more than columns, and where pods leave in groups.
func TestPropertySelectiveFilters(t *testing.T) {
	t.Parallel()
	shapes := []gen.Shape{{Budgets: 3, Ports: true}, gen.Full(), {Groups: 3, Units: true, Budgets: 4, Nominated: 2}}
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Crowd(t)
		apps := []string{"0", "1"}
		if i := rapid.IntRange(-2, len(shapes)-1).Draw(t, "shape"); i >= 0 {
			c, p = gen.Cluster(shapes[i]).Draw(t, "cluster"), gen.Preemptor(shapes[i]).Draw(t, "preemptor")
			apps = []string{"web", "db"}
		}
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		h := headcount{app: rapid.SampledFrom(apps).Draw(t, "app"), limit: rapid.IntRange(0, 2).Draw(t, "limit")}.filter(rapid.Bool().Draw(t, "tracked"))
		var evals []*engine.Evaluator
		rule := func(digit string) *preemption.Filter {
			return &preemption.Filter{Name: "Rule", Key: func(*outrank.Pod) string { return "" }, Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
				if strings.HasSuffix(n.Name, digit) {
					return preemption.Unschedulable.Because(digit)
				}
				return preemption.Status{}
			}}
		}
		for _, fs := range [][]*preemption.Filter{{h}, {rule("1")}, {rule("0")}, {h, rule("2")}, {rule("none")}} {
			eval, err := engine.New(preemption.Config{Filters: fs})
			require.NoError(t, err)
			evals = append(evals, eval.Parallel(rapid.IntRange(1, 2).Draw(t, "workers")))
		}
		for range 3 {
			for i, eval := range evals {
				ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
				require.NoError(t, err)
				got, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
				require.NoError(t, err)
				want := *plantest.Unexplained(ex)
				if diff := testdiff.Diff(&want, got); diff != "" {
					t.Fatalf("evaluator %d (-explained +searched):\n%s", i, diff)
				}
			}
		}
	})
}

// Where selective filters have their say, victims cost what they cost, and the cheapest
// node wins.
func TestCostsBesideSelectiveFilters(t *testing.T) {
	config := preemption.Config{
		Ranks:   []preemption.Rank{{Name: "cost", Cost: func(p *outrank.Pod) int64 { return int64(p.Labels["cost"][0] - '0') }}},
		Filters: []*preemption.Filter{headcount{app: "web", limit: 1}.filter(false)},
	}
	one := resource.MustList("cpu", "1", "pods", "9")
	c := &outrank.Cluster{}
	for i, cost := range []string{"3", "1", "2"} {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, &outrank.Node{Name: name, Allocatable: one})
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: "p" + name, NodeName: name, Priority: outrank.Priority(1), Labels: map[string]string{"app": "web", "cost": cost},
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}},
		})
	}
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(config)
	require.NoError(t, err)
	p := &outrank.Pod{Name: "p", Priority: outrank.Priority(9), Containers: c.Pods[0].Containers}
	for best, err := range eval.Candidates(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now}) {
		require.NoError(t, err)
		require.Equal(t, "n1", best.Node)
		require.EqualValues(t, 1, best.Score.Own["cost"])
		break
	}
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, "n1", plan.Node)
}
