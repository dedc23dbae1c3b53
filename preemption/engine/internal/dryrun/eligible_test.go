package dryrun_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/dryrun"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// Each rule of chapter 8 decides whether a pod may preempt.
func TestEligible(t *testing.T) {
	leaving := func(p *outrank.Pod) { p.DeletionTimestamp, p.DisruptionReason = now, outrank.PreemptionByScheduler }
	nominated := func(p *outrank.Pod) { p.NominatedNodeName = "n" }
	const full, never = filters.Unschedulable, filters.UnschedulableAndUnresolvable
	for _, test := range []struct {
		name   string
		asks   []func(*outrank.Pod)
		runs   func(*outrank.Pod) // a pod of lower priority on the node
		node   filters.Code       // what the node says in this attempt
		config preemption.Config
		want   preemption.Ineligibility
	}{
		{name: "8.8: it may", node: full},
		{name: "8.2: its policy is Never", asks: []func(*outrank.Pod){func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }}, node: full, want: preemption.PolicyNever},
		{name: "8.3: its victims are leaving", asks: []func(*outrank.Pod){nominated}, runs: leaving, node: full, want: preemption.VictimsTerminating},
		{name: "8.3: it is nominated nowhere", runs: leaving, node: full},
		{name: "8.3: nobody leaves", asks: []func(*outrank.Pod){nominated}, node: full},
		{name: "8.3: none that it may evict", asks: []func(*outrank.Pod){nominated}, runs: func(p *outrank.Pod) {
			leaving(p)
			p.Priority = outrank.Priority(10)
		}, node: full},
		{name: "8.4: one that leaves for another reason", asks: []func(*outrank.Pod){nominated}, runs: func(p *outrank.Pod) { p.DeletionTimestamp = now }, node: full},
		{name: "8.6: the node takes it", asks: []func(*outrank.Pod){nominated}, runs: leaving, node: filters.Success},
		{name: "8.6: the node is unresolvable", asks: []func(*outrank.Pod){nominated}, runs: leaving, node: never},
		{name: "8.7: the node does not exist", asks: []func(*outrank.Pod){func(p *outrank.Pod) { p.NominatedNodeName = "gone" }}, runs: leaving, node: full},
		{name: "8.13: a rule of the caller", node: full, config: preemption.Config{Eligibility: preemption.Eligibility{
			Refuse: func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility {
				return "not on Sundays"
			},
		}}, want: "not on Sundays"},
		{name: "8.13: a rule that allows it all the same", asks: []func(*outrank.Pod){nominated}, runs: leaving, node: full, config: preemption.Config{Eligibility: preemption.Eligibility{
			Refuse: func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility { return "" },
		}}},
		{name: "nobody may", node: full, config: preemption.Config{Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}}, want: preemption.Disabled},
		{name: "13.2.5: v1.13 waits for whoever leaves", asks: []func(*outrank.Pod){nominated}, runs: func(p *outrank.Pod) { p.DeletionTimestamp = now }, node: never, config: preemption.Config{Variant: outrank.VariantV1_13}, want: preemption.VictimsTerminating},
		{name: "13.3.7: the simplified variant waits for its node", asks: []func(*outrank.Pod){nominated}, node: full, config: preemption.Config{Variant: outrank.VariantSimplified}, want: preemption.Nominated},
	} {
		t.Run(test.name, func(t *testing.T) {
			asks, runs := &outrank.Pod{Name: "asks", Priority: outrank.Priority(10)}, &outrank.Pod{Name: "runs", NodeName: "n", Priority: outrank.Priority(5)}
			for _, change := range test.asks {
				change(asks)
			}
			if test.runs != nil {
				test.runs(runs)
			}
			snap, err := state.New(&outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{runs}}, state.UsualTraits)
			require.NoError(t, err)
			terms := dryrun.TermsOf(test.config)
			a, err := dryrun.NewAttempt(context.Background(), &terms, snap, asks, now)
			require.NoError(t, err)
			got := a.Eligible(func(node string) (filters.Status, bool) { return filters.Status{Code: test.node}, node == "n" })
			assert.Equal(t, test.want, got)
		})
	}
}

// Of the pods nominated to a node, those of lower priority lose that, but not where all victims leave already
// (rules 14.3.3 and 14.2.6).
func TestClearedNominations(t *testing.T) {
	waits := func(name string, priority int32) *outrank.Pod {
		return &outrank.Pod{Name: name, NominatedNodeName: "n", Priority: outrank.Priority(priority)}
	}
	snap, err := state.New(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n"}}, Pods: []*outrank.Pod{waits("low", 1), waits("lower", 0), waits("as-high", 10), waits("asks", 10)},
	}, state.UsualTraits)
	require.NoError(t, err)
	asks, _ := snap.Pod("default/asks")
	a, err := dryrun.NewAttempt(context.Background(), &dryrun.Terms{}, snap, asks, now)
	require.NoError(t, err)
	running := preemption.Victim{Pod: &outrank.Pod{Name: "v"}}
	leaving := preemption.Victim{Pod: &outrank.Pod{Name: "w", DeletionTimestamp: now}}
	assert.Equal(t, []string{"low", "lower"}, names(a.ClearedNominations(snap.NodeState("n"), []preemption.Victim{leaving, running})))
	assert.Empty(t, a.ClearedNominations(snap.NodeState("n"), []preemption.Victim{leaving}))
}
