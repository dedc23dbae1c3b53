package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// A search that the limit ends where nothing can be better any more has proven its set, and leaves no
// node open: the candidate's certificate is that of the plan.
func TestProvenAtTheLimit(t *testing.T) {
	const seed = 0x29b
	c, p := fullNode(seed, 11)
	config := preemption.Config{Victims: preemption.Exact{Limit: 2}, Ranks: someRanks(seed), Budgets: strictly(seed%7 == 0)}
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.True(t, plan.ClusterCertificate.Optimal)
	assert.Equal(t, plan.ClusterCertificate, plan.Certificate)
	assert.Zero(t, plan.Certificate.Unsolved)
}

// However early the limit ends a search, no set is better than the bound, the gap is that
// between bound and score, and a certificate that says optimal is right.
func TestPropertyCertificatesAreTrue(t *testing.T) {
	t.Parallel()
	open := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		c, p := fullNode(seed, 11)
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		config := preemption.Config{Victims: preemption.Exact{Limit: limit}, Ranks: someRanks(seed), Budgets: strictly(seed%7 == 0)}
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if plan.Outcome != preemption.Preempts && plan.Outcome != preemption.NothingHelps {
			return
		}
		want, found := bestOfVectors(&config, c, p)
		cert := plan.ClusterCertificate
		if plan.Outcome == preemption.NothingHelps {
			if cert.Optimal && found {
				t.Fatalf("seed %d: nothing helps for certain, and %+v does", seed, want)
			}
			return
		}
		require.Equal(t, plan.Certificate, cert, "there is one node")
		if compareBy(&config, cert.Bound, want) > 0 {
			t.Fatalf("seed %d, ranks %v: %+v is better than the bound of %+v", seed, config.Ranks, want, cert)
		}
		require.LessOrEqual(t, cert.Steps, limit)
		if cert.Optimal {
			require.Zero(t, compareBy(&config, plan.Score, want))
			require.Zero(t, cert.Gap)
			return
		}
		open++
		require.Negative(t, compareBy(&config, cert.Bound, plan.Score))
		require.Positive(t, cert.Gap)
		require.Equal(t, 1, cert.Unsolved)
	})
	require.Positive(t, open, "the limit never ended a search")
}

// The limit leaves a decision among nodes honest: the bound holds for the best set of all
// nodes, and the candidate is never worse than the faithful plan.
func TestPropertyCertificatesOfClusters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Shape{Budgets: 4, Alike: rapid.Bool().Draw(t, "alike")}
		c := gen.Cluster(shape).Draw(t, "cluster")
		p := gen.Preemptor(shape).Draw(t, "preemptor")
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		config := preemption.Config{Victims: preemption.Exact{}}
		best := explainBy(t, config, c, p)
		config.Victims = preemption.Exact{Limit: limit}
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, best.Outcome, plan.Outcome)
		if plan.Outcome != preemption.Preempts {
			return
		}
		if compareBy(&config, plan.ClusterCertificate.Bound, best.Score) > 0 || plan.ClusterCertificate.Optimal && compareBy(&config, plan.Score, best.Score) != 0 {
			t.Fatalf("%v: the best is %+v", plan.ClusterCertificate, best.Score)
		}
		neverWorse(t, c, p, gen.Now, limit)
	})
}

// A limit of the call is shared by its nodes: together they take no more steps, what is
// said of the best set holds, and the same evaluator answers the same again.
func TestPropertyCallLimit(t *testing.T) {
	t.Parallel()
	ended := 0
	rapid.Check(t, func(t *rapid.T) {
		shape := gen.Shape{Budgets: 4, Alike: rapid.Bool().Draw(t, "alike")}
		c := gen.Cluster(shape).Draw(t, "cluster")
		for range 5 { // few pods need so many victims that the limit ends a search
			if endsWithinLimit(t, c, gen.Preemptor(shape).Draw(t, "preemptor")) {
				ended++
			}
		}
	})
	require.Positive(t, ended, "the limit never ended a search")
}

// endsWithinLimit searches under a limit, and reports whether that has ended the search.
func endsWithinLimit(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) (ended bool) {
	limit := rapid.IntRange(1, 20).Draw(t, "limit")
	config := preemption.Config{Victims: preemption.Exact{Limit: limit}}
	best := explainBy(t, preemption.Config{Victims: preemption.Exact{}}, c, p)
	snap := newSnapshot(t, c)
	eval, other := newEvaluator(t, config), *p
	other.Name, other.Priority = "other", outrank.Priority(1<<30)
	_, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: &other, Now: gen.Now})
	require.NoError(t, err)
	plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, best.Outcome, plan.Outcome)
	all, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	steps := 0
	for _, candidate := range all.Candidates {
		require.GreaterOrEqual(t, candidate.Certificate.Steps, 0)
		steps += candidate.Certificate.Steps
	}
	require.LessOrEqual(t, steps, limit)
	if plan.Outcome != preemption.Preempts {
		return false
	}
	if cert := plan.ClusterCertificate; !cert.Optimal {
		ended = true
		require.LessOrEqual(t, compareBy(&config, cert.Bound, best.Score), 0)
	} else {
		require.Zero(t, compareBy(&config, plan.Score, best.Score))
	}
	again, err := newEvaluator(t, config).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, plan, again)
	require.NoError(t, newEvaluator(t, config).Verify(context.Background(), snap, plan))
	return ended
}

// Nodes that share a limit are searched in the same order whatever the workers are.
func TestCallLimitWithWorkers(t *testing.T) {
	c, p, err := clustergen.Benchmark(seeded.Sample(600, 2000), 30, 20)
	require.NoError(t, err)
	snap := newSnapshot(t, c)
	var first *preemption.Plan
	for _, workers := range []int{1, 4} {
		e := newEvaluator(t, preemption.Config{Victims: preemption.Exact{Limit: 300}}).Parallel(workers)
		all, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		if first == nil {
			require.False(t, all.ClusterCertificate.Optimal)
			first = plantest.Unexplained(all)
		}
		require.Equal(t, first, plantest.Unexplained(all))
		again, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, first, plantest.Unexplained(again), "a call has all of its steps")
	}
}

// neverWorse holds an exact plan to the faithful one, and its regret to their difference.
func neverWorse(t fataler, c *outrank.Cluster, p *outrank.Pod, now time.Time, limit int) (better bool) {
	t.Helper()
	snap := newSnapshot(t, c)
	usual := newEvaluator(t, preemption.Config{})
	plan, err := usual.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: now})
	if errors.Is(err, outrank.ErrInvalid) {
		return false // a pod of a group, which preempts as a whole
	}
	require.NoError(t, err)
	exact, err := newEvaluator(t, preemption.Config{Victims: preemption.Exact{Limit: limit}}).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: now})
	require.NoError(t, err)
	if plan.Outcome != preemption.Preempts {
		if exact.Outcome != plan.Outcome && !(plan.Outcome == preemption.NothingHelps && exact.Outcome == preemption.Preempts) {
			t.Fatalf("%v, and exactly %v", plan, exact)
		}
		return exact.Outcome != plan.Outcome
	}
	require.Equal(t, preemption.Preempts, exact.Outcome)
	order, _ := exact.Score.Compare(plan.Score, nil)
	if order > 0 {
		t.Fatalf("exact victims are worse: %v %+v\n%v %+v", exact, exact.Score, plan, plan.Score)
	}
	require.NoError(t, newEvaluator(t, preemption.Config{Victims: preemption.Exact{Limit: limit}}).Verify(context.Background(), snap, exact))
	r, err := joint.RegretOf(context.Background(), usual, snap, plan, now)
	require.NoError(t, err)
	order, by := r.Best.Score.Compare(r.Score, nil)
	require.LessOrEqual(t, order, 0)
	require.Equal(t, order == 0, r.By == "")
	if order < 0 {
		require.Equal(t, by, r.By)
	}
	onNode, _ := r.OnNode.Score.Compare(r.Score, nil)
	require.LessOrEqual(t, onNode, 0, "on the node of the plan")
	return order < 0
}

// What the best victims and budgets that are never violated do not go with is an error that says so.
func TestExactRefusesByName(t *testing.T) {
	figure := []preemption.Rank{{Name: "s", Figure: func(*preemption.Candidate) int64 { return 0 }}}
	costs := []preemption.Rank{byLastDigit, preemption.ByVictims, {Name: "second", Cost: lastDigit}}
	extenders := []preemption.Extender{extender{name: "x", process: keep}.extender()}
	for _, test := range []struct {
		config preemption.Config
		want   string
	}{
		{preemption.Config{Victims: preemption.Exact{}, Ranks: figure}, "Ranks[0].Figure: "},
		{preemption.Config{Victims: preemption.Across{}, Ranks: figure}, "Ranks[0].Figure: "},
		{preemption.Config{Victims: preemption.Exact{}, Ranks: costs}, "Ranks[2].Cost: "},
		{preemption.Config{Victims: preemption.Across{}, Ranks: costs}, "Ranks[2].Cost: "},
		{preemption.Config{Victims: preemption.Across{}, Sample: &preemption.Sample{}}, "Sample"},
		{preemption.Config{Victims: preemption.Exact{}, Extenders: extenders}, "Extenders: they can change victims that are the best"},
		{preemption.Config{Budgets: preemption.NeverViolate, Extenders: extenders}, "Extenders: they can choose victims that violate a budget"},
		{preemption.Config{Victims: preemption.Exact{Limit: -1}}, "Victims.Limit"},
		{preemption.Config{Victims: preemption.Across{Limit: -1}}, "Victims.Limit"},
	} {
		_, err := engine.New(test.config)
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, test.want)
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Release: groupsOn}
	for _, config := range []preemption.Config{
		{Victims: preemption.Exact{}}, {Victims: preemption.Across{}}, {Budgets: preemption.NeverViolate}, {Budgets: preemption.ChargeVictims},
		{Variant: outrank.VariantV1_13}, {Variant: outrank.VariantSimplified},
	} {
		_, err := newEvaluator(t, config).PreemptGroup(context.Background(), newSnapshot(t, c), preemption.GroupRequest{Pods: []*outrank.Pod{pod("p", 5, "1")}, Now: gen.Now})
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, "which a group of pods is not decided by")
	}
}

// Victims on several nodes heed budgets that are never violated.
func TestAcrossNeverViolates(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}, Pods: []*outrank.Pod{pod("x", 1, "1", on("n1"))}}
	plan, err := newEvaluator(t, preemption.Config{Victims: preemption.Across{}}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 5, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.Preempts, plan.Outcome)
	assert.True(t, plan.ClusterCertificate.Optimal)
	assert.Nil(t, plan.Certificate, "of one node")
	c.Pods[0].Labels = map[string]string{"app": "web"}
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "web", Selector: selects("web")}}
	plan, err = newEvaluator(t, preemption.Config{Victims: preemption.Across{}, Budgets: preemption.NeverViolate}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 5, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
	assert.Equal(t, []string{"making room would violate a disruption budget"}, plan.Unhelpful[0].Reasons)
}

// A plan that violates a budget is not sound where none may be.
func TestVerifyStrict(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "1", "a")},
		Pods:    []*outrank.Pod{pod("x", 1, "1", on("n1"), app("web"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}},
	}
	snap, p := newSnapshot(t, c), pod("p", 5, "1")
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	err = newEvaluator(t, preemption.Config{Budgets: preemption.NeverViolate}).Verify(context.Background(), snap, plan)
	require.ErrorIs(t, err, engine.ErrUnsound)
	assert.ErrorContains(t, err, "strict")
}
