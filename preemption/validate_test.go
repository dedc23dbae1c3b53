package preemption_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The compiler takes the address of a VictimRule, and a type that embeds one, for a VictimRule, too. Both are
// refused, because nothing reads them.
func TestVictimRulesAreValues(t *testing.T) {
	for _, rule := range []preemption.VictimRule{
		&preemption.Exact{}, &preemption.Across{}, &preemption.Chooser{}, (*preemption.Exact)(nil), struct{ preemption.Exact }{},
	} {
		err := (&preemption.Config{Victims: rule}).Validate()
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, "preemption config: Victims: a ")
	}
	for _, rule := range []preemption.VictimRule{preemption.Exact{}, preemption.Across{}, nil} {
		assert.NoError(t, (&preemption.Config{Victims: rule}).Validate())
	}
}

// Each problem of a configuration is told with its field, and a valid configuration has none.
func TestConfigProblems(t *testing.T) {
	status := func(*outrank.Pod, *outrank.Node) preemption.Status { return preemption.Status{} }
	start := func(*outrank.Pod, preemption.View) (preemption.FilterState, error) { return nil, nil }
	guard := func([]*outrank.Pod, preemption.View) (preemption.GuardState, error) { return nil, nil }
	process := func(context.Context, *outrank.Pod, []preemption.Candidate) ([]preemption.Candidate, error) {
		return nil, nil
	}
	cost, figure := func(*outrank.Pod) int64 { return 0 }, func(*preemption.Candidate) int64 { return 0 }
	all := func(preemption.NodeView) []*outrank.Pod { return nil }
	selects := func(*outrank.Pod) *outrank.LabelSelector { return nil }
	hard := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone"}
	soft := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: outrank.ScheduleAnyway}
	constraints := func(cs ...outrank.TopologySpreadConstraint) preemption.Profile {
		return preemption.Profile{DefaultConstraints: cs, SpreadSelector: selects}
	}
	ranks := func(rs ...preemption.Rank) preemption.Config { return preemption.Config{Ranks: rs} }
	filters := func(fs ...*preemption.Filter) preemption.Config { return preemption.Config{Filters: fs} }
	affinity := func(r outrank.NodeRequirement) preemption.Config {
		terms := []outrank.NodeSelectorTerm{{}, {MatchExpressions: []outrank.NodeRequirement{r}}}
		return preemption.Config{Profile: preemption.Profile{AddedAffinity: &outrank.NodeSelector{NodeSelectorTerms: terms}}}
	}

	for _, test := range []struct {
		config preemption.Config
		field  string // of the only problem; empty where there is none
	}{
		{preemption.Config{}, ""},
		{preemption.Config{Variant: outrank.VariantSimplified}, ""},
		{preemption.Config{Variant: 99}, "Variant"},

		{preemption.Config{Sample: &preemption.Sample{Percent: 100, Minimum: -1}}, ""},
		{preemption.Config{Sample: &preemption.Sample{Percent: -1}}, ""},
		{preemption.Config{Sample: &preemption.Sample{Percent: 101}}, "Sample.Percent"},
		{preemption.Config{Sample: &preemption.Sample{Percent: -1, Minimum: -1}}, "Sample.Percent"},

		{filters(&preemption.Filter{Name: "a", Node: status}, &preemption.Filter{Name: "b", Start: start}), ""},
		{filters(&preemption.Filter{Name: "a", Node: status, Key: func(*outrank.Pod) string { return "" }}), ""},
		{filters(&preemption.Filter{Name: "a", Start: start, Concerns: func(*outrank.Pod) bool { return true }}), ""},
		{filters(nil), "Filters[0]"},
		{filters(&preemption.Filter{Node: status}), "Filters[0].Name"},
		{filters(&preemption.Filter{Name: "NodePorts", Node: status}), "Filters[0].Name"},
		{filters(&preemption.Filter{Name: "a", Node: status}, &preemption.Filter{Name: "a", Node: status}), "Filters[1].Name"},
		{filters(&preemption.Filter{Name: "a"}), "Filters[0]"},
		{filters(&preemption.Filter{Name: "a", Node: status, Start: start}), "Filters[0]"},
		{filters(&preemption.Filter{Name: "a", Start: start, Key: func(*outrank.Pod) string { return "" }}), "Filters[0].Key"},
		{filters(&preemption.Filter{Name: "a", Node: status, Concerns: func(*outrank.Pod) bool { return true }}), "Filters[0].Concerns"},

		{preemption.Config{Extenders: []preemption.Extender{{Process: process}}}, ""},
		{preemption.Config{Extenders: []preemption.Extender{{Process: process}, {}}}, "Extenders[1].Process"},

		{preemption.Config{Guard: &preemption.Guard{Name: "a", Start: guard}}, ""},
		{preemption.Config{Guard: &preemption.Guard{Start: guard}}, "Guard.Name"},
		{preemption.Config{Guard: &preemption.Guard{Name: "NodePorts", Start: guard}}, "Guard.Name"},
		{preemption.Config{Guard: &preemption.Guard{Name: "a"}}, "Guard.Start"},

		{preemption.Config{Victims: preemption.Chooser{Name: "a", Choose: all}}, ""},
		{preemption.Config{Victims: preemption.Chooser{Choose: all}}, "Victims.Name"},
		{preemption.Config{Victims: preemption.Chooser{Name: "a"}}, "Victims.Choose"},
		{preemption.Config{Victims: preemption.Exact{Limit: 1}, Sample: &preemption.Sample{}}, ""},
		{preemption.Config{Victims: preemption.Exact{Limit: -1}}, "Victims.Limit"},
		{preemption.Config{Victims: preemption.Across{Limit: -1}}, "Victims.Limit"},
		{preemption.Config{Victims: preemption.Across{}, Sample: &preemption.Sample{}}, "Sample"},
		{preemption.Config{Victims: preemption.Exact{}, Guard: &preemption.Guard{Name: "a", Start: guard}}, "Guard"},
		{preemption.Config{Victims: preemption.Exact{}, Extenders: []preemption.Extender{{Process: process}}}, "Extenders"},
		{preemption.Config{Victims: preemption.Exact{}, Ranks: []preemption.Rank{{Name: "a", Cost: cost}}}, ""},
		{preemption.Config{Victims: preemption.Exact{}, Ranks: []preemption.Rank{{Name: "a", Figure: figure}}}, "Ranks[0].Figure"},
		{preemption.Config{Victims: preemption.Exact{}, Ranks: []preemption.Rank{{Name: "a", Cost: cost}, preemption.ByStart, {Name: "b", Cost: cost}}}, "Ranks[2].Cost"},

		{preemption.Config{Budgets: preemption.NeverViolate}, ""},
		{preemption.Config{Budgets: preemption.NeverViolate + 1}, "Budgets"},
		{preemption.Config{Budgets: preemption.NeverViolate, Guard: &preemption.Guard{Name: "a", Start: guard}}, "Guard"},
		{preemption.Config{Budgets: preemption.NeverViolate, Extenders: []preemption.Extender{{Process: process}}}, "Extenders"},

		{ranks(preemption.DefaultRanks()...), ""},
		{ranks(preemption.Rank{Name: "a", Cost: cost}, preemption.Rank{Name: "b", Figure: figure}, preemption.Rank{Name: "c", Cost: cost}), ""},
		{ranks(preemption.Rank{Cost: cost}), "Ranks[0].Name"},
		{ranks(preemption.Rank{Name: "node-order", Cost: cost}), "Ranks[0].Name"},
		{ranks(preemption.ByStart, preemption.ByStart), "Ranks[1]"},
		{ranks(preemption.Rank{Name: "a", Cost: cost, Figure: figure}), "Ranks[0]"},
		{ranks(preemption.Rank{Name: "start-time", Cost: cost}), "Ranks[0].Name"},
		{ranks(preemption.Rank{Name: "victim-count", Figure: figure}), "Ranks[0].Name"},
		{ranks(preemption.Rank{Name: "a"}), "Ranks[0]"},

		{preemption.Config{Profile: preemption.Profile{Schedulers: []string{"a", "b"}, Off: []string{"NodePorts", "DefaultPreemption"}, OffOnNodes: []string{"NodeAffinity"}}}, ""},
		{preemption.Config{Profile: preemption.Profile{Schedulers: []string{"a", ""}}}, "Profile.Schedulers[1]"},
		{preemption.Config{Profile: preemption.Profile{Off: []string{"NodePort"}}}, "Profile.Off[0]"},
		{preemption.Config{Profile: preemption.Profile{OffOnNodes: []string{"DefaultPreemption"}}}, "Profile.OffOnNodes[0]"},
		{preemption.Config{Profile: constraints(hard, soft)}, ""},
		{preemption.Config{Profile: preemption.Profile{DefaultConstraints: []outrank.TopologySpreadConstraint{soft}}}, ""},
		{preemption.Config{Profile: preemption.Profile{DefaultConstraints: []outrank.TopologySpreadConstraint{hard}}}, "Profile.SpreadSelector"},
		{preemption.Config{Profile: constraints(outrank.TopologySpreadConstraint{TopologyKey: "zone"})}, "Profile.DefaultConstraints[0].MaxSkew"},
		{preemption.Config{Profile: constraints(outrank.TopologySpreadConstraint{MaxSkew: 1})}, "Profile.DefaultConstraints[0].TopologyKey"},
		{preemption.Config{Profile: constraints(outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", LabelSelector: &outrank.LabelSelector{}})}, "Profile.DefaultConstraints[0].Selector"},
		{preemption.Config{Profile: constraints(outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: "Never"})}, "Profile.DefaultConstraints[0].WhenUnsatisfiable"},

		{preemption.Config{Profile: preemption.Profile{AddedAffinity: &outrank.NodeSelector{}}}, ""},
		{affinity(outrank.NodeRequirement{Key: "disk", Operator: outrank.In, Values: []string{"ssd"}}), ""},
		{affinity(outrank.NodeRequirement{Key: "cores", Operator: outrank.Gt, Values: []string{"4"}}), ""},
		{affinity(outrank.NodeRequirement{Key: "disk", Operator: outrank.In}), "Profile.AddedAffinity.nodeSelectorTerms[1].matchExpressions[0]"},
		{affinity(outrank.NodeRequirement{Key: "disk", Operator: outrank.In, Values: []string{"-"}}), "Profile.AddedAffinity.nodeSelectorTerms[1]"},
		{affinity(outrank.NodeRequirement{Key: "cores", Operator: outrank.Gt, Values: []string{"many"}}), "Profile.AddedAffinity.nodeSelectorTerms[1]"},
	} {
		err := test.config.Validate()
		if test.field == "" {
			assert.NoError(t, err, "%+v", test.config)
			continue
		}
		var wrong *outrank.InputError
		if assert.ErrorAs(t, err, &wrong, "%s", test.field) && assert.Len(t, wrong.Problems, 1, "%v", err) {
			assert.Equal(t, "preemption config", wrong.Problems[0].Object)
			assert.Equal(t, test.field, wrong.Problems[0].Field)
			assert.NotEmpty(t, wrong.Problems[0].Text)
		}
	}
	require.ErrorIs(t, (*preemption.Config)(nil).Validate(), outrank.ErrInvalid)
}
