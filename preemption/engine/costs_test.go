package engine_test

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// costly has a node for each list of costs, full of a pod for each of these.
func costly(costs ...[]int64) *outrank.Cluster {
	c := &outrank.Cluster{}
	for i, pods := range costs {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, node(name, strconv.Itoa(len(pods)), "z"))
		for j, cost := range pods {
			c.Pods = append(c.Pods, pod(fmt.Sprint(name, "-", j), 1, "1", on(name), tagged("cost", fmt.Sprint(cost))))
		}
	}
	return c
}

func labelledCost(p *outrank.Pod) int64 {
	cost, _ := strconv.ParseInt(p.Labels["cost"], 10, 64)
	return cost
}

func byCost(cost func(*outrank.Pod) int64) preemption.Config {
	return preemption.Config{Ranks: []preemption.Rank{{Name: "cost", Cost: cost}}}
}

func TestCosts(t *testing.T) {
	const most = math.MaxInt64
	for _, tt := range []struct {
		name  string
		costs [][]int64
		node  string
		cost  int64
	}{
		{"the lowest", [][]int64{{3}, {1}, {2}}, "n1", 1},
		{"the lowest sum", [][]int64{{3, 3}, {1, 4}, {2, 4}}, "n1", 5},
		{"the first of equals", [][]int64{{3, 3}, {1, 4}, {5, 0}}, "n1", 5},
		{"below 0 counts as 0", [][]int64{{-9, 3}, {0, 2}, {math.MinInt64, math.MinInt64}, {0, 0}}, "n2", 0},
		{"sums stop at the largest number", [][]int64{{most, most}, {most, 0}, {most - 1, 1}}, "n0", most},
		{"just below it", [][]int64{{most, most}, {most - 1, 0}}, "n1", most - 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := pod("p", 9, strconv.Itoa(len(tt.costs[0])))
			plan, err := newEvaluator(t, byCost(labelledCost)).Preempt(context.Background(), newSnapshot(t, costly(tt.costs...)), preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, tt.node, plan.Node)
			assert.Equal(t, tt.cost, plan.Score.Own["cost"])
			assert.Equal(t, *plantest.Unexplained(explainBy(t, byCost(labelledCost), costly(tt.costs...), p)), *plan)
		})
	}
}

// Each rank has a figure of its own: beside ready victims, of which there are none on either node, the
// cost decides, as it does alone.
func TestRanksShareNoFigure(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "z"), node("n2", "1", "z")},
		Pods:  []*outrank.Pod{pod("a", 1, "1", on("n1"), tagged("cost", "10")), pod("b", 1, "1", on("n2"), tagged("cost", "1"))},
	}
	cost := preemption.Rank{Name: "cost", Cost: labelledCost}
	ready := preemption.Rank{Name: "ready victims", Cost: func(p *outrank.Pod) int64 { return int64(len(p.Labels["ready"])) }}
	some := preemption.Rank{Name: "victims", Figure: func(c *preemption.Candidate) int64 { return int64(len(c.Victims)) }}
	for name, ranks := range map[string][]preemption.Rank{
		"alone": {cost}, "behind another": {ready, cost}, "before another": {cost, ready}, "behind a figure": {some, cost}, "with all": {ready, some, cost},
	} {
		t.Run(name, func(t *testing.T) {
			config := preemption.Config{Ranks: ranks}
			plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, "n2", plan.Node)
			want := map[string]int64{}
			for _, r := range ranks {
				want[r.Name] = map[string]int64{"cost": 1, "ready victims": 0, "victims": 1}[r.Name]
			}
			assert.Equal(t, want, plan.Score.Own)
			ex := explainBy(t, config, c, pod("p", 9, "1"))
			assert.Equal(t, plantest.Unexplained(ex), plan)
			assert.Equal(t, "cost", ex.DecidedBy)
			require.NoError(t, newEvaluator(t, config).Verify(context.Background(), newSnapshot(t, c), plan))
			wrong := *plan
			wrong.Score.Own = map[string]int64{"cost": 2, "ready victims": 0, "victims": 1}
			require.ErrorIs(t, newEvaluator(t, config).Verify(context.Background(), newSnapshot(t, c), &wrong), engine.ErrStale)
		})
	}
}

// A figure is told of the costs and of the figures before it.
func TestFiguresSeeThoseBefore(t *testing.T) {
	config := preemption.Config{Ranks: []preemption.Rank{
		{Name: "twice", Figure: func(c *preemption.Candidate) int64 { return 2 * c.Score.Own["cost"] }},
		{Name: "cost", Cost: labelledCost},
		{Name: "thrice", Figure: func(c *preemption.Candidate) int64 { return c.Score.Own["twice"] + c.Score.Own["cost"] }},
	}}
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, costly([]int64{3}, []int64{2})), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.NoError(t, err)
	assert.Equal(t, map[string]int64{"twice": 4, "cost": 2, "thrice": 6}, plan.Score.Own)
}

func TestRankProblems(t *testing.T) {
	one := func(*outrank.Pod) int64 { return 1 }
	figure := func(*preemption.Candidate) int64 { return 1 }
	_, err := engine.New(preemption.Config{Ranks: []preemption.Rank{
		{Name: "cost", Cost: one}, {Name: "cost", Figure: figure}, {Cost: one}, {Name: "both", Cost: one, Figure: figure},
		{Name: "victim-count", Cost: one}, {Name: "neither"}, {Name: "node-order", Cost: one}, preemption.ByStart, preemption.ByStart,
	}})
	assert.ErrorIs(t, err, outrank.ErrInvalid)
	assert.EqualError(t, err, `preemption config: Ranks[1]: there is another rank of the name "cost"
preemption config: Ranks[2].Name: missing
preemption config: Ranks[3]: has a Cost and a Figure; it compares one of them
preemption config: Ranks[4].Name: "victim-count" is a rank of kube-scheduler's, which has a figure already
preemption config: Ranks[5]: "neither" is no rank of kube-scheduler's, and has neither a Cost nor a Figure
preemption config: Ranks[6].Name: "node-order" is what documents say where no rank decides
preemption config: Ranks[8]: there is another rank of the name "start-time"`)
}

// What a pod costs is remembered for the version of it, and for the evaluator.
func TestCostsAreRemembered(t *testing.T) {
	asked, extra := 0, map[string]int64{}
	config := byCost(func(p *outrank.Pod) int64 { asked++; return labelledCost(p) + extra[p.NodeName] })
	c := costly([]int64{1, 1}, []int64{2, 2}, []int64{3, 3}, []int64{4, 4})
	snap, e := newSnapshot(t, c), newEvaluator(t, config)
	decide := func(e *engine.Evaluator) (node string, times int) {
		asked = 0
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "2"), Now: gen.Now})
		require.NoError(t, err)
		return plan.Node, asked
	}
	node, first := decide(e)
	assert.Equal(t, "n0", node)
	_, again := decide(e)
	assert.Zero(t, again, "all are remembered")
	assert.Equal(t, len(c.Pods), first)

	dear := *c.Pods[0]
	dear.Labels = map[string]string{"cost": "9"}
	require.NoError(t, errOf(snap.PutPod(&dear)))
	node, times := decide(e)
	assert.Equal(t, "n1", node, "the new version costs more")
	assert.Equal(t, 2, times, "the pods on that node")

	extra["n1"] = 9
	node, times = decide(newEvaluator(t, config))
	assert.Equal(t, "n2", node, "a new evaluator asks anew")
	assert.Equal(t, first, times)
}

// A rule that panics leaves nothing half known behind.
func TestCostsAfterAPanic(t *testing.T) {
	panics := true
	e := newEvaluator(t, byCost(func(p *outrank.Pod) int64 {
		if panics && p.Name == "n0-1" {
			panic("no cost")
		}
		return labelledCost(p)
	}))
	snap := newSnapshot(t, costly([]int64{5, 5}, []int64{4, 4}))
	assert.Panics(t, func() { e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "2"), Now: gen.Now}) })
	panics = false
	for range 2 {
		plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "2"), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, "n1", plan.Node)
		plan, err = e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, int64(4), plan.Score.Own["cost"])
	}
}

// Clones share what they know about costs. Goroutines may change each its own clone,
// and ask it, while others read the first snapshot.
func TestCostsOfClonesAtOnce(t *testing.T) {
	var asked atomic.Int64
	config := byCost(func(p *outrank.Pod) int64 { asked.Add(1); return labelledCost(p) })
	var costs [][]int64
	for i := range 40 {
		costs = append(costs, []int64{int64(i) + 10, 10})
	}
	c := costly(costs...)
	snap, e := newSnapshot(t, c), newEvaluator(t, config).Parallel(2)
	var clones []*engine.Snapshot
	for range 4 {
		clones = append(clones, snap.Clone())
	}
	var wg sync.WaitGroup
	for i, clone := range clones {
		wg.Go(func() {
			for turn := range 30 {
				at := (i*30 + turn) % len(c.Pods)
				changed := *c.Pods[at]
				changed.Labels = map[string]string{"cost": fmt.Sprint(i)}
				assert.NoError(t, errOf(clone.PutPod(&changed)))
				sameAsAfresh(t, e, clone)
				assert.NoError(t, errOf(clone.PutPod(c.Pods[at])))
			}
		})
		wg.Go(func() {
			for range 30 {
				sameAsAfresh(t, e, snap)
			}
		})
	}
	wg.Wait()
	assert.Positive(t, asked.Load())
}

// sameAsAfresh compares what an evaluator decides with what one does that knows no
// costs yet.
func sameAsAfresh(t *testing.T, e *engine.Evaluator, snap *engine.Snapshot) {
	p := pod("p", 9, "2")
	got, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now.Add(time.Hour)})
	assert.NoError(t, err)
	fresh, err := engine.New(byCost(labelledCost))
	assert.NoError(t, err)
	want, err := fresh.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now.Add(time.Hour)})
	assert.NoError(t, err)
	assert.Equal(t, want, got)
}
