package engine_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	report "github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// twoWays are two ways to make the same room, of which the first is better by one rank.
type twoWays struct {
	better, worse []*outrank.Pod
	budgets       []*outrank.PodDisruptionBudget
}

// waysOf returns the two ways for each rank. The names of the pods decide nothing: called with
// the names swapped, the same way is better.
func waysOf(rank, a, b string) (twoWays, bool) {
	one := func(p *outrank.Pod) []*outrank.Pod { return []*outrank.Pod{p} }
	switch rank {
	case preemption.ByViolations.Name:
		guarded := &outrank.PodDisruptionBudget{Name: "b", Selector: selects("guarded")}
		return twoWays{
			better: one(pod(a, 1, "2")), worse: one(pod(b, 1, "2", app("guarded"))), budgets: []*outrank.PodDisruptionBudget{guarded},
		}, true
	case preemption.ByTopPriority.Name, preemption.ByPrioritySum.Name:
		return twoWays{better: one(pod(a, 1, "2")), worse: one(pod(b, 2, "2"))}, true
	case preemption.ByVictims.Name:
		return twoWays{better: one(pod(a, 1, "2")), worse: []*outrank.Pod{pod(b, 1, "1"), pod(b+"2", 1, "1")}}, true
	case preemption.ByStart.Name:
		return twoWays{better: one(pod(a, 1, "2", startedAgo(time.Hour))), worse: one(pod(b, 1, "2", startedAgo(2*time.Hour)))}, true
	case "own cost":
		return twoWays{better: one(pod(a, 1, "2", tagged("cost", "3"))), worse: one(pod(b, 1, "2", tagged("cost", "12")))}, true
	}
	return twoWays{}, false
}

// apart has the two ways on two nodes, the worse on the first.
func (w *twoWays) apart() *outrank.Cluster {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("worse", "2", "z"), node("better", "2", "z")}, Budgets: w.budgets}
	for _, p := range w.better {
		c.Pods = append(c.Pods, placed(p, "better"))
	}
	for _, p := range w.worse {
		c.Pods = append(c.Pods, placed(p, "worse"))
	}
	return c
}

// together has the two ways on one node.
func (w *twoWays) together() *outrank.Cluster {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n", "4", "z")}, Budgets: w.budgets}
	for _, p := range slices.Concat(w.better, w.worse) {
		c.Pods = append(c.Pods, placed(p, "n"))
	}
	return c
}

func placed(p *outrank.Pod, node string) *outrank.Pod {
	q := *p
	q.NodeName = node
	return &q
}

// Each rank, and one of the caller's, decides wherever candidates
// or sets of victims are compared, and is named wherever is told by what.
func TestEveryRankDecidesEverywhere(t *testing.T) {
	for _, rank := range append(everyRank(), preemption.Rank{Name: "own cost", Cost: labelledCost}) {
		for _, names := range [][2]string{{"x", "y"}, {"y", "x"}} {
			t.Run(rank.Name+"/"+names[0], func(t *testing.T) {
				ways, ok := waysOf(rank.Name, names[0], names[1])
				require.True(t, ok, "a rank without a case here")
				decides(t, rank, &ways)
			})
		}
	}
}

// decides asks everybody who compares candidates or sets.
func decides(t *testing.T, rank preemption.Rank, ways *twoWays) {
	ctx, asker := context.Background(), pod("asker", 9, "2")
	config := preemption.Config{Ranks: []preemption.Rank{rank}}
	eval := newEvaluator(t, config)
	snap := newSnapshot(t, ways.apart())

	plan, err := eval.Preempt(ctx, snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "better", plan.Node, "Preempt")
	ex, err := eval.Explain(ctx, snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "better", ex.Node, "Explain")
	assert.Equal(t, rank.Name, ex.DecidedBy, "Explain")
	for c, err := range eval.Candidates(ctx, snap, preemption.Request{Pod: asker, Now: gen.Now}) {
		require.NoError(t, err)
		assert.Equal(t, "better", c.Node, "Candidates")
		break
	}
	config.Victims = preemption.Across{}
	nodes := newEvaluator(t, config)
	across, err := nodes.Preempt(ctx, snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "better", across.Node, "across: the node")
	both := newSnapshot(t, ways.together())
	across, err = nodes.Preempt(ctx, both, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, namesOf(ways.better), victimNames(across.Victims), "across: the victims")

	defer exact.SearchHeavily()()
	config.Victims = preemption.Exact{}
	exactly, err := newEvaluator(t, config).Preempt(ctx, both, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, namesOf(ways.better), victimNames(exactly.Victims), "exact")
	assert.True(t, exactly.Certificate.Optimal, "exact")
	exactly, err = newEvaluator(t, config).Preempt(ctx, snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, "better", exactly.Node, "exact: the node")

	regrets(t, rank, ways, eval, both, asker)
	together, err := joint.Preempt(ctx, eval, both, joint.Request{Pods: []*outrank.Pod{asker}, Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, together.Placements, 1)
	assert.Equal(t, namesOf(ways.better), podNames(together.Placements[0].Victims), "joint")
	if !together.Kept {
		assert.Equal(t, rank.Name, together.DecidedBy, "joint")
	}
	tellsOf(t, rank, eval, snap, asker)
}

// regrets asks about a plan with the worse victims.
func regrets(t *testing.T, rank preemption.Rank, ways *twoWays, eval *engine.Evaluator, snap *engine.Snapshot, asker *outrank.Pod) {
	config := eval.Config()
	config.Victims = preemption.Chooser{Name: "the worse", Choose: func(v preemption.NodeView) []*outrank.Pod {
		return slices.DeleteFunc(v.Possible(), func(p *outrank.Pod) bool { return !slices.Contains(namesOf(ways.worse), p.Name) })
	}}
	plan, err := newEvaluator(t, config).Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, namesOf(ways.worse), victimNames(plan.Victims))
	regret, err := joint.RegretOf(context.Background(), eval, snap, plan, gen.Now)
	require.NoError(t, err)
	assert.Equal(t, rank.Name, regret.By, "regret")
	require.Len(t, regret.Gaps, 1)
	assert.Equal(t, rank.Name, regret.Gaps[0].Rank, "regret")
	assert.Positive(t, regret.Gaps[0].Gap, "regret")
	assert.Contains(t, regret.String(), report.RankText(rank.Name), "regret")
}

// tellsOf reads the report and the JSON.
func tellsOf(t *testing.T, rank preemption.Rank, eval *engine.Evaluator, snap *engine.Snapshot, asker *outrank.Pod) {
	r, err := report.Ask(context.Background(), report.Question{Evaluator: eval, Snapshot: snap, Request: preemption.Request{Pod: asker, Now: gen.Now}}, report.Options{})
	require.NoError(t, err)
	require.NotNil(t, r.Choice)
	assert.Equal(t, []report.Round{{Rank: rank.Name, Left: 1}}, r.Choice.Rounds, "explain")
	assert.Contains(t, r.Text(), "lost by "+report.RankText(rank.Name), "explain")
	assert.NotContains(t, r.Text(), "It equals", "explain")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"decidedBy":"`+rank.Name+`"`, "explain")
}

func namesOf(pods []*outrank.Pod) []string {
	names := podNames(pods)
	slices.Sort(names)
	return names
}

func podNames(pods []*outrank.Pod) []string {
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	return names
}

func victimNames(victims []preemption.Victim) []string {
	var names []string
	for _, v := range victims {
		names = append(names, v.Pod.Name)
	}
	slices.Sort(names)
	return names
}

// A rank by what victims cost is searched for as any other, whatever stands before and
// behind it: Preempt, which skips nodes by bounds, finds what Explain finds, which does not.
func TestPropertyRankByCost(t *testing.T) {
	seeded.AtLeast(t, 16) // with fewer the rank never decides
	added := preemption.Rank{Name: "own cost", Cost: func(p *outrank.Pod) int64 { return int64(len(p.Name)+len(p.Labels)) % 3 }}
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]gen.Shape{monotone, {Nodes: 6, PodsPerNode: 6}}).Draw(t, "shape")
		c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
		ranks := rapid.Permutation(append(everyRank(), added)).Draw(t, "ranks")
		if at := slices.IndexFunc(ranks, func(r preemption.Rank) bool { return r.Name == added.Name }); rapid.Bool().Draw(t, "first") { // further back it hardly ever decides
			ranks[0], ranks[at] = ranks[at], ranks[0]
		}
		config := preemption.Config{Ranks: ranks[:rapid.IntRange(1, len(ranks)).Draw(t, "prefix")]}
		eval, snap := newEvaluator(t, config), newSnapshot(t, c)
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		require.Equal(t, ex.Outcome, plan.Outcome)
		require.Equal(t, ex.Node, plan.Node)
		require.Equal(t, victimNames(ex.Victims), victimNames(plan.Victims))
		if ex.DecidedBy == added.Name {
			decided++
		}
	})
	require.Positive(t, decided, "the rank never decided")
}
