package preemption

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
)

// drawConfig draws everything that a configuration can hold but extenders, whose
// answers have tests of their own.
func drawConfig(t *rapid.T) Config {
	c := Config{Workers: rapid.IntRange(0, 3).Draw(t, "workers"), Policy: drawPolicy(t)}
	if rapid.IntRange(0, 2).Draw(t, "may evict") == 0 {
		few := rapid.SampledFrom([]uint32{2, 5}).Draw(t, "of")
		c.MayEvict = func(_, victim *outrank.Pod) bool { return nameHash(victim)%few > 0 }
	}
	switch rapid.IntRange(0, 5).Draw(t, "importance") {
	case 0:
		c.Importance = func(a, b *outrank.Pod) int { return int(nameHash(a)%3) - int(nameHash(b)%3) }
	case 1:
		c.Importance = func(a, b *outrank.Pod) int { return cmp.Compare(a.PriorityValue(), b.PriorityValue()) }
	}
	c.Chooser = drawChooser(t)
	if rapid.IntRange(0, 4).Draw(t, "sample") == 0 {
		c.Sample = &Sample{
			Percent: rapid.IntRange(0, 100).Draw(t, "percent"), Minimum: rapid.IntRange(0, 5).Draw(t, "minimum"),
			Offset: rapid.IntRange(0, 50).Draw(t, "offset"),
		}
	}
	return c
}

// drawStatuses draws what the nodes said as things are: what they really say, or
// something else.
func drawStatuses(t *rapid.T, snap *Snapshot) map[string]Status {
	if rapid.IntRange(0, 3).Draw(t, "statuses") > 0 {
		return nil
	}
	statuses := map[string]Status{}
	for n := range snap.Nodes() {
		switch rapid.IntRange(0, 9).Draw(t, "status") {
		case 0:
			statuses[n.Name] = Status{Code: UnschedulableAndUnresolvable, ExcludedBy: "Other"}
		case 1: // none
		case 2:
			statuses[n.Name] = Status{Code: UnschedulableAndUnresolvable, Filter: "Other", Reasons: []string{"no", "never"}}
		default:
			statuses[n.Name] = Status{Code: Unschedulable, Filter: "Other", Reasons: []string{"not now"}}
		}
	}
	return statuses
}

func drawPolicy(t *rapid.T) Policy {
	switch rapid.IntRange(0, 4).Draw(t, "policy") {
	case 0:
		return Policy{}
	case 1:
		return V1_13()
	case 2:
		return Simplified()
	}
	p := Policy{
		Waiting:            rapid.SampledFrom([]Waiting{WaitForPreempted, WaitForTerminating, WaitWhileNominated}).Draw(t, "waiting"),
		IgnoreNever:        rapid.Bool().Draw(t, "ignore never"),
		Victims:            rapid.SampledFrom([]VictimRule{Reprieve, Reprieve, Ascending}).Draw(t, "victims"),
		IgnoreStart:        rapid.Bool().Draw(t, "ignore start"),
		EvictUnprioritized: rapid.Bool().Draw(t, "unprioritized"),
		FilterOnce:         rapid.Bool().Draw(t, "filter once"),
		Budgets:            rapid.SampledFrom([]BudgetRule{PerVictim, PerBudget, Uncharged}).Draw(t, "budget rule"),
		EmptySelectors:     rapid.Bool().Draw(t, "empty selectors"),
	}
	if rapid.Bool().Draw(t, "own ranks") {
		ranks := rapid.Permutation(DefaultRanks()).Draw(t, "ranks")
		p.Ranks = ranks[:rapid.IntRange(0, len(ranks)).Draw(t, "prefix")]
	}
	return p
}

func nameHash(p *outrank.Pod) uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.Name))
	return h.Sum32() >> 3
}

// Whatever the configuration, Preempt decides as Explain, which evaluates every
// node.
func TestPropertyWholeConfig(t *testing.T) {
	t.Run("crowd", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c, p := crowd(t)
			agreesWithExplain(t, c, p, gen.Now.Add(-time.Duration(rapid.IntRange(0, 1).Draw(t, "earlier"))*time.Second))
		})
	})
	shapes := map[string]gen.Shape{
		"resources": {Budgets: 4},
		"nominated": {Budgets: 4, Nominated: 4},
		"affinity":  {Nodes: 8, PodsPerNode: 4, Affinity: true, Spread: true},
		"full":      gen.Full(),
	}
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				agreesWithExplain(t, c, gen.Preemptor(shapes[name]).Draw(t, "preemptor"), gen.Now)
			})
		})
	}
}

// drawChooser draws nil, or a rule that takes pods in an order of its own until there is
// room, and may refuse where that takes many.
func drawChooser(t *rapid.T) *Chooser {
	if rapid.IntRange(0, 3).Draw(t, "chooser") > 0 {
		return nil
	}
	most := rapid.IntRange(1, 6).Draw(t, "most")
	byHash, spare := rapid.Bool().Draw(t, "by hash"), rapid.Bool().Draw(t, "spare")
	return &Chooser{Name: "Drawn", AnyPriority: rapid.IntRange(0, 3).Draw(t, "any priority") == 0, Choose: func(v *NodeView) []*outrank.Pod {
		pods := v.Possible()
		slices.Reverse(pods)
		if byHash {
			slices.SortStableFunc(pods, func(p, q *outrank.Pod) int { return cmp.Compare(nameHash(p), nameHash(q)) })
		}
		for n := 1; n <= min(most, len(pods)); n++ {
			if v.Fits(pods[:n]...) {
				if spare && n < len(pods) && v.Fits(pods[:n+1]...) {
					n++
				}
				return pods[:n]
			}
		}
		return nil
	}}
}

func isSelective(f Filter) bool {
	_, ok := f.(SelectiveFilter)
	return ok
}

func agreesWithExplain(t *rapid.T, c *outrank.Cluster, p *outrank.Pod, now time.Time) {
	snap, err := NewSnapshot(c)
	require.NoError(t, err)
	config := drawConfig(t)
	config.Filters = drawFilters(t, snap)
	eval, err := NewEvaluator(config)
	require.NoError(t, err)
	eval.chunk = rapid.SampledFrom([]int{1, 2, chunkSize}).Draw(t, "chunk size")
	req := Request{Pod: p, Now: now, Statuses: drawStatuses(t, snap)}
	if req.Statuses != nil && len(req.Statuses) == snap.NumNodes() && rapid.Bool().Draw(t, "in order") {
		for n := range snap.Nodes() {
			req.StatusesInOrder = append(req.StatusesInOrder, req.Statuses[n.Name])
		}
		req.Statuses = nil
	}
	explained, err := eval.ExplainRequest(context.Background(), snap, req)
	require.NoError(t, err)
	for range 2 {
		got, err := eval.PreemptRequest(context.Background(), snap, req)
		require.NoError(t, err)
		want := explained.Plan
		if want.Outcome == Fits || want.Outcome == NotEligible {
			want.Unhelpful = nil // Preempt makes no dry runs then
		}
		if want.Outcome == Preempt && (config.MayEvict != nil || config.Chooser != nil || slices.ContainsFunc(config.Filters, isSelective)) {
			want.Unhelpful = nil // not every node is asked then
		}
		if diff := gocmp.Diff(&want, got); diff != "" {
			t.Fatalf("plan by %s (-explained +searched):\n%s", fmt.Sprintf("%+v", eval.config.Policy), diff)
		}
	}
}
