package explain_test

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// configs are other rules than those of the default scheduler.
func configs() map[string]preemption.Config {
	return map[string]preemption.Config{
		"v1.13":      {Variant: outrank.VariantV1_13},
		"simplified": {Variant: outrank.VariantSimplified},
		"may preempt": {
			Eligibility: preemption.Eligibility{Refuse: func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility {
				return "not between 9 and 5"
			}},
		},
		"disabled": {Profile: preemption.Profile{Off: []string{preemption.DefaultPreemption}}},
		"ranks":    {Ranks: []preemption.Rank{preemption.ByStart, {Name: "long", Cost: func(p *outrank.Pod) int64 { return int64(len(p.Name)) }}, preemption.ByVictims}},
		"figure":   {Ranks: []preemption.Rank{{Name: "name", Figure: func(c *preemption.Candidate) int64 { return int64(len(c.Victims)) }}}},
		"chooser": {
			Victims:     preemption.Chooser{Name: "all", Choose: func(v preemption.NodeView) []*outrank.Pod { return v.Possible() }},
			Eligibility: preemption.Eligibility{AnyPriority: true},
		},
		"may take": {
			Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(_, victim *outrank.Pod) (rule string, ok bool) {
				return "named so", len(victim.Name)%3 > 0
			}},
		},
		"guard":        {Guard: oneOfEach()},
		"no resources": {Profile: preemption.Profile{Off: []string{preemption.NodeResourcesFit}}},
		"added affinity": {
			Profile: preemption.Profile{AddedAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{
				{MatchExpressions: []outrank.NodeRequirement{{Key: "zone", Operator: outrank.In, Values: []string{"a"}}}},
			}}},
		},
		"sample": {Sample: &preemption.Sample{Percent: 40}},
		"filter": {Filters: []*preemption.Filter{{Name: "Odd", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			if n.Name == "n1" {
				return preemption.Unschedulable.Because("odd")
			}
			return preemption.Status{}
		}}}},
	}
}

// oneOfEach returns a guard that lets one pod of each app go.
func oneOfEach() *preemption.Guard {
	return &preemption.Guard{Name: "OneOfEach", Start: func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) {
		return gone{}, nil
	}}
}

// gone counts those who are away by app.
type gone map[string]int

func (g gone) Remove(p *outrank.Pod, _ *outrank.Node) { g[p.Labels["app"]]++ }
func (g gone) Add(p *outrank.Pod, _ *outrank.Node)    { g[p.Labels["app"]]-- }
func (gone) Rule(*outrank.Pod) string                 { return "one of each" }
func (g gone) Clone() preemption.GuardState           { return maps.Clone(g) }

func (g gone) Check() preemption.Status {
	for _, n := range g {
		if n > 1 {
			return preemption.Unschedulable.Because("no more than one of each app")
		}
	}
	return preemption.Status{}
}

// By any rules every node has its group, what is short is short, and what is said to be
// enough is enough.
func TestPropertyOtherConfigurations(t *testing.T) {
	for name, config := range configs() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				shape := rapid.SampledFrom([]string{"full", "resources", "nominated", "units", "far units"}).Draw(t, "shape")
				q := &question{T: t, cluster: gen.Cluster(shapes[shape]).Draw(t, "cluster"), pod: gen.Preemptor(shapes[shape]).Draw(t, "preemptor")}
				q.pod.Group = ""
				q.ask(config)
				q.holds(name != "chooser" && name != "simplified")
			})
		})
	}
}

// holds tests what holds by any rules; short where pods that are gone do not come back.
func (q *question) holds(removals bool) {
	count := 0
	for _, g := range q.report.Nodes {
		count += g.Names.Len()
		if g.Before != nil {
			q.shortIsShort(g.Example, nil, g.Before.Short)
		}
		if g.After != nil && removals {
			q.shortIsShort(g.Example, q.possible(g.Example), g.After.Short)
		}
	}
	require.Equal(q, len(q.ex.Nodes), count)
	require.NotEmpty(q, q.report.Text())
	if c := q.report.Choice; c != nil {
		if len(q.ex.Candidates) > 1 {
			require.Equal(q, cmp.Or(q.ex.DecidedBy, "node-order"), c.DecidedBy)
		} else {
			require.Empty(q, c.DecidedBy)
		}
		require.True(q, slices.IsSortedFunc(c.Rounds, func(a, b explain.Round) int { return b.Left - a.Left }))
		if len(c.Rounds) > 0 {
			require.GreaterOrEqual(q, c.Rounds[len(c.Rounds)-1].Left, 1)
		}
	}
	if n := q.report.Nothing; n != nil && n.Enough != nil {
		for less := range int32(2) {
			pod := *q.pod
			pod.Priority = outrank.Priority(n.Enough.Priority - less)
			plan, err := q.eval.Preempt(q.Context(), q.snap, preemption.Request{Pod: &pod, Now: q.request().Now})
			require.NoError(q, err)
			require.Equal(q, less == 0, plan.Outcome == preemption.Preempts || plan.Outcome == preemption.Fits)
		}
	}
}

// Each victim has the rule that allows it and its true priority, in the answer and its text.
func TestRulesOfVictims(t *testing.T) {
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "2", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "boss", NodeName: "n1", Priority: outrank.Priority(50), Containers: asking("cpu", "1")},
			{Name: "low", NodeName: "n1", Priority: outrank.Priority(1), Containers: asking("cpu", "1")},
		},
	})
	require.NoError(t, err)
	e, err := engine.New(preemption.Config{
		Eligibility: preemption.Eligibility{AnyPriority: true, Take: func(p, v *outrank.Pod) (rule string, ok bool) {
			if v.PriorityValue() < p.PriorityValue() {
				return "lower priority", true
			}
			return "it lent that", true
		}},
	})
	require.NoError(t, err)
	req := preemption.Request{Pod: &outrank.Pod{Name: "web", Priority: outrank.Priority(7), Containers: asking("cpu", "2")}}
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: req}, explain.Options{})
	require.NoError(t, err)
	require.Len(t, r.Victims.Items, 2)
	for i, want := range []string{"it lent that", "lower priority"} {
		require.Equal(t, want, r.Victims.Items[i].Rule)
	}
	require.Contains(t, r.Text(), "default/boss (priority 50): ")
	require.Contains(t, r.Text(), "the rule that allows it: it lent that")
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(text), `"rule":"it lent that"`)
}

// What the caller's rule says is what the report says, and the answer about a node.
func TestRefusalOfTheCaller(t *testing.T) {
	const refusal = "not between 9 and 5."
	e, err := engine.New(preemption.Config{
		Eligibility: preemption.Eligibility{Refuse: func(*outrank.Pod, preemption.Ineligibility, preemption.Status) preemption.Ineligibility {
			return refusal
		}},
	})
	require.NoError(t, err)
	runs := &outrank.Pod{Name: "batch", NodeName: "n", Priority: outrank.Priority(0), Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}}}
	asks := &outrank.Pod{Name: "web", Priority: outrank.Priority(9), Containers: runs.Containers}
	snap, err := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "1", "pods", "9")}}, Pods: []*outrank.Pod{runs},
	})
	require.NoError(t, err)
	r, err := explain.Ask(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: asks, Now: gen.Now}}, explain.Options{})
	require.NoError(t, err)
	require.Equal(t, preemption.Ineligibility(refusal), r.Ineligible)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(text), `"ineligible":"by-caller","refusal":"`+string(refusal)+`"`)
	var again explain.Report
	require.NoError(t, json.Unmarshal(text, &again))
	require.Equal(t, r.Ineligible, again.Ineligible)
	require.Contains(t, r.Summary(), "may not push others out: the caller's rule says: not between 9 and 5.")
	ex, err := e.Explain(context.Background(), snap, preemption.Request{Pod: asks, Now: gen.Now})
	require.NoError(t, err)
	a, err := explain.WhyNot(context.Background(), explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: asks, Now: gen.Now}, Plan: ex}, "n", explain.Options{})
	require.NoError(t, err)
	require.Equal(t, preemption.Ineligibility(refusal), a.Ineligible)
}
