package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/plantest"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

var namedRanks = map[preemption.Rank]reference.Rank{
	preemption.ByViolations: reference.FewestViolations, preemption.ByTopPriority: reference.LowestTopVictim,
	preemption.ByPrioritySum: reference.LowestSum, preemption.ByVictims: reference.FewestVictims,
	preemption.ByStart: reference.LatestStart, preemption.ByCost: reference.LowestCost,
}

// Whatever the variant, the caller's rules, the sample and the statuses from outside,
// Explain says what the reference says, and Preempt chooses as it does.
func TestPropertyRulesAgreeWithReference(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		if rapid.IntRange(0, 2).Draw(t, "empty selector") == 0 {
			c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: "all", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{}})
		}
		if rapid.IntRange(0, 4).Draw(t, "deferred resize") == 0 {
			p = drawResizing(t, c)
		}
		config := engine.DrawConfig(t)
		// Exact victims have a slow form of their own, see TestPropertyExactWithFilters.
		config.Victims, config.Scorers, config.Profile = nil, nil, preemption.Profile{}
		offset := rapid.IntRange(-50, 50).Draw(t, "offset")
		in := reference.Input{Cluster: c, Pod: p, Now: gen.Now, Variant: variantOf(&config, p, offset), Setup: reference.Setup{Schedulers: config.Profile.Schedulers}}
		in.Ranks = ranksOf(&config)
		in.Cost = config.Cost
		if rapid.IntRange(0, 3).Draw(t, "score") == 0 {
			score := func(violations, victims int) int64 { return -int64((victims + 2*violations) % 3) }
			config.Scorers = []preemption.Scorer{{Name: "own", Score: func(c *preemption.Candidate) int64 { return score(c.Score.Violations, len(c.Victims)) }}}
			in.Variant.Score = func(c reference.Candidate) int64 { return score(c.Violations, len(c.Victims)) }
		}
		if rapid.IntRange(0, 3).Draw(t, "node rule") == 0 {
			in.Variant.Own = turnDown
			config.Filters = []*preemption.Filter{{Name: "own", Key: func(*outrank.Pod) string { return "" }, Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
				s := turnDown(n)
				return preemption.Status{Code: referenceCodes[s.Code], Reasons: s.Reasons}
			}}}
		}
		snap := newSnapshot(t, c)
		req := preemption.Request{Pod: p, Now: gen.Now, Offset: offset}
		if statuses := engine.DrawStatuses(t, snap); statuses != nil {
			req.Statuses = plantest.ByName(statuses)
			in.Variant.Statuses = map[string]reference.Status{}
			for node, s := range statuses {
				in.Variant.Statuses[node] = status(s)
			}
		}
		want := sortReasons(reference.Decide(in))
		e := newEvaluator(t, config).Parallel(rapid.IntRange(0, 3).Draw(t, "workers"))
		ex, err := e.Explain(context.Background(), snap, req)
		require.NoError(t, err)
		got := asReference(ex)
		got.ClearedNominations = want.ClearedNominations // the answer has them
		if diff := testdiff.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%+v (-reference +Explain):\n%s", config, diff)
		}
		for range 2 {
			plan, err := e.Preempt(context.Background(), snap, req)
			require.NoError(t, err)
			require.Empty(t, testdiff.Diff(decided(want).searched(), answered(plan)), "(-reference +Preempt)")
		}
	})
}

// turnDown turns some nodes down.
func turnDown(n *outrank.Node) reference.Status {
	if n.Name[len(n.Name)-1]%3 == 0 {
		return reference.Status{Code: reference.Unschedulable, Plugin: "own", Reasons: []string{"not this one"}}
	}
	return reference.Status{}
}

// ranksOf returns the ranks of a configuration as the reference takes them.
func ranksOf(config *preemption.Config) []reference.Rank {
	ranks := config.Ranks
	switch {
	case ranks != nil:
	case config.Variant == outrank.VariantV1_13:
		ranks = []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByPrioritySum, preemption.ByVictims}
	case config.Variant == outrank.VariantSimplified:
		ranks = []preemption.Rank{preemption.ByViolations, preemption.ByTopPriority, preemption.ByVictims, preemption.ByPrioritySum}
	default:
		return nil
	}
	out := make([]reference.Rank, len(ranks))
	for i, r := range ranks {
		out[i] = namedRanks[r]
	}
	return out
}

// variantOf returns a configuration as the reference takes it, for a pod and the offset of a sample.
func variantOf(config *preemption.Config, p *outrank.Pod, offset int) reference.Variant {
	old, simplified := config.Variant == outrank.VariantV1_13, config.Variant == outrank.VariantSimplified
	alone := config.Budgets == preemption.ChargeVictims
	r := reference.Variant{
		Importance: config.Importance,
		Charging: reference.Charging{
			Strict: config.Budgets == preemption.NeverViolate, VictimsAlone: alone && !simplified, Uncharged: old && !alone,
			PerBudget: simplified && !alone, EmptySelectors: simplified, CountTwice: simplified,
		},
		IgnoreStart: old, IgnoreNever: old, WaitForTerminating: old,
		ReadFirst: old && !alone, TryUnasked: old, TakeFree: old,
		Ascending: simplified, EvictUnprioritized: simplified, FilterOnce: simplified, WaitWhileNominated: simplified,
		ClearAlways: old || simplified, NominatedInTurn: old,
	}
	if refuse := config.Eligibility.Refuse; refuse != nil {
		r.MayPreempt = func(nominated reference.Status, rule string) string {
			s := preemption.Status{Code: referenceCodes[nominated.Code], Filter: nominated.Plugin, ExcludedBy: nominated.ExcludedBy, Reasons: nominated.Reasons}
			for _, by := range []preemption.Ineligibility{"", preemption.PolicyNever, preemption.VictimsTerminating, preemption.Nominated, preemption.Disabled} {
				if by.Message() == rule {
					return refuse(p, by, s).Message()
				}
			}
			panic(rule)
		}
	}
	takes := func(victim *outrank.Pod) bool {
		if config.Eligibility.Take == nil {
			return true
		}
		_, ok := config.Eligibility.Take(p, victim)
		return ok
	}
	if config.Eligibility.AnyPriority {
		r.MayTake = takes
	} else {
		r.MayEvict = takes
	}
	if config.Guard != nil {
		r.Guard = func(gone []*outrank.Pod) reference.Status { return status(engine.GuardOf(config.Guard, gone)) }
	}
	if s := config.Sample; s != nil {
		r.Sample = &reference.Sample{Offset: func(nodes int) int { return (offset%nodes + nodes) % nodes }, Enough: func(nodes int) int { return enough(s, nodes) }}
	}
	return r
}

// enough is how many candidates of so many nodes a sample takes (rules 10.1.2 and
// 10.1.5).
func enough(s *preemption.Sample, nodes int) int {
	percent, minimum := s.Percent, s.Minimum
	if percent == 0 {
		percent = 10
	}
	if minimum == 0 {
		minimum = 100
	}
	return slices.Min([]int{nodes, max(0, minimum, nodes*percent/100)})
}
