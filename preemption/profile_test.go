package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// What a profile changes about the filters (group 7.18, rules 7.16.3 to 7.16.6 and 13.1.5).
func TestProfiles(t *testing.T) {
	const short = "a: Unschedulable NodeResourcesFit [Insufficient cpu]\n"
	const skewed = "a: Unschedulable PodTopologySpread [node(s) didn't match pod topology spread constraints]\n"
	profile := func(p preemption.Profile) preemption.Config { return preemption.Config{Profile: p} }
	added := func(terms ...outrank.NodeSelectorTerm) preemption.Config {
		return profile(preemption.Profile{AddedAffinity: &outrank.NodeSelector{NodeSelectorTerms: terms}})
	}
	byDefault := func(selector *outrank.LabelSelector, change ...func(*constraint)) preemption.Config {
		c := constraint{MaxSkew: 1, TopologyKey: "zone"}
		for _, f := range change {
			f(&c)
		}
		return profile(preemption.Profile{
			DefaultConstraints: []constraint{c}, SpreadSelector: func(*outrank.Pod) *outrank.LabelSelector { return selector },
		})
	}
	gated := func(p *outrank.Pod) { p.SchedulingGates = []string{"gate"} }
	of := func(scheduler string) podOption { return func(p *outrank.Pod) { p.SchedulerName = scheduler } }
	twoZones := []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, web)}
	promised := func(options ...podOption) []any {
		return []any{node("a"), pod("n", "", 200, append([]podOption{cpu("1"), nominatedTo("a")}, options...)...), pod("x", "a", 1)}
	}
	const held = short + "a out: Unschedulable NodeResourcesFit [Insufficient cpu]"
	runRows(t, []row{
		{
			name:    "a filter that is off is not asked, and the others keep their order (rule 7.18.1)",
			cluster: []any{node("a", cordoned, taints(outrank.Taint{Key: "k", Effect: outrank.NoSchedule})), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1")),
			config:  profile(preemption.Profile{Off: []string{preemption.TaintToleration, preemption.NodeUnschedulable}}),
			want:    short + "a <- x (0)\nbest a",
		},
		{
			name:    "one that is off leaves no node out either (rule 7.18.1)",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(field(outrank.In, "b"))),
			config:  profile(preemption.Profile{Off: []string{preemption.NodeAffinity}}),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "of one that is off on nodes what it says before the first node counts (rule 7.18.2)",
			why:     "b does not meet the other half of the term.",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(nodeTerms(both(field(outrank.In, "b"), label("disk", outrank.Exists)))),
			config:  profile(preemption.Profile{OffOnNodes: []string{preemption.NodeAffinity}}),
			want:    "a: Unresolvable [node(s) didn't satisfy plugin(s) [NodeAffinity]]\nb: fits",
		},
		{
			name:    "of other filters nothing is left then (rule 7.18.2)",
			cluster: []any{node("a"), pod("x", "a", 1, binds(80, "", ""))},
			pod:     preemptor(binds(80, "", "")),
			config:  profile(preemption.Profile{OffOnNodes: []string{preemption.NodePorts}}),
			want:    "a: fits",
		},
		{
			name:    "an affinity is added to every pod's, and looked at first (rule 7.18.3)",
			cluster: []any{node("a", nodeLabels("disk", "ssd")), node("b"), node("c", nodeLabels("disk", "hdd"))},
			pod:     preemptor(nodeTerms(label("disk", outrank.In, "ssd"))),
			config:  added(label("disk", outrank.Exists)),
			want: `
				a: fits
				b: Unresolvable NodeAffinity [node(s) didn't match scheduler-enforced node affinity]
				c: Unresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]`,
		},
		{
			name:    "without a term it matches no node",
			cluster: []any{node("a")},
			pod:     preemptor(),
			config:  added(),
			want:    "a: Unresolvable NodeAffinity [node(s) didn't match scheduler-enforced node affinity]",
		},
		{
			name:    "it leaves no node out (rule 7.18.4)",
			cluster: []any{node("a"), node("b")},
			pod:     preemptor(),
			config:  added(field(outrank.In, "a")),
			want:    "a: fits\nb: Unresolvable NodeAffinity [node(s) didn't match scheduler-enforced node affinity]",
		},
		{
			name:    "and a spread constraint does not look at it (rule 7.18.4)",
			why:     "b is an empty zone all the same.",
			cluster: twoZones,
			pod:     preemptor(web, spread("zone")),
			config:  added(field(outrank.In, "a")),
			want:    skewed + "a <- x (0)\nb: Unresolvable NodeAffinity [node(s) didn't match scheduler-enforced node affinity]\nbest a",
		},
		{
			name:    "a term that cannot be read is an error (rule 7.18.3)",
			cluster: []any{node("a")},
			pod:     preemptor(),
			config:  added(label("gen", outrank.Gt, "-1")),
			want:    `error: preemption config: Profile.AddedAffinity.nodeSelectorTerms[0]: "-1" is not a label value`,
		},
		{
			name:    "extended resources are passed over by name or by group, and no others (rule 7.18.5)",
			cluster: []any{node("a", allocatable("pods", "9"))},
			pod:     preemptor(asks("example.com/gpu", "1", "other.com/a", "1", "other.com/b", "1", "third.com/c", "1", "hugepages-2Mi", "1Mi", "cpu", "1")),
			config: profile(preemption.Profile{
				IgnoredResources: []resource.Name{"example.com/gpu", "cpu", "hugepages-2Mi"}, IgnoredResourceGroups: []string{"other.com"},
			}),
			want: "a: Unresolvable NodeResourcesFit [Insufficient cpu Insufficient hugepages-2Mi Insufficient third.com/c]",
		},
		{
			name:    "without NodeResourcesFit neither amounts nor the number of pods count (rule 7.18.6)",
			cluster: []any{node("a", slots(0))},
			pod:     preemptor(cpu("9")),
			config:  profile(preemption.Profile{Off: []string{preemption.NodeResourcesFit}}),
			want:    "a: fits",
		},
		{
			name:    "a pod without constraints has the default ones, for what selects it (rules 7.18.7 and 7.18.8)",
			cluster: twoZones,
			pod:     preemptor(web),
			config:  byDefault(selects("app", "web")),
			want:    skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{
			name:    "one with its own has not (rule 7.18.7)",
			cluster: twoZones,
			pod:     preemptor(web, spread("zone", func(c *constraint) { c.MaxSkew = 2 })),
			config:  byDefault(selects("app", "web")),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "of ScheduleAnyway they keep nobody out (rule 7.18.7)",
			cluster: twoZones,
			pod:     preemptor(web),
			config:  byDefault(selects("app", "web"), func(c *constraint) { c.WhenUnsatisfiable = outrank.ScheduleAnyway }),
			want:    "a: fits\nb: fits",
		},
		{
			name:    "their own matchLabelKeys do not narrow them (rule 7.18.8)",
			cluster: []any{node("a", zone("1")), node("b", zone("2")), pod("x", "a", 1, labels("app", "web", "rev", "1"))},
			pod:     preemptor(labels("app", "web", "rev", "2")),
			config:  byDefault(selects("app", "web"), func(c *constraint) { c.MatchLabelKeys = []string{"rev"} }),
			want:    skewed + "a <- x (0)\nb: fits\nbest a",
		},
		{name: "where nothing selects the pod there are none (rule 7.18.9)", cluster: twoZones, pod: preemptor(web), config: byDefault(nil), want: "a: fits\nb: fits"},
		{name: "nor where every pod is selected (rule 7.18.9)", cluster: twoZones, pod: preemptor(web), config: byDefault(selects()), want: "a: fits\nb: fits"},
		{
			name:    "nobody may preempt (rule 13.1.5)",
			cluster: []any{node("a"), pod("x", "a", 1, cpu("1"))},
			pod:     preemptor(cpu("1")),
			config:  profile(preemption.Profile{Off: []string{preemption.DefaultPreemption}}),
			want:    short + "a <- x (0)\nnot eligible: not eligible because preemption is disabled.\nbest a",
		},
		{name: "every nomination counts where no schedulers are named (rule 7.16.3)", cluster: promised(of("other")), pod: preemptor(cpu("1")), want: held},
		{
			name: "that of another scheduler's pod does not (rule 7.16.3)", cluster: promised(of("other")), pod: preemptor(cpu("1")),
			config: profile(preemption.Profile{Schedulers: []string{outrank.DefaultScheduler}}), want: "a: fits",
		},
		{
			name: "those of all profiles count (rule 7.16.3)", cluster: promised(of("other")), pod: preemptor(cpu("1")),
			config: profile(preemption.Profile{Schedulers: []string{outrank.DefaultScheduler, "other"}}), want: held,
		},
		{name: "a gated pod's counts from v1.37 on (rule 7.16.5)", release: outrank.V1_37, cluster: promised(gated), pod: preemptor(cpu("1")), want: held},
		{name: "and not before (rule 7.16.3)", release: outrank.V1_36, cluster: promised(gated), pod: preemptor(cpu("1")), want: "a: fits"},
		{name: "that of a pod that is being deleted counts nowhere (rule 7.16.6)", cluster: promised(terminating), pod: preemptor(cpu("1")), want: "a: fits"},
	})
}

// The selector of default constraints is asked for once, about the preemptor (rule 7.18.8). A selector that
// cannot be read is an error.
func TestSpreadSelectors(t *testing.T) {
	var asked []string
	selector := selects("app", "web")
	config := preemption.Config{Profile: preemption.Profile{
		DefaultConstraints: []constraint{{MaxSkew: 1, TopologyKey: "zone"}},
		SpreadSelector: func(p *outrank.Pod) *outrank.LabelSelector {
			asked = append(asked, p.Name)
			return selector
		},
	}}
	c := clusterOf(node("a", zone("1")), pod("x", "a", 1, web))
	explain(t, c, preemptor(web), config)
	assert.Equal(t, []string{"p"}, asked)
	explain(t, c, preemptor(web, spread("zone")), config)
	assert.Equal(t, []string{"p"}, asked, "it has its own")
	selector = oddSelector
	_, err := preemption.Preempt(c, preemption.Request{Pod: preemptor(web)}, config)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "Profile.SpreadSelector")
}
