package invariants

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

// ReachEverything holds the worlds and hosts to what the invariants are about: they reach it often enough for few draws.
func ReachEverything(t *testing.T, book Decider, kubelet Kubelet) {
	seen := map[string]int{}
	count := func(what string, is bool) {
		if is {
			seen[what]++
		}
	}
	const draws = 1000
	for i := range draws {
		w := Worlds.Example(i)
		a, err := book.ask(w)
		require.NoError(t, err)
		count("outcome "+string(a.plan.Outcome), true)
		count("may not preempt "+string(a.plan.Ineligible), a.plan.Ineligible != "")
		count("two candidates", len(a.candidates) > 1)
		for _, n := range a.explained.Nodes {
			count("left out by "+n.Status.ExcludedBy, n.Status.ExcludedBy != "")
			count("the guard refuses", n.AfterRemoval != nil && n.AfterRemoval.Filter == guardName)
			count("the guard keeps one away", n.Candidate != nil && slices.ContainsFunc(n.Candidate.Victims, func(v preemption.Victim) bool { return v.Blocks.Filter == guardName }))
		}
		for _, c := range a.candidates {
			count("two victims", len(c.victims) > 1)
			count("a candidate, policy "+w.Policy, true)
			count("a candidate, found elsewhere", w.given())
			count("a candidate, ranks of the caller", len(w.Ranks) > 0)
			count("a candidate, importance of the caller", w.ByCPU)
			count("nominations are cleared", len(c.cleared) > 0)
			count("a budget is broken", c.score.Violations > 0)
			count("some break a budget", c.score.Violations > 0 && c.score.Violations < len(c.victims))
			count("nominated pods keep room", len(w.nominated(c.node.Name, &w.Asks[0])) > 0)
			count("a group leaves", len(c.victims) > 0 && len(w.unitOf(c.victims[0]).pods) > 1)
			count("somebody stays", len(c.victims) < len(w.on(c.node.Name)))
		}

		w = GroupWorlds.Example(i)
		g, err := book.askGroup(w)
		require.NoError(t, err)
		count("a group "+string(g.plan.Outcome), true)

		h := Hosts.Example(i)
		k, err := kubelet.ask(h)
		require.NoError(t, err)
		count("host "+string(k.admission.Outcome), true)
		for _, x := range h.tiers() {
			by := ""
			if x.byPriority {
				by = ", priorities first"
			}
			count("a choice in the tier "+string(x.class)+by, len(k.of(x)) > 0 && len(h.candidates(x)) > len(k.of(x)))
		}
	}

	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%4d %s", seen[what], what)
	}
	for what, percent := range map[string]int{
		"outcome fits": 5, "outcome preempt": 25, "outcome nothing-helps": 5, "outcome not-eligible": 5,
		"may not preempt policy-never": 5, "may not preempt victims-terminating": 1,
		"two candidates": 12, "two victims": 15, "a budget is broken": 10, "some break a budget": 2, "nominated pods keep room": 2, "a group leaves": 4,
		"a candidate, policy v1.13": 2, "a candidate, policy simplified": 2, "a candidate, policy exact": 1, "a candidate, policy strict": 1,
		"a candidate, policy victims-alone": 1, "a candidate, ranks of the caller": 5, "a candidate, found elsewhere": 1,
		"a candidate, importance of the caller": 2, "the guard refuses": 1, "left out by NodeAffinity": 5, "nominations are cleared": 5,
		"may not preempt disabled": 2, "may not preempt " + ownRefusal: 1,
		"somebody stays": 20, "a group fits": 5, "a group preempt": 20, "a group nothing-helps": 5,
		"host Admitted": 1, "host AdmittedAfterEvicting": 20, "host Rejected": 20,
		"a choice in the tier BestEffort": 2, "a choice in the tier Burstable": 10, "a choice in the tier Guaranteed": 2,
		"a choice in the tier Burstable, priorities first": 1,
	} {
		assert.GreaterOrEqual(t, seen[what]*100, percent*draws, what)
	}
}
