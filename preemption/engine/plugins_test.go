package engine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// drawProfile draws what a configuration can change about the filters.
func drawProfile(t *rapid.T) preemption.Profile {
	some := func(label string, names []string) []string {
		if rapid.IntRange(0, 2).Draw(t, label) < 2 {
			return nil
		}
		return rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 3, rapid.ID).Draw(t, label+" filters")
	}
	p := preemption.Profile{
		Off: some("off", builtInFilters()), OffOnNodes: some("off on nodes", builtInFilters()),
		SpreadSelector: func(pod *outrank.Pod) *outrank.LabelSelector {
			if pod.Labels["app"] == "" {
				return nil
			}
			return &outrank.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}}
		},
	}
	term := func(key string, op outrank.Operator, values ...string) outrank.NodeSelectorTerm {
		return byLabel(key, op, values...)
	}
	p.AddedAffinity = rapid.SampledFrom([]*outrank.NodeSelector{
		nil, nil,
		{NodeSelectorTerms: []outrank.NodeSelectorTerm{term(outrank.ZoneLabel, outrank.In, "z2")}},
		{NodeSelectorTerms: []outrank.NodeSelectorTerm{term(outrank.ZoneLabel, outrank.Exists), term("rack", outrank.In, "r2")}},
		{NodeSelectorTerms: []outrank.NodeSelectorTerm{term(outrank.ZoneLabel, outrank.NotIn, "z1")}},
		{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.NotIn, Values: []string{"n0"}}}}}},
		{},
	}).Draw(t, "added affinity")
	if rapid.Bool().Draw(t, "ignores resources") {
		p.IgnoredResources = []resource.Name{"example.com/gpu", "cpu"}
		p.IgnoredResourceGroups = []string{"example.com", "memory"}
	}
	if rapid.Bool().Draw(t, "default constraints") {
		for i := range rapid.IntRange(1, 2).Draw(t, "constraints") {
			c := outrank.TopologySpreadConstraint{
				MaxSkew:           int32(rapid.IntRange(1, 2).Draw(t, "skew")),
				TopologyKey:       []string{outrank.ZoneLabel, "kubernetes.io/hostname"}[i],
				WhenUnsatisfiable: rapid.SampledFrom([]outrank.UnsatisfiablePolicy{outrank.DoNotSchedule, outrank.DoNotSchedule, outrank.ScheduleAnyway, ""}).Draw(t, "when"),
				MatchLabelKeys:    []string{"tier"},
			}
			p.DefaultConstraints = append(p.DefaultConstraints, c)
		}
	}
	return p
}

// Whatever a configuration changes about the filters, and whose nominations count, every
// way to an answer agrees with the book: the search, the cache (three configurations ask
// the same snapshot in turn), several workers, the explanation and the list of
// nodes that fit.
func TestPropertyProfiles(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"full", "volumes", "resources", "nominated"} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(shapes[name]).Draw(t, "cluster")
				p := gen.Preemptor(shapes[name]).Draw(t, "preemptor")
				snap := newSnapshot(t, c)
				drawn := drawProfile(t)
				drawn.Schedulers = drawSchedulers(t)
				configs := []preemption.Config{{}, {Profile: drawn}, {Profile: preemption.Profile{Schedulers: drawSchedulers(t)}}}
				for range 2 {
					for _, config := range configs {
						agreesWith(t, config, snap, c, p)
					}
				}
			})
		})
	}
}

func agreesWith(t *rapid.T, config preemption.Config, snap *engine.Snapshot, c *outrank.Cluster, p *outrank.Pod) {
	req := preemption.Request{Pod: p, Now: gen.Now}
	for _, workers := range []int{1, 3} {
		e := newEvaluator(t, config).Parallel(workers)
		got, err := e.Preempt(context.Background(), snap, req)
		require.NoError(t, err)
		sameAsBook(t, c, req, config, got)
		require.NoError(t, e.Verify(context.Background(), snap, got), "%+v", config)
	}
	e := newEvaluator(t, config).Parallel(3)
	ex, err := e.Explain(context.Background(), snap, req)
	require.NoError(t, err)
	sameAsBook(t, c, req, config, ex)

	var take []string // in the order of the nodes
	for _, n := range ex.Nodes {
		if n.Status.Code == preemption.Success {
			take = append(take, n.Node)
		}
	}
	if diff := testdiff.Diff(nominatedFirst(snap, p, take), feasible(t, e, snap, p), equateEmpty); diff != "" {
		t.Fatalf("with %+v (-Explain +Feasible):\n%s", config, diff)
	}
}

// Two configurations that differ in one thing ask the same snapshot in turn. What
// the cache keeps for one is not the answer of the other.
func TestProfilesAreInTheSignature(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "b")},
		Pods:  []*outrank.Pod{pod("p1", 1, "1", on("n1")), pod("p2", 2, "1", on("n2"))},
	}
	c.Nodes[0].Unschedulable = true
	elsewhere := &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{byLabel("kubernetes.io/os", outrank.DoesNotExist)}}
	for name, p := range map[string]preemption.Profile{
		"off":    {Off: []string{preemption.NodeUnschedulable}},
		"silent": {OffOnNodes: []string{preemption.NodeUnschedulable}},
		"added":  {Off: []string{preemption.NodeUnschedulable}, AddedAffinity: elsewhere},
	} {
		t.Run(name, func(t *testing.T) {
			snap := newSnapshot(t, c)
			for range 4 {
				for _, x := range []struct {
					profile preemption.Profile
					want    string
				}{{preemption.Profile{}, "n2"}, {p, "n1"}} {
					plan, err := newEvaluator(t, preemption.Config{Profile: x.profile}).Preempt(context.Background(), snap, preemption.Request{Pod: pod("asks", 10, "1"), Now: gen.Now})
					require.NoError(t, err)
					require.Equal(t, x.want, plan.Node, "%+v", x.profile)
				}
			}
		})
	}
}

// An evaluator that takes from anybody and one that does not ask the same snapshot in turn.
func TestAnyPriorityIsInTheSignature(t *testing.T) {
	snap := newSnapshot(t, &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n1", "1", "a"), node("n2", "1", "a")},
		Pods:    []*outrank.Pod{pod("equal", 10, "1", on("n1")), pod("lower", 1, "1", on("n2"), app("web"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "none", Selector: selects("web")}},
	})
	for range 4 {
		for _, anybody := range []bool{false, true} {
			e := newEvaluator(t, preemption.Config{Eligibility: preemption.Eligibility{AnyPriority: anybody}})
			plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("asks", 10, "1"), Now: gen.Now})
			require.NoError(t, err)
			require.Equal(t, map[bool]string{false: "n2 [default/lower]", true: "n1 [default/equal]"}[anybody], choice(plan.Candidate), "any priority: %v", anybody)
			require.NoError(t, e.Verify(context.Background(), snap, plan))
		}
	}
}

// The slices of what Config returns are the caller's, and so are those that New was given.
func TestConfigIsCopied(t *testing.T) {
	whole := func() preemption.Config {
		return preemption.Config{
			Profile: preemption.Profile{
				Schedulers: []string{"a"}, Off: []string{preemption.NodePorts}, OffOnNodes: []string{preemption.NodeName},
				IgnoredResources: []resource.Name{"example.com/a"}, IgnoredResourceGroups: []string{"example.com"},
				DefaultConstraints: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: outrank.ScheduleAnyway}},
			},
			Ranks: []preemption.Rank{preemption.ByVictims},
		}
	}
	given := whole()
	e := newEvaluator(t, given)
	for range 2 {
		p := &given.Profile
		p.Schedulers[0], p.Off[0], p.OffOnNodes[0], p.IgnoredResources[0], p.IgnoredResourceGroups[0] = "x", "x", "x", "x", "x"
		p.DefaultConstraints[0].TopologyKey, given.Ranks[0] = "x", preemption.ByStart
		assert.Equal(t, whole(), e.Config())
		given = e.Config()
	}
}

func TestProfileProblems(t *testing.T) {
	config := preemption.Config{
		Profile: preemption.Profile{
			Schedulers: []string{"a", ""},
			Off:        []string{"NodePorts", "ImageLocality", "DefaultPreemption"}, OffOnNodes: []string{"DefaultPreemption"},
			AddedAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{byLabel("zone", "in", "a")}},
			DefaultConstraints: []outrank.TopologySpreadConstraint{
				{LabelSelector: &outrank.LabelSelector{}, WhenUnsatisfiable: "Perhaps"},
				{MaxSkew: 1, TopologyKey: "zone"},
			},
		},
	}
	var err *outrank.InputError
	require.ErrorAs(t, config.Validate(), &err)
	var fields []string
	for _, p := range err.Problems {
		fields = append(fields, p.Field)
	}
	assert.Equal(t, []string{
		"Profile.Schedulers[1]", "Profile.Off[1]", "Profile.OffOnNodes[0]",
		"Profile.AddedAffinity.nodeSelectorTerms[0].matchExpressions[0]",
		"Profile.DefaultConstraints[0].MaxSkew", "Profile.DefaultConstraints[0].TopologyKey", "Profile.DefaultConstraints[0].Selector",
		"Profile.DefaultConstraints[0].WhenUnsatisfiable", "Profile.SpreadSelector",
	}, fields)
	for _, value := range []string{"-1", "+3", "9223372036854775808", "two"} {
		unread := preemption.Config{
			Profile: preemption.Profile{AddedAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{
				byLabel("zone", outrank.In, "a"), byLabel("cores", outrank.Gt, value),
			}}},
		}
		assert.ErrorContains(t, unread.Validate(), "Profile.AddedAffinity.nodeSelectorTerms[1]: ", value)
	}
	soft := preemption.Config{
		Profile: preemption.Profile{DefaultConstraints: []outrank.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: outrank.ScheduleAnyway},
		}},
	}
	assert.NoError(t, soft.Validate(), "which pods count does not matter")
	none := preemption.Config{Sample: &preemption.Sample{Percent: -1, Minimum: -1}}
	assert.ErrorContains(t, none.Validate(), "none at the same time")
}

// A selector that cannot be read is an error that names the pod.
func TestSpreadSelectorThatCannotBeRead(t *testing.T) {
	e := newEvaluator(t, preemption.Config{
		Profile: preemption.Profile{
			DefaultConstraints: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone"}},
			SpreadSelector: func(*outrank.Pod) *outrank.LabelSelector {
				return &outrank.LabelSelector{MatchLabels: map[string]string{"-": ""}}
			},
		},
	})
	snap := newSnapshot(t, &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "a")}})
	_, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: pod("asks", 10, "1"), Now: gen.Now})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "pod default/asks: Profile.SpreadSelector")
}
