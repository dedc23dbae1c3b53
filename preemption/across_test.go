package preemption_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// Victims on several nodes (chapter 23).
func TestVictimsOnOtherNodes(t *testing.T) {
	isWeb := selects("app", "web")
	sameZone := []any{node("a", zone("1")), node("b", zone("1"), cordoned)}
	with := func(objects ...any) []any { return append(append([]any{}, sameZone...), objects...) }
	const avoids = "1 InterPodAffinity: node(s) didn't match pod anti-affinity rules"
	for _, test := range []struct {
		name    string
		why     string
		cluster []any
		pod     *outrank.Pod
		config  preemption.Config
		// takes names the node and its victims. If it is empty, unhelpful lists the answers of the nodes.
		takes     string
		unhelpful []string
	}{
		{
			name:    "the preemptor's anti-affinity counts a pod of its domain (rules 23.1 and 23.3)",
			cluster: with(pod("x", "b", 1, web), pod("y", "a", 1)),
			pod:     preemptor(away("zone", isWeb)),
			takes:   "a <- x on b (0)",
		},
		{
			name:    "the anti-affinity of a pod of its domain counts the preemptor (rules 23.1 and 23.3)",
			cluster: with(pod("x", "b", 1, away("zone", isWeb))),
			pod:     preemptor(web),
			takes:   "a <- x on b (0)",
		},
		{
			name:    "beside pods on the node (rule 23.1)",
			cluster: with(pod("x", "b", 1, web), pod("y", "a", 2, cpu("1"))),
			pod:     preemptor(away("zone", isWeb), cpu("1")),
			takes:   "a <- y, x on b (0)",
		},
		{
			name:      "each that counts for anti-affinity has to leave, and one may not (rule 23.3)",
			cluster:   with(pod("x", "b", 1, web), pod("y", "b", 100, web)),
			pod:       preemptor(away("zone", isWeb)),
			unhelpful: []string{avoids},
		},
		{
			name:      "nor by the caller's rule (rule 23.3)",
			cluster:   with(pod("x", "b", 1, web)),
			pod:       preemptor(away("zone", isWeb)),
			config:    preemption.Config{Eligibility: preemption.Eligibility{Take: func(_, v *outrank.Pod) (string, bool) { return "", v.Name != "x" }}},
			unhelpful: []string{avoids},
		},
		{
			name: "so many of a domain leave that maxSkew holds, the least important (rules 23.4, 23.7 and 23.8)",
			why:  "Zone 1 has three web pods and zone 2 one: two are too many with the preemptor.",
			cluster: []any{
				node("a", zone("1")), node("b", zone("1"), cordoned), node("c", zone("2"), cordoned),
				pod("x", "b", 1, web), pod("y", "b", 2, web), pod("z", "a", 3, web), pod("w", "c", 200, web),
			},
			pod:   preemptor(web, spread("zone")),
			takes: "a <- y on b, x on b (0)",
		},
		{
			name: "pods of other domains are no victims (rule 23.5)",
			why:  "That w leaves would make room for none in zone 1.",
			cluster: []any{
				node("a", zone("1")), node("c", zone("2"), cordoned), pod("z", "a", 100, web), pod("w", "c", 1, labels("app", "db")),
			},
			pod:       preemptor(web, spread("zone")),
			unhelpful: []string{"1 No preemption victims found for incoming pod"},
		},
		{
			name:      "none leaves to make a pod the first of its affinity (rule 23.5)",
			cluster:   []any{node("a"), node("b", cordoned), pod("x", "b", 1, web), pod("y", "a", 1, cpu("1"))},
			pod:       preemptor(web, near("host", isWeb), cpu("1")),
			unhelpful: []string{"1 InterPodAffinity: node(s) didn't match pod affinity rules"},
		},
		{
			name:    "none leaves for a claim that allows a single pod (rule 23.5)",
			cluster: []any{node("a"), node("b", cordoned), pod("x", "b", 1, once("c")), pod("y", "a", 1)},
			pod:     preemptor(once("c")),
			unhelpful: []string{
				"1 VolumeRestrictions: node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
			},
		},
		{
			name:      "none that is being deleted and that a constraint selects (rule 23.6)",
			cluster:   with(pod("x", "b", 1, web, terminating), pod("y", "a", 100, web)),
			pod:       preemptor(web, spread("zone", minDomains(2))),
			unhelpful: []string{"1 No preemption victims found for incoming pod"},
		},
		{
			name:    "the best set by the ranks, and budgets for the victims alone (rule 23.7)",
			why:     "Chapter 9 would spare y, because x has the allowance.",
			cluster: []any{node("a"), budget("b", 1), pod("x", "a", 2, web, cpu("500m")), pod("y", "a", 1, web, cpu("500m"))},
			pod:     preemptor(cpu("500m")),
			takes:   "a <- y (0)",
		},
		{
			name:      "with a strict policy no set that violates one (rule 23.7)",
			cluster:   []any{node("a"), budget("b", 0), pod("x", "a", 1, web, cpu("1"))},
			pod:       preemptor(cpu("1")),
			config:    preemption.Config{Budgets: preemption.NeverViolate},
			unhelpful: []string{"1 making room would violate a disruption budget"},
		},
		{
			name:    "of equal sets the one that keeps the most important pod, of nodes the first (rule 23.8)",
			cluster: []any{node("a"), node("b"), pod("x", "a", 1, cpu("500m")), pod("y", "a", 1, cpu("500m")), pod("z", "b", 1, cpu("1"))},
			pod:     preemptor(cpu("500m")),
			takes:   "a <- y (0)",
		},
		{
			name:    "there is room if there is in a cluster without the victims: of two that hold a port both leave (rule 23.9)",
			cluster: []any{node("a"), pod("first", "a", 2, binds(80, "", "")), pod("second", "a", 1, binds(80, "", ""))},
			pod:     preemptor(binds(80, "", "")),
			takes:   "a <- first, second (0)",
		},
		{
			name:      "so not where one of them may not (rule 23.9)",
			cluster:   []any{node("a"), pod("first", "a", 200, binds(80, "", "")), pod("second", "a", 1, binds(80, "", ""))},
			pod:       preemptor(binds(80, "", "")),
			unhelpful: []string{"1 NodePorts: node(s) didn't have free ports for the requested pod ports"},
		},
		{
			name:    "a constraint whose selector is empty counts off nobody that it never counted (rule 23.9)",
			cluster: []any{node("a", zone("1")), node("b", zone("2"), cordoned), pod("n", "", 200, nominatedTo("a")), pod("x", "a", 1)},
			pod:     preemptor(web, spread("zone", selecting(selects()))),
			unhelpful: []string{
				"1 PodTopologySpread: node(s) didn't match pod topology spread constraints",
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.config.Victims = preemption.Across{}
			plan := explain(t, clusterOf(test.cluster...), test.pod, test.config)
			if test.takes == "" {
				assert.Equal(t, preemption.NothingHelps, plan.Outcome, test.why)
				assert.Equal(t, test.unhelpful, countsOf(plan.Unhelpful), test.why)
				return
			}
			require.Equal(t, preemption.Preempts, plan.Outcome, test.why)
			assert.Equal(t, test.takes, plan.Node+" <- "+candidateText(&plan.Candidate), test.why)
			assert.Equal(t, &preemption.Certificate{Optimal: true, Bound: plan.Score}, plan.ClusterCertificate)
		})
	}
}

// Where units leave together, a pod that names a group is no victim, on whatever node it runs (rule 23.6).
func TestAcrossTakesNoPodsOfGroups(t *testing.T) {
	c := clusterOf(node("a", zone("1")), node("b", zone("1"), cordoned), group("g", 1), pod("x", "b", 1, web, ofGroup("g")))
	p := preemptor(away("zone", selects("app", "web")))
	config := preemption.Config{Victims: preemption.Across{}}
	assert.Equal(t, preemption.Preempts, explain(t, c, p, config).Outcome, "without groups it is a pod like any other")
	c.Release = withGroups(t)
	assert.Equal(t, preemption.NothingHelps, explain(t, c, p, config).Outcome)
}

// A victim blocks what the node says with that victim alone there.
func TestVictimsAcrossSayWhatTheyBlock(t *testing.T) {
	c := clusterOf(node("a", zone("1")), node("b", zone("1"), cordoned), pod("x", "b", 1, web), pod("y", "a", 2, cpu("1")))
	plan := explain(t, c, preemptor(away("zone", selects("app", "web")), cpu("1")), preemption.Config{Victims: preemption.Across{}})
	require.Len(t, plan.Victims, 2)
	assert.Equal(t, preemption.NodeResourcesFit, plan.Victims[0].Blocks.Filter)
	assert.Equal(t, preemption.InterPodAffinity, plan.Victims[1].Blocks.Filter)
	assert.Empty(t, plan.Candidates, "the search keeps the best alone")
}

// The search needs the filters' own answers. It is not made where the pod fits or may not preempt (rule 23.2).
func TestAcrossIsForThoseWhoMayPreempt(t *testing.T) {
	config := preemption.Config{Victims: preemption.Across{}}
	c := clusterOf(node("a"), pod("x", "a", 1, cpu("1")))
	_, err := preemption.Preempt(c, preemption.Request{Pod: preemptor(), Statuses: func(int, *outrank.Node) (preemption.Status, bool) {
		return preemption.Status{}, true
	}}, config)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	assert.ErrorContains(t, err, "statuses")
	plan := explain(t, c, preemptor(cpu("1"), func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }), config)
	assert.Equal(t, preemption.NotEligible, plan.Outcome)
	assert.Nil(t, plan.Nodes[0].AfterRemoval)
}
