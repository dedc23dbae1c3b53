package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/pdb"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/priority"
	"github.com/outrank-go/outrank/resource"
)

func explainBy(t fataler, config preemption.Config, c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	t.Helper()
	ex, err := newEvaluator(t, config).Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	return ex
}

func TestWaiting(t *testing.T) {
	cluster := func(reason string, cpu string) *outrank.Cluster {
		return &outrank.Cluster{
			Nodes: []*outrank.Node{node("n1", cpu, "a"), node("n2", "1", "a")},
			Pods:  []*outrank.Pod{pod("lo", 1, "1", on("n1"), leaving(reason)), pod("other", 1, "1", on("n2"))},
		}
	}
	byScheduler := cluster(outrank.PreemptionByScheduler, "1")
	cordoned := cluster(outrank.PreemptionByScheduler, "1")
	cordoned.Nodes[0].Unschedulable = true
	waiting := pod("p", 5, "1", nominated("n1"))
	never := pod("p", 5, "1")
	never.PreemptionPolicy = outrank.PreemptNever
	for _, test := range []struct {
		name                      string
		c                         *outrank.Cluster
		p                         *outrank.Pod
		current, v113, simplified preemption.Ineligibility
	}{
		{"nothing to wait for", byScheduler, pod("p", 5, "1"), "", "", ""},
		{"policy Never; it did not exist in v1.13", byScheduler, never, preemption.PolicyNever, "", preemption.PolicyNever},
		{"its victim leaves", byScheduler, waiting, preemption.VictimsTerminating, preemption.VictimsTerminating, preemption.Nominated},
		{"some other pod leaves", cluster("", "1"), waiting, "", preemption.VictimsTerminating, preemption.Nominated},
		{"the nominated node has room by now", cluster(outrank.PreemptionByScheduler, "3"), waiting, "", preemption.VictimsTerminating, preemption.Nominated},
		{"the nominated node is cordoned", cordoned, waiting, "", preemption.VictimsTerminating, ""},
		{"the nominated node is gone", byScheduler, pod("p", 5, "1", nominated("gone")), "", "", preemption.Nominated},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.current, explainBy(t, preemption.Config{}, test.c, test.p).Ineligible, "current")
			assert.Equal(t, test.v113, explainBy(t, preemption.Config{Variant: outrank.VariantV1_13}, test.c, test.p).Ineligible, "v1.13")
			assert.Equal(t, test.simplified, explainBy(t, preemption.Config{Variant: outrank.VariantSimplified}, test.c, test.p).Ineligible, "simplified")
			disabled := explainBy(t, preemption.Config{Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}}, test.c, test.p)
			assert.Equal(t, preemption.Disabled, disabled.Ineligible)
		})
	}
}

// The variants on one cluster that tells them apart: the reprieve spares pods
// that the simplified form evicts, and the ranks are asked in different orders.
func TestVariantsDiffer(t *testing.T) {
	twoBudgets := func(c *outrank.Cluster) *outrank.Cluster {
		for _, name := range []string{"b1", "b2"} {
			c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: name, Selector: selects("web")})
		}
		return c
	}
	for _, test := range []struct {
		name                      string
		c                         *outrank.Cluster
		p                         *outrank.Pod
		current, v113, simplified string
	}{
		{
			name: "the reprieve spares the small one that was in the way first",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "3", "a")},
				Pods:  []*outrank.Pod{pod("small", 1, "1", on("n1")), pod("large", 2, "2", on("n1"))},
			},
			p: pod("p", 5, "2"), current: "n1 [large] 0", v113: "n1 [large] 0", simplified: "n1 [large small] 0",
		},
		{
			name: "fewer victims before the sum",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a")},
				Pods: []*outrank.Pod{
					pod("a", 5, "1", on("n1")), pod("b", -2147483648, "1", on("n1")),
					pod("c", 5, "2", on("n2")),
				},
			},
			p: pod("p", 9, "2"), current: "n2 [c] 0", v113: "n2 [c] 0", simplified: "n2 [c] 0",
		},
		{
			name: "v1.13 does not look at the start",
			c: &outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
				Pods: []*outrank.Pod{
					pod("old", 5, "1", on("n1"), startedAgo(9*time.Hour)), pod("young", 5, "1", on("n2"), startedAgo(time.Hour)),
				},
			},
			p: pod("p", 9, "1"), current: "n2 [young] 0", v113: "n1 [old] 0", simplified: "n1 [old] 0",
		},
		{
			name: "the simplified counts a violation for every budget",
			c: twoBudgets(&outrank.Cluster{
				Nodes: []*outrank.Node{node("n1", "1", "a")},
				Pods:  []*outrank.Pod{pod("x", 5, "1", on("n1"), app("web"))},
			}),
			p: pod("p", 9, "1"), current: "n1 [x] 1", v113: "n1 [x] 1", simplified: "n1 [x] 2",
		},
		{
			name: "the simplified charges budgets for the victims alone",
			c: &outrank.Cluster{
				Nodes:   []*outrank.Node{node("n1", "2", "a")},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web"), DisruptionsAllowed: 1}},
				Pods:    []*outrank.Pod{pod("hi", 5, "1", on("n1"), app("web")), pod("lo", 1, "1", on("n1"), app("web"))},
			},
			p: pod("p", 9, "1"), current: "n1 [hi] 0", v113: "n1 [lo] 0", simplified: "n1 [lo] 0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for variant, want := range map[outrank.Variant]string{0: test.current, outrank.VariantV1_13: test.v113, outrank.VariantSimplified: test.simplified} {
				ex := explainBy(t, preemption.Config{Variant: variant}, test.c, test.p)
				got := strings.ReplaceAll(fmt.Sprint(ex.Node, " ", ex.Victims, " ", ex.Score.Violations), "default/", "")
				assert.Equal(t, want, got, "%v", variant)
				assert.Equal(t, variant == outrank.VariantSimplified, strings.Contains(ex.String(), "grace: 0s"))
			}
		})
	}
}

func startedAgo(d time.Duration) with { return func(p *outrank.Pod) { p.StartTime = gen.Now.Add(-d) } }

// The simplified form by its definition: remove the least important pod until
// the preemptor fits.
func TestPropertySimplified(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(monotone).Draw(t, "cluster")
		p := gen.Preemptor(monotone).Draw(t, "preemptor")
		for _, b := range c.Budgets {
			if b.Selector.Empty() {
				b.Selector = nil // empty ones have rows of their own
			}
			b.DisruptedPods = nil // a ledger does not charge those (rule 13.3.11)
		}
		for _, q := range c.Pods {
			if q.Priority == nil {
				q.Priority = outrank.Priority(0)
			}
			if len(q.Labels) == 0 {
				q.Labels = map[string]string{"some": "label"}
			}
		}
		budgets := pdb.New(c.Budgets)
		for _, candidate := range explainBy(t, preemption.Config{Variant: outrank.VariantSimplified}, c, p).Candidates {
			possible := lesser(c, p, candidate.Node)
			n := len(possible) - len(candidate.Victims)
			if diff := testdiff.Diff(possible[n:], pods(candidate.Victims)); diff != "" {
				t.Fatalf("victims (-the least important +got):\n%s", diff)
			}
			ledger, violations := budgets.Ledger(), 0
			for _, v := range slices.Backward(possible[n:]) {
				violations += len(ledger.Charge(v, budgets.AppendCovering(nil, v)))
			}
			require.Equal(t, violations, candidate.Score.Violations)
			snap := newSnapshot(t, c)
			for i, v := range slices.Backward(possible) {
				if i < n {
					break
				}
				if statusOn(t, snap, p, candidate.Node).Code == preemption.Success {
					t.Fatalf("the pod fits before %s leaves", v.Key())
				}
				require.NoError(t, snap.RemovePod(v.Key()))
			}
			if s := statusOn(t, snap, p, candidate.Node); s.Code != preemption.Success {
				t.Fatalf("with all victims gone: %s", s)
			}
		}
	})
}

// lesser lists the pods on a node that are of lower priority, by importance.
func lesser(c *outrank.Cluster, p *outrank.Pod, node string) []*outrank.Pod {
	var out []*outrank.Pod
	for _, q := range c.Pods {
		if q.NodeName == node && !q.Finished() && q.PriorityValue() < p.PriorityValue() {
			out = append(out, q)
		}
	}
	slices.SortFunc(out, func(a, b *outrank.Pod) int { return priority.Compare(a, b, gen.Now) })
	return out
}

func pods(vs []preemption.Victim) []*outrank.Pod {
	var out []*outrank.Pod
	for _, v := range vs {
		out = append(out, v.Pod)
	}
	return out
}

// Protected pods stay, as if their priority were high.
func TestPropertyProtectedPodsStay(t *testing.T) {
	t.Parallel()
	shape := gen.Shape{Taints: true}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		p := gen.Preemptor(shape).Draw(t, "preemptor")
		protected := func(q *outrank.Pod) bool { return q.Labels["app"] == "web" }
		config := preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, q *outrank.Pod) (string, bool) { return "", !protected(q) }}}
		raised := *c
		raised.Pods = nil
		for _, q := range c.Pods {
			if protected(q) {
				high := *q
				high.Priority = outrank.Priority(math.MaxInt32)
				q = &high
			}
			raised.Pods = append(raised.Pods, q)
		}
		want, got := explain(t, &raised, p), explainBy(t, config, c, p)
		if diff := testdiff.Diff(want.Candidates, got.Candidates); diff != "" {
			t.Fatalf("candidates (-protected by priority +by rule):\n%s", diff)
		}
	})
}

// Protected pods of the lowest priority make a more important one leave, alone. A
// bound from all pods of the lowest priority would say that three have to.
func TestProtectedAmongTheLeastImportant(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "3", "a"), node("n2", "6", "a")},
		Pods: []*outrank.Pod{
			pod("x", 1, "1500m", on("n1")), pod("y", 1, "1500m", on("n1")),
			pod("large", 5, "3", on("n2")), pod("small", 1, "1", on("n2")), pod("tiny", 1, "1", on("n2")), pod("kept", 1, "1", on("n2")),
		},
	}
	config := preemption.Config{Ranks: []preemption.Rank{preemption.ByVictims}}
	config.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "", victim.Name != "kept" }
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "3"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "n2 [default/large]", choice(plan.Candidate))
}

// Pods that violate a budget are put back first, so that a more important one may
// have to leave in their place. Where its start decides, no bound from the starts of
// the least important may keep its node from being looked at.
func TestTheMoreImportantLeaveForABudget(t *testing.T) {
	all := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "b"}}
	covered := app("b")
	for _, tt := range []struct {
		name     string
		selector *outrank.LabelSelector
		allowed  int32
		cpu      string // of the preemptor
		pods     []*outrank.Pod
		want     string
	}{
		{
			name: "the budget allows no disruption", selector: all, cpu: "1",
			pods: []*outrank.Pod{pod("low", 1, "1", covered, startedAgo(time.Hour)), pod("high", 5, "1", startedAgo(time.Minute))},
			want: "n2 [default/high]",
		},
		{
			name: "it allows one, of the more important", selector: all, allowed: 1, cpu: "1",
			pods: []*outrank.Pod{pod("low", 1, "1", covered, startedAgo(time.Hour)), pod("high", 5, "1", covered, startedAgo(time.Minute))},
			want: "n2 [default/high]",
		},
		{
			name: "room is short by the number of pods", selector: all, cpu: "0",
			pods: []*outrank.Pod{pod("low", 1, "1", covered, startedAgo(time.Hour)), pod("high", 5, "1", startedAgo(time.Minute))},
			want: "n2 [default/high]",
		},
		{
			name: "a nominated pod takes what another of the least important leaves", selector: all, cpu: "1",
			pods: []*outrank.Pod{
				pod("low", 1, "1", covered, startedAgo(time.Hour)), pod("free", 1, "1", startedAgo(time.Hour)),
				pod("high", 5, "1", startedAgo(time.Minute)), pod("waiting", 9, "1", nominated("n2")),
			},
			want: "n2 [default/high, default/free]",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &outrank.Cluster{
				Nodes:   []*outrank.Node{node("n1", "1", "a"), node("n2", "0", "a")},
				Pods:    []*outrank.Pod{pod("x", 1, "1", on("n1"), startedAgo(10*time.Minute))},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: tt.allowed, Selector: tt.selector}},
			}
			running := 0
			for _, p := range tt.pods {
				if p.NominatedNodeName == "" {
					p.NodeName = "n2"
					running++
				}
				c.Pods = append(c.Pods, p)
			}
			for n, pods := range []int{1, running} {
				c.Nodes[n].Allocatable = resource.MustList("cpu", strconv.Itoa(pods), "pods", strconv.Itoa(pods+len(tt.pods)-running))
			}
			config := preemption.Config{Ranks: []preemption.Rank{preemption.ByStart}}
			p := pod("p", 9, tt.cpu)
			plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, tt.want, choice(plan.Candidate))
			assert.Equal(t, *plantest.Unexplained(explainBy(t, config, c, p)), *plan)
		})
	}
}

// A bound for victims above the lowest priority is no higher than the next one.
func TestTheMoreImportantByOne(t *testing.T) {
	small := func(name string) *outrank.Pod { return pod(name, 1, "1", on("n2"), app("b")) }
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "3", "a"), node("n2", "6", "a")},
		Pods: []*outrank.Pod{
			pod("x", 3, "3", on("n1")), pod("large", 2, "3", on("n2")), small("a"), small("b"), small("c"),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "b"}}}},
	}
	for _, ranks := range [][]preemption.Rank{{preemption.ByPrioritySum}, {preemption.ByVictims, preemption.ByTopPriority}} {
		e := newEvaluator(t, preemption.Config{Ranks: ranks})
		plan, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "3"), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, "n2 [default/large]", choice(plan.Candidate), "%v", ranks)
	}
}

// The simplified form stops while the pod is there that the preemptor wants to be
// near, although it would not do without it.
func TestSimplifiedKeepsTheNeighbour(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a"), node("n2", "1", "b")},
		Pods: []*outrank.Pod{
			pod("friend", 5, "1", on("n1"), app("f")), pod("low", 1, "1", on("n1"), app("x")), pod("other", 1, "1", on("n2"), app("x")),
		},
	}
	p := pod("p", 9, "1")
	p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "f"}}, TopologyKey: "zone"}}
	for _, more := range [][]*outrank.Pod{nil, {pod("reserved", 9, "0", nominated("n1"))}} {
		c.Pods = append(c.Pods, more...)
		plan, err := newEvaluator(t, preemption.Config{Variant: outrank.VariantSimplified}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, "n1 [default/low]", choice(plan.Candidate))
	}
}

// The caller's order decides which pods are put back first. Here it is the
// reverse of the default.
func TestImportance(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "2", "a")},
		Pods:  []*outrank.Pod{pod("hi", 5, "1", on("n1")), pod("lo", 1, "1", on("n1"))},
	}
	config := preemption.Config{Importance: func(a, b *outrank.Pod) int { return int(a.PriorityValue() - b.PriorityValue()) }}
	ex := explainBy(t, config, c, pod("p", 9, "1"))
	assert.Equal(t, "[default/hi]", fmt.Sprint(ex.Victims), "the less important by the caller's order")
	ex = explainBy(t, config, c, pod("p", 9, "2"))
	assert.Equal(t, "[default/lo default/hi]", fmt.Sprint(ex.Victims), "in the caller's order")
	assert.Equal(t, int32(1), ex.Score.TopPriority, "of the most important by that order")
	// An order that knows no difference leaves the default one.
	config.Importance = func(_, _ *outrank.Pod) int { return 0 }
	assert.Equal(t, "[default/lo]", fmt.Sprint(explainBy(t, config, c, pod("p", 9, "1")).Victims))
}

func TestFigures(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a"), node("n3", "1", "b")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("n1")), pod("y", 2, "1", on("n2")), pod("z", 2, "1", on("n3"))},
	}
	top := preemption.Rank{Name: "highest top", Figure: func(c *preemption.Candidate) int64 { return -int64(c.Score.TopPriority) }}
	last := preemption.Rank{Name: "n3", Figure: func(c *preemption.Candidate) int64 { return map[string]int64{"n3": -1}[c.Node] }}
	config := preemption.Config{Ranks: []preemption.Rank{top}}
	ex := explainBy(t, config, c, pod("p", 9, "1"))
	assert.Equal(t, "n2", ex.Node, "the lowest figure, then the order of the nodes")
	assert.Empty(t, ex.DecidedBy)
	config.Ranks = append(config.Ranks, last)
	ex = explainBy(t, config, c, pod("p", 9, "1"))
	assert.Equal(t, "n3", ex.Node, "the next figure decides among equals")
	assert.Equal(t, "n3", ex.DecidedBy)
	assert.Equal(t, map[string]int64{"highest top": -2, "n3": -1}, ex.Score.Own)
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, plantest.Unexplained(ex), plan)
}

func TestConfigProblemsInOrder(t *testing.T) {
	_, err := engine.New(preemption.Config{
		Variant:   9,
		Ranks:     []preemption.Rank{preemption.ByStart, {Name: "none"}},
		Sample:    &preemption.Sample{Percent: 101, Minimum: -1},
		Budgets:   7,
		Extenders: []preemption.Extender{{}},
	})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, `preemption config: Variant: 9 is none
preemption config: Sample.Percent: 101 is more than 100
preemption config: Extenders[0].Process: missing
preemption config: Budgets: there is no way 7 to charge them
preemption config: Ranks[1]: "none" is no rank of kube-scheduler's, and has neither a Cost nor a Figure`)
}
