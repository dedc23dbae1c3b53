package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/internal/rank"
)

// drawConfig draws everything that a configuration can hold but extenders, whose
// answers have tests of their own.
func drawConfig(t *rapid.T) preemption.Config {
	c := drawPolicy(t)
	c.Profile.Schedulers = drawSchedulers(t)
	c.Variant = rapid.SampledFrom([]outrank.Variant{0, 0, outrank.VariantV1_13, outrank.VariantSimplified}).Draw(t, "variant")
	c.Eligibility, c.Guard = drawTaking(t)
	if rapid.IntRange(0, 2).Draw(t, "spares some") == 0 {
		few, take := rapid.SampledFrom([]uint32{2, 5}).Draw(t, "of"), c.Eligibility.Take
		c.Eligibility.Take = func(preemptor, victim *outrank.Pod) (rule string, ok bool) {
			if ok = true; take != nil {
				rule, ok = take(preemptor, victim)
			}
			return rule, ok && nameHash(victim)%few > 0
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "refuses") == 0 {
		const refuse, allow = 2, 3
		c.Eligibility.Refuse = func(p *outrank.Pod, by preemption.Ineligibility, nominated preemption.Status) preemption.Ineligibility {
			switch (int(nameHash(p)) + len(nominated.Code) + len(by)) % 5 {
			case refuse:
				return preemption.Ineligibility("the caller has its reasons, as " + nominated.Filter)
			case allow:
				return ""
			}
			return by
		}
	}
	c.Importance = drawImportance(t, 5)
	if rule := drawChooser(t); rule != nil {
		c.Victims = *rule
		c.Eligibility.AnyPriority = c.Eligibility.AnyPriority || rapid.IntRange(0, 3).Draw(t, "any priority for the rule") == 0
	}
	_, exact := c.Victims.(preemption.Exact)
	if exact || c.Budgets == preemption.NeverViolate {
		c.Guard = nil // refused
	}
	if rapid.IntRange(0, 3).Draw(t, "sample") == 0 {
		c.Sample = &preemption.Sample{ // mostly a small one
			Percent: rapid.SampledFrom([]int{1, 1, 10, 50, 100, 0, -1}).Draw(t, "percent"),
			Minimum: rapid.SampledFrom([]int{1, 2, 3, 5, 0, -1}).Draw(t, "minimum"),
		}
		if c.Sample.Percent < 0 && c.Sample.Minimum < 0 {
			c.Sample.Minimum = 1 // none of both is refused
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "plugins") == 0 {
		for _, x := range []struct {
			label string
			list  *[]string
		}{{"off", &c.Profile.Off}, {"off on nodes", &c.Profile.OffOnNodes}} {
			*x.list = rapid.SliceOfNDistinct(rapid.SampledFrom(filters.BuiltInNames[:]), 0, 3, rapid.ID).Draw(t, x.label)
		}
		if rapid.Bool().Draw(t, "ignores resources") {
			c.Profile.IgnoredResourceGroups = []string{"example.com", "memory"}
		}
	}
	if len(c.Ranks) > 0 && !exact { // refused with exact victims
		for _, r := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"figure 0", "figure 1", "second cost"}), 0, 2, rapid.ID).Draw(t, "of whole candidates") {
			c.Ranks = slices.Insert(c.Ranks, rapid.IntRange(0, len(c.Ranks)).Draw(t, "at"), drawnRanks[r])
		}
	}
	return c
}

// everyRank returns all built-in ranks, those of kube-scheduler and any other.
func everyRank() (ranks []preemption.Rank) {
	for _, rule := range rank.All() {
		ranks = append(ranks, preemption.Rank{Name: rule.Name})
	}
	return ranks
}

// rankCost returns what a victim costs by a rank, nil for one that does not say it.
func rankCost(r preemption.Rank) func(victim *outrank.Pod) int64 {
	if rule := rank.Of(r.Name); rule != nil {
		return rule.Cost
	}
	return r.Cost
}

// withOneCost leaves out all ranks by what victims cost but the first.
func withOneCost(ranks []preemption.Rank) (left []preemption.Rank) {
	costs := 0
	for _, r := range ranks {
		if rankCost(r) != nil {
			if costs++; costs > 1 {
				continue
			}
		}
		left = append(left, r)
	}
	return left
}

// drawnRanks are ranks that need whole candidates.
var drawnRanks = map[string]preemption.Rank{
	"figure 0":    figureOf("figure 0", 0),
	"figure 1":    figureOf("figure 1", 1),
	"second cost": {Name: "second cost", Cost: func(victim *outrank.Pod) int64 { return int64(nameHash(victim)/7%3) - 1 }},
}

// figureOf returns a rank that has many ties.
func figureOf(name string, violation int) preemption.Rank {
	return preemption.Rank{Name: name, Figure: func(c *preemption.Candidate) int64 {
		return int64((len(c.Victims) + violation*c.Score.Violations) % 5)
	}}
}

// drawCost draws a rank by what victims cost.
func drawCost(t *rapid.T) preemption.Rank {
	most := rapid.SampledFrom([]uint32{1, 3, 100}).Draw(t, "highest cost")
	return preemption.Rank{Name: "cost", Cost: func(victim *outrank.Pod) int64 {
		if most == 3 && nameHash(victim)%7 == 0 {
			return math.MaxInt64
		}
		return int64(nameHash(victim)%most) - 1
	}}
}

// drawSchedulers draws whose nominations count, everybody's as often as not. The
// generators have pods of these schedulers.
func drawSchedulers(t *rapid.T) []string {
	return rapid.SampledFrom([][]string{
		nil, nil, nil, {outrank.DefaultScheduler}, {outrank.DefaultScheduler, "second"}, {"second", "absent"}, {"absent"},
	}).Draw(t, "schedulers")
}

// drawOrders draws orders alone: of the ranks, and of the pods. Where nothing else decides,
// little hides what they do.
func drawOrders(t *rapid.T) preemption.Config {
	ranks := rapid.Permutation(everyRank()).Draw(t, "ranks")
	return preemption.Config{Ranks: ranks[:rapid.IntRange(1, len(ranks)).Draw(t, "prefix")], Importance: drawImportance(t, 2)}
}

// drawImportance draws an order of the caller, or mostly none.
func drawImportance(t *rapid.T, most int) func(p, q *outrank.Pod) int {
	switch rapid.IntRange(0, most).Draw(t, "importance") {
	case 0:
		return func(a, b *outrank.Pod) int { return int(nameHash(a)%3) - int(nameHash(b)%3) }
	case 1:
		return func(a, b *outrank.Pod) int { return cmp.Compare(a.PriorityValue(), b.PriorityValue()) }
	}
	return nil
}

// drawStatuses draws what the nodes said as things are: what they really say, or
// something else.
func drawStatuses(t *rapid.T, snap *engine.Snapshot) map[string]preemption.Status {
	if rapid.IntRange(0, 3).Draw(t, "statuses") > 0 {
		return nil
	}
	statuses := map[string]preemption.Status{}
	for n := range snap.Nodes() {
		switch rapid.IntRange(0, 9).Draw(t, "status") {
		case 0:
			statuses[n.Name] = preemption.Status{Code: preemption.UnschedulableAndUnresolvable, ExcludedBy: "Other"}
		case 1: // none
		case 2:
			statuses[n.Name] = preemption.Status{Code: preemption.UnschedulableAndUnresolvable, Filter: "Other", Reasons: []string{"no", "never"}}
		default:
			statuses[n.Name] = preemption.Status{Code: preemption.Unschedulable, Filter: "Other", Reasons: []string{"not now"}}
		}
	}
	return statuses
}

// drawPolicy draws, as often as not, how the victims are chosen, how budgets count, and the ranks.
func drawPolicy(t *rapid.T) (c preemption.Config) {
	if rapid.Bool().Draw(t, "default policy") {
		return c
	}
	if rapid.IntRange(0, 2).Draw(t, "exact") == 2 {
		c.Victims = preemption.Exact{}
	}
	c.Budgets = rapid.SampledFrom([]preemption.Budgets{
		preemption.ChargePossible, preemption.ChargePossible, preemption.ChargePossible,
		preemption.ChargeVictims, preemption.ChargeVictims, preemption.ChargeVictims, preemption.NeverViolate, preemption.NeverViolate,
	}).Draw(t, "budgets")
	if rapid.Bool().Draw(t, "own ranks") {
		ranks := rapid.Permutation(append(everyRank(), drawCost(t))).Draw(t, "ranks")
		c.Ranks = ranks[:rapid.IntRange(0, len(ranks)).Draw(t, "prefix")]
		if c.Victims != nil { // searched for by one cost
			c.Ranks = withOneCost(c.Ranks)
		}
	}
	return c
}

func nameHash(p *outrank.Pod) uint32 {
	h := fnv.New32a()
	h.Write([]byte(p.Name))
	return h.Sum32() >> 3
}

// Whatever the configuration, Preempt decides as Explain, which evaluates every
// node.
func TestPropertyWholeConfig(t *testing.T) {
	t.Parallel()
	t.Run("crowd", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c, p := gen.Crowd(t)
			addOddities(t, c)
			agreesWithExplain(t, c, p, gen.Now.Add(-time.Duration(rapid.IntRange(0, 1).Draw(t, "earlier"))*time.Second))
		})
	})
	t.Run("extreme priorities", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c, p := gen.Crowd(t)
			for _, q := range append(c.Pods, p) {
				q.Priority = outrank.Priority(rapid.SampledFrom([]int32{math.MinInt32, 0, math.MaxInt32 - 1, math.MaxInt32}).Draw(t, "priority"))
			}
			agreesWithExplain(t, c, p, gen.Now)
		})
	})
	shapes := map[string]gen.Shape{
		"resources": {Budgets: 4},
		"nominated": {Budgets: 4, Nominated: 4},
		"affinity":  {Nodes: 8, PodsPerNode: 4, Affinity: true, Spread: true},
		"full":      gen.Full(),
		"units":     {Groups: 3, Units: true, Budgets: 4, Nominated: 4},
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
func drawChooser(t *rapid.T) *preemption.Chooser {
	if rapid.IntRange(0, 3).Draw(t, "chooser") > 0 {
		return nil
	}
	most := rapid.IntRange(1, 6).Draw(t, "most")
	byHash, spare := rapid.Bool().Draw(t, "by hash"), rapid.Bool().Draw(t, "spare")
	return &preemption.Chooser{Name: "Drawn", Choose: func(v preemption.NodeView) []*outrank.Pod {
		pods := v.Possible()
		slices.Reverse(pods)
		if byHash {
			slices.SortStableFunc(pods, func(p, q *outrank.Pod) int { return cmp.Compare(nameHash(p), nameHash(q)) })
		}
		for n := 1; n <= min(most, len(pods)); n++ {
			if v.Check(pods[:n]...).Code == preemption.Success {
				if spare && n < len(pods) && v.Check(pods[:n+1]...).Code == preemption.Success {
					n++
				}
				return pods[:n]
			}
		}
		return nil
	}}
}

// addOddities adds, sometimes, a budget with an empty selector, and pending pods that
// room has to be left for.
func addOddities(t *rapid.T, c *outrank.Cluster) {
	if rapid.IntRange(0, 2).Draw(t, "empty selector") == 0 {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: "all", DisruptionsAllowed: rapid.Int32Range(0, 2).Draw(t, "allowed by it"), Selector: &outrank.LabelSelector{}})
	}
	for i := range rapid.SampledFrom([]int{0, 0, 1, 8}).Draw(t, "nominated") {
		p := *rapid.SampledFrom(c.Pods).Draw(t, "like")
		p.Name, p.NominatedNodeName, p.NodeName, p.StartTime = fmt.Sprint("nominated", i), p.NodeName, "", time.Time{}
		p.Priority = outrank.Priority(rapid.SampledFrom([]int32{0, 1000}).Draw(t, "priority of the nominated"))
		c.Pods = append(c.Pods, &p)
	}
}

func agreesWithExplain(t *rapid.T, c *outrank.Cluster, p *outrank.Pod, now time.Time) {
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	var config preemption.Config
	if rapid.IntRange(0, 2).Draw(t, "all rules") == 0 {
		config = drawOrders(t)
	} else {
		config = drawConfig(t)
		config.Filters = drawOwnFilters(t)
	}
	eval, err := engine.New(config)
	require.NoError(t, err)
	eval = eval.Parallel(rapid.IntRange(-1, 3).Draw(t, "workers"))
	termsOf(eval).Chunk = rapid.SampledFrom([]int{1, 2, dryrun.ChunkSize}).Draw(t, "chunk size")
	req := preemption.Request{Pod: p, Now: now, Offset: rapid.IntRange(-50, 50).Draw(t, "offset"), Statuses: plantest.ByName(drawStatuses(t, snap))}
	r, err := dryrun.DecideExhaustively(context.Background(), termsOf(eval), stateOf(snap), &req, true)
	require.NoError(t, err)
	explained, err := r.Explained()
	require.NoError(t, err)
	agreesInParts(t, eval, snap, req, explained)
	for range 2 {
		got, err := eval.Preempt(context.Background(), snap, req)
		require.NoError(t, err)
		want := *plantest.Unexplained(explained)
		if diff := testdiff.Diff(&want, got); diff != "" {
			t.Fatalf("plan by %s (-explained +searched):\n%s", fmt.Sprintf("%+v", eval.Config()), diff)
		}
	}
}

// agreesInParts compares what Explain, Candidates and ExplainNode say with an
// explanation by the exhaustive search.
func agreesInParts(t *rapid.T, eval *engine.Evaluator, snap *engine.Snapshot, req preemption.Request, want *preemption.Plan) {
	ctx := context.Background()
	got, err := eval.Explain(ctx, snap, req)
	require.NoError(t, err)
	if diff := testdiff.Diff(want, got); diff != "" {
		t.Fatalf("explanation (-exhaustive +by rows):\n%s", diff)
	}
	var each []preemption.Candidate
	wanted := rapid.IntRange(1, 6).Draw(t, "candidates")
	for c, err := range eval.Candidates(ctx, snap, req) {
		require.NoError(t, err)
		if each = append(each, *c); len(each) == wanted {
			break
		}
	}
	if diff := testdiff.Diff(want.Candidates[:min(wanted, len(want.Candidates))], each, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("best candidates (-exhaustive +one by one):\n%s", diff)
	}
	if termsOf(eval).Sample != nil {
		return
	}
	for _, report := range want.Nodes {
		got, err := eval.ExplainNode(ctx, snap, req, report.Node)
		require.NoError(t, err)
		if diff := testdiff.Diff(report, got); diff != "" {
			t.Fatalf("node (-of all +alone):\n%s", diff)
		}
		at := slices.IndexFunc(want.Candidates, func(c preemption.Candidate) bool { return c.Node == report.Node })
		require.Equal(t, at >= 0, report.Candidate != nil)
		if at >= 0 {
			require.Same(t, &want.Candidates[at], report.Candidate)
		}
	}
}
