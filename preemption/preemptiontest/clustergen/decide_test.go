package clustergen_test

import (
	"cmp"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
)

// draws is how many clusters the statistics are made from.
const draws = 400

func explain(t *testing.T, shape clustergen.Shape, seed uint64) *preemption.Plan {
	t.Helper()
	c := cluster(t, shape, seed)
	c.Release = outrank.Releases()[seed%2]
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	eval, err := engine.New(preemption.Config{})
	require.NoError(t, err)
	ex, err := eval.Explain(context.Background(), snap, preemption.Request{Pod: preemptor(t, shape, seed), Now: clustergen.Now()})
	require.NoError(t, err)
	return ex
}

// Most decisions have something to decide: nodes where preemption helps, and few
// victims on each, but often more than one.
func TestZeroShapeLeadsToPreemption(t *testing.T) {
	helped, choice, candidates, few, several := 0, 0, 0, 0, 0
	for seed := range uint64(draws) {
		ex := explain(t, clustergen.Shape{}, seed)
		if len(ex.Candidates) > 0 {
			helped++
		}
		if len(ex.Candidates) > 1 {
			choice++
		}
		for _, c := range ex.Candidates {
			candidates++
			if len(c.Victims) <= 4 {
				few++
			}
			if len(c.Victims) > 1 {
				several++
			}
		}
	}
	assert.Greater(t, helped, draws*70/100, "draws with a candidate")
	assert.Greater(t, choice, draws*60/100, "draws with two candidates or more")
	assert.Greater(t, few, candidates*90/100, "candidates with 1 to 4 victims")
	assert.Greater(t, several, candidates*40/100, "candidates with 2 victims or more")
}

// decidedBy is what decides between the first two candidates.
func decidedBy(ex *preemption.Plan) string {
	if len(ex.Candidates) < 2 {
		return ""
	}
	return cmp.Or(ex.DecidedBy, "node-order")
}

// Every outcome, every rank that decides and every way for a node to fail turns
// up.
func TestFullReachesEverything(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(draws) {
		ex := explain(t, clustergen.Full(), seed)
		seen["outcome "+string(ex.Outcome)]++
		seen["ineligible "+ex.Ineligible.Message()]++
		seen["decided by "+decidedBy(ex)]++
		seen["cleared"] += len(ex.ClearedNominations)
		for _, c := range ex.TurnedDown {
			seen["filter "+c.Filter+" "+c.Code.String()]++
		}
		for _, c := range ex.Unhelpful {
			seen["dry run "+c.Filter+" "+c.Code.String()]++
		}
		for _, c := range ex.Candidates {
			if c.Score.Violations > 0 && c.Score.Violations < len(c.Victims) {
				seen["some violate"]++
			}
		}
	}
	wanted := []string{"cleared", "some violate", "filter  unschedulable-and-unresolvable", "dry run  unschedulable-and-unresolvable"}
	for _, o := range []preemption.Outcome{preemption.Fits, preemption.NotEligible, preemption.NothingHelps, preemption.Preempts} {
		wanted = append(wanted, "outcome "+string(o))
	}
	for _, i := range []preemption.Ineligibility{preemption.PolicyNever, preemption.VictimsTerminating} {
		wanted = append(wanted, "ineligible "+i.Message())
	}
	for _, r := range append(preemption.DefaultRanks(), preemption.Rank{Name: "node-order"}) {
		if r.Name != preemption.ByVictims.Name { // an equal sum of priorities mostly means as many victims
			wanted = append(wanted, "decided by "+r.Name)
		}
	}
	for _, e := range filter.Entries() {
		if e.Name == filter.DeferredPodScheduling {
			continue // the preemptors that are drawn have no node
		}
		if e.Fails.Has(filter.CurableFailure) {
			code := preemption.Unschedulable.String()
			wanted = append(wanted, "filter "+e.Name+" "+code, "dry run "+e.Name+" "+code)
		}
		if e.Fails.Has(filter.IncurableFailure) {
			wanted = append(wanted, "filter "+e.Name+" "+preemption.UnschedulableAndUnresolvable.String())
		}
	}
	for _, what := range wanted {
		assert.Positive(t, seen[what], what)
	}
}

// Groups that look for places find one, have to preempt, or do neither.
func TestPreemptorGroupsDecide(t *testing.T) {
	seen := map[preemption.Outcome]int{}
	own, alone, unlike := 0, 0, 0
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	shape := clustergen.Shape{Groups: 2, Nominated: 2}
	for seed := range uint64(200) {
		c := cluster(t, shape, seed)
		c.Release = release
		snap, err := engine.NewSnapshot(c)
		require.NoError(t, err)
		eval, err := engine.New(preemption.Config{})
		require.NoError(t, err)
		pods := preemptorGroup(t, shape, seed)
		plan, err := eval.PreemptGroup(context.Background(), snap, preemption.GroupRequest{Pods: pods, Now: clustergen.Now()})
		if err != nil { // they are not alike, or not as their group in the cluster
			require.ErrorIs(t, err, outrank.ErrInvalid)
			unlike++
			continue
		}
		seen[plan.Outcome]++
		if pods[0].Group == "" {
			alone++
		} else if pods[0].Group != "gang" {
			own++
		}
	}
	assert.Positive(t, seen[preemption.Fits])
	assert.Greater(t, seen[preemption.Preempts], 50)
	assert.Greater(t, seen[preemption.NothingHelps], 20)
	assert.Positive(t, own, "groups that have pods in the cluster")
	assert.Positive(t, alone, "pods of no group")
	assert.Less(t, unlike, 100)
}
