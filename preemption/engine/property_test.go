package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
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
)

var equateEmpty = cmpopts.EquateEmpty()

// fataler is what *testing.T and *rapid.T share.
type fataler interface {
	require.TestingT
	Helper()
	Fatalf(format string, args ...any)
}

// shapes are the sorts of clusters that properties run over.
var shapes = map[string]gen.Shape{
	"resources": {Budgets: 4},
	"alike":     {Nodes: 4, Alike: true, Budgets: 2},
	"nominated": {Budgets: 4, Nominated: 4},
	"filters":   {Budgets: 4, Taints: true, Selectors: true, Ports: true},
	"affinity":  {Nodes: 8, PodsPerNode: 4, Budgets: 4, Affinity: true, Spread: true},
	"volumes":   {Nodes: 4, PodsPerNode: 5, Budgets: 4, Nominated: 3, Volumes: true},
	"rest":      {Budgets: 4, Nominated: 4, Rest: true},
	"full":      gen.Full(),
	"units":     {Groups: 3, Units: true, Budgets: 4, Nominated: 4, Taints: true},
	"far units": {Nodes: 6, PodsPerNode: 4, Budgets: 4, Groups: 2, Units: true, Affinity: true, Spread: true, Volumes: true, Ports: true},
}

// monotone is the shape of clusters in which a pod only ever takes room. It has
// no host ports, which are a set in a dry run, and no pod affinity, which can
// need the pods that are in the way.
var monotone = gen.Shape{Budgets: 4, Nominated: 4, Taints: true, Selectors: true}

// overShapes runs a property over every shape of cluster.
func overShapes(t *testing.T, property func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod)) {
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				property(t, c, gen.Preemptor(shapes[name]).Draw(t, "preemptor"))
			})
		})
	}
}

// errOf is the error of a call that returns something beside it.
func errOf[T any](_ T, err error) error { return err }

func newSnapshot(t fataler, c *outrank.Cluster) *engine.Snapshot {
	t.Helper()
	s, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	return s
}

func newEvaluator(t fataler, config preemption.Config) *engine.Evaluator {
	t.Helper()
	e, err := engine.New(config)
	require.NoError(t, err)
	return e
}

func preempt(t fataler, c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	t.Helper()
	plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	return plan
}

func explain(t fataler, c *outrank.Cluster, p *outrank.Pod) *preemption.Plan {
	t.Helper()
	ex, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	return ex
}

// asJSON returns an input in full, with pointers followed.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestAgreesWithBook(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		config := preemption.Config{Profile: preemption.Profile{Schedulers: drawSchedulers(t)}}
		req := preemption.Request{Pod: p, Now: rapid.SampledFrom(nows).Draw(t, "now")}
		agreeWithBook(t, c, req, config)
	})
}

// Whatever the order of the ranks, and however many, two costs among them, Preempt
// chooses the node that the book chooses.
func TestPropertyRanksAgreeWithBook(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		unit := rapid.SampledFrom([]int64{1, math.MaxInt64 / 8, math.MinInt64 / 8}).Draw(t, "unit")
		cost := func(victim *outrank.Pod) int64 { return unit * int64(victim.Name[len(victim.Name)-1]%5) }
		second := func(victim *outrank.Pod) int64 { return int64(len(victim.Name)+len(victim.Labels)) % 3 }
		ranks := append(everyRank(), preemption.Rank{Name: "cost", Cost: cost}, preemption.Rank{Name: "second cost", Cost: second})
		order := rapid.Permutation(ranks).Draw(t, "order")
		order = order[:rapid.IntRange(1, len(order)).Draw(t, "ranks")]
		agreeWithBook(t, c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{Ranks: order})
	})
}

// Preempt and Explain agree, for any number of workers, and repeat their
// answers.
func TestPropertyOneAnswer(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		snap := newSnapshot(t, c)
		ex := explain(t, c, p)
		workers := rapid.IntRange(0, 4).Draw(t, "workers")
		e := newEvaluator(t, preemption.Config{}).Parallel(workers)
		for range 2 {
			plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			if diff := testdiff.Diff(plantest.Unexplained(ex), plan); diff != "" {
				t.Fatalf("Preempt with %d workers (-Explain +Preempt):\n%s", workers, diff)
			}
			again, err := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
			require.NoError(t, err)
			if diff := testdiff.Diff(ex, again); diff != "" {
				t.Fatalf("Explain with %d workers (-one worker +now):\n%s", workers, diff)
			}
		}
	})
}

// What a snapshot remembers of one pod is not said of another: of pods that differ in nothing but
// what filters read, each hears what it hears of a snapshot that has been asked nothing.
func TestPropertyLookalikes(t *testing.T) {
	t.Parallel()
	e := newEvaluator(t, preemption.Config{})
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				pods := gen.Lookalikes(shapes[name], 3).Draw(t, "pods")
				snap := newSnapshot(t, c)
				for range 2 {
					for _, p := range pods {
						req := preemption.Request{Pod: p, Now: gen.Now}
						want, wantErr := e.Preempt(context.Background(), newSnapshot(t, c), req)
						got, err := e.Preempt(context.Background(), snap, req)
						require.Equal(t, wantErr, err)
						if diff := testdiff.Diff(want, got); diff != "" {
							t.Fatalf("the pod (-of a new snapshot +after others):\n%s", diff)
						}
					}
				}
			})
		})
	}
}

// Where victims are units, TestPropertyVictimsAreWholeUnits is for this.
func TestPropertyVictimsAreLessImportant(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		if leavesInUnits(c) {
			return
		}
		for _, candidate := range explain(t, c, p).Candidates {
			for i, v := range candidate.Victims {
				if v.Pod.PriorityValue() >= p.PriorityValue() {
					t.Fatalf("victim %s has priority %d, the preemptor %d", v, v.Pod.PriorityValue(), p.PriorityValue())
				}
				if v.Pod.NodeName != candidate.Node {
					t.Fatalf("victim %s runs on %s, not on %s", v, v.Pod.NodeName, candidate.Node)
				}
				if i > 0 && priority.Compare(candidate.Victims[i-1].Pod, v.Pod, gen.Now) >= 0 {
					t.Fatalf("victim %s stands after %s", v, candidate.Victims[i-1])
				}
				if v.Blocks.Code == preemption.Success {
					t.Fatalf("nothing says why %s could not stay", v)
				}
			}
		}
	})
}

// The preemptor fits once the victims are gone, by a new attempt with the same
// filters, and no longer fits when any one of them is back.
func TestPropertyVictimsAreEnoughAndNoneIsSpare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(monotone).Draw(t, "cluster")
		p := gen.Preemptor(monotone).Draw(t, "preemptor")
		snap := newSnapshot(t, c)
		for _, candidate := range explain(t, c, p).Candidates {
			mark := snap.Mark()
			for _, v := range candidate.Victims {
				require.NoError(t, snap.RemovePod(v.Pod.Key()))
			}
			if s := statusOn(t, snap, p, candidate.Node); s.Code != preemption.Success {
				t.Fatalf("with the victims gone, node %s still says %s", candidate.Node, s)
			}
			for _, v := range candidate.Victims {
				back := snap.Mark()
				require.NoError(t, errOf(snap.PutPod(v.Pod)))
				if statusOn(t, snap, p, candidate.Node).Code == preemption.Success {
					t.Fatalf("the pod fits on %s although %s stays", candidate.Node, v)
				}
				require.NoError(t, snap.Undo(back))
			}
			require.NoError(t, snap.Undo(mark))
		}
	})
}

func statusOn(t fataler, snap *engine.Snapshot, p *outrank.Pod, node string) preemption.Status {
	t.Helper()
	ex, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	for _, n := range ex.Nodes {
		if n.Node == node {
			return n.Status
		}
	}
	t.Fatalf("no node %s", node)
	return preemption.Status{}
}

// The violations follow the definition: they are the victims whose loss exceeds
// a budget, charged with all others in order of importance. Where victims are units,
// the book charges them (TestAgreesWithBook).
func TestPropertyViolations(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		if leavesInUnits(c) {
			return
		}
		budgets := pdb.New(c.Budgets)
		for _, candidate := range explain(t, c, p).Candidates {
			var possible []*outrank.Pod
			for _, q := range c.Pods {
				if q.NodeName == candidate.Node && !q.Finished() && q.PriorityValue() < p.PriorityValue() {
					possible = append(possible, q)
				}
			}
			slices.SortFunc(possible, func(a, b *outrank.Pod) int { return priority.Compare(a, b, gen.Now) })
			violating, _ := budgets.Split(c.Release, possible)
			count := 0
			for _, v := range candidate.Victims {
				violates := slices.Contains(violating, v.Pod)
				if violates {
					count++
				}
				if violates != (len(v.Violated) > 0) {
					t.Fatalf("victim %s violates %v, want %v", v, v.Violated, violates)
				}
			}
			if candidate.Score.Violations != count {
				t.Fatalf("%d violations on %s, want %d", candidate.Score.Violations, candidate.Node, count)
			}
		}
	})
}

// The order of the input decides only a tie of nodes.
func TestPropertyOrderIsIrrelevant(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		other := gen.Shuffled(c).Draw(t, "shuffled")
		if c.Release.OrDefault() != outrank.V1_36 {
			other.Budgets = c.Budgets // their order tells (rule 6.3.8)
		}
		want, got := explain(t, c, p), explain(t, other, p)
		if len(want.Candidates) > 0 {
			if diff := testdiff.Diff(want.Candidates[0].Score, got.Candidates[0].Score); diff != "" {
				t.Fatalf("best score after shuffling (-want +got):\n%s", diff)
			}
		}
		other.Nodes = c.Nodes
		got = explain(t, other, p)
		budgetOrder := cmpopts.SortSlices(func(a, b *outrank.PodDisruptionBudget) bool { return a.Key() < b.Key() })
		if diff := testdiff.Diff(want, got, budgetOrder); diff != "" {
			t.Fatalf("with pods and budgets shuffled (-want +got):\n%s", diff)
		}
	})
}

// An empty namespace, a node that takes no pod and a budget that covers no pod
// change nothing.
func TestPropertyBystandersAreIrrelevant(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		more := *c
		more.Namespaces = append(slices.Clip(c.Namespaces), &outrank.Namespace{Name: "elsewhere", Labels: map[string]string{"x": "y"}})
		more.Budgets = append(slices.Clip(c.Budgets), &outrank.PodDisruptionBudget{Name: "nobody", Namespace: "elsewhere", Selector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}})
		more.Nodes = append(slices.Clip(c.Nodes), &outrank.Node{Name: "zz-full"})
		want, got := explain(t, c, p), explain(t, &more, p)
		if diff := testdiff.Diff(want.Candidates, got.Candidates); diff != "" {
			t.Fatalf("candidates (-want +got):\n%s", diff)
		}
		if diff := testdiff.Diff(want.Nodes, got.Nodes[:len(c.Nodes)]); diff != "" {
			t.Fatalf("nodes (-want +got):\n%s", diff)
		}
	})
}

// The counts of a plan are those of its nodes.
func TestPropertyCountsAddUp(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		ex := explain(t, c, p)
		turned, unhelpful := 0, 0
		for _, count := range ex.TurnedDown {
			turned += count.Nodes
		}
		for _, count := range ex.Unhelpful {
			unhelpful += count.Nodes
		}
		tried, helpless := 0, 0
		for _, n := range ex.Nodes {
			if n.AfterRemoval != nil != (n.Status.Code == preemption.Unschedulable) {
				t.Fatalf("node %s: tried %v with status %s", n.Node, n.AfterRemoval != nil, n.Status)
			}
			if n.AfterRemoval != nil {
				tried++
			}
			if n.AfterRemoval != nil && n.Candidate == nil {
				helpless++
			}
		}
		if ex.Outcome != preemption.NothingHelps {
			require.Zero(t, unhelpful, "nobody asks")
			unhelpful = helpless
		}
		if turned+ex.Feasible != len(c.Nodes) || unhelpful != helpless || helpless+len(ex.Candidates) != tried {
			t.Fatalf("%d turned down and %d feasible of %d; %d unhelpful and %d candidates of %d tried",
				turned, ex.Feasible, len(c.Nodes), unhelpful, len(ex.Candidates), tried)
		}
	})
}

// Applying a plan leaves the room that it promised, and undoing it restores the
// snapshot.
func TestPropertyApply(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(monotone).Draw(t, "cluster")
		p := gen.Preemptor(monotone).Draw(t, "preemptor")
		snap := newSnapshot(t, c)
		plan := preempt(t, c, p)
		mark := snap.Mark()
		err := snap.Apply(plan)
		switch plan.Outcome {
		case preemption.Preempts:
			require.NoError(t, err)
		case preemption.Fits:
			require.NoError(t, err)
			plan.Node = plan.FirstFit // which is left as it was, but for the nomination
		default:
			require.ErrorIs(t, err, preemption.ErrState)
			return
		}
		for _, v := range plan.Victims {
			if _, ok := snap.Pod(v.Pod.Key()); ok {
				t.Fatalf("victim %s is still there", v)
			}
		}
		for _, cleared := range plan.ClearedNominations {
			if on := snap.NominationOf(cleared.Key()); on != "" {
				t.Fatalf("%s is still nominated to %s", cleared.Key(), on)
			}
		}
		require.Equal(t, plan.Node, snap.NominationOf(p.Key()))
		if s := statusOn(t, snap, p, plan.Node); s.Code != preemption.Success {
			t.Fatalf("after the plan, node %s says %s", plan.Node, s)
		}
		require.NoError(t, snap.Undo(mark))
		if diff := testdiff.Diff(explain(t, c, p), mustExplain(t, snap, p)); diff != "" {
			t.Fatalf("after undo (-want +got):\n%s", diff)
		}
	})
}

func mustExplain(t fataler, snap *engine.Snapshot, p *outrank.Pod) *preemption.Plan {
	t.Helper()
	ex, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	return ex
}

func TestPropertyInputIsReadOnly(t *testing.T) {
	for seed := range 100 {
		c, p := gen.Cluster(gen.Full()).Example(seed), gen.Preemptor(gen.Full()).Example(seed)
		plan := preempt(t, c, p)
		explain(t, c, p)
		if plan.Outcome == preemption.Preempts {
			snap := newSnapshot(t, c)
			require.NoError(t, snap.Apply(plan))
		}
		if diff := testdiff.Diff(gen.Cluster(gen.Full()).Example(seed), c); diff != "" {
			t.Fatalf("cluster of seed %d (-before +after):\n%s", seed, diff)
		}
		if diff := testdiff.Diff(gen.Preemptor(gen.Full()).Example(seed), p); diff != "" {
			t.Fatalf("preemptor of seed %d (-before +after):\n%s", seed, diff)
		}
	}
}

func TestContextEndsTheSearch(t *testing.T) {
	c, p := gen.Benchmark(200, 5, 0)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	for _, workers := range []int{1, 3} {
		_, err := newEvaluator(t, preemption.Config{}).Parallel(workers).Preempt(ctx, newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.ErrorIs(t, err, context.Canceled)
	}
	// In the middle of it, too: a filter of our own pulls the plug.
	ctx, stop := context.WithCancel(context.Background())
	asked := 0
	e := newEvaluator(t, preemption.Config{Filters: []*preemption.Filter{
		&preemption.Filter{Name: "Plug", Node: func(*outrank.Pod, *outrank.Node) preemption.Status {
			if asked++; asked == 1 {
				stop()
			}
			return preemption.Status{}
		}},
	}})
	p.Containers = nil // so that every node gets to the filter
	_, err := e.Preempt(ctx, newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, asked, 200, "it went on")
}

func keys(pods []*outrank.Pod) []string {
	var out []string
	for _, p := range pods {
		out = append(out, string(p.Key()))
	}
	return out
}
