package dryrun_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
)

// reprieved finds the victims as chapter 9 says: all pods leave, and each that can come back does.
func (n *plainNode) reprieved() (victims []*outrank.Pod, ok bool) {
	lower, stays := n.lower()
	if len(lower) == 0 || !n.fits(stays) {
		return nil, false
	}
	violating := n.violating(lower)
	for _, first := range []bool{true, false} {
		for _, p := range lower {
			if violating[p] != first {
				continue
			}
			if n.fits(append(slices.Clone(stays), p)) {
				stays = append(stays, p)
			} else {
				victims = append(victims, p)
			}
		}
	}
	slices.SortFunc(victims, byImportance)
	return victims, true
}

// The victims of a node are the pods that stay away after all have left and each that can stay was put back.
func TestPropertyReprieve(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		if n.fits(n.pods) {
			return
		}
		w, node := n.begin(t, preemption.Config{})
		want, ok := n.reprieved()
		possible, status := w.DryRun(node)
		require.Equal(t, ok, status.Code == filters.Success, "%v", status)
		if !ok {
			return
		}
		found++
		c := w.Candidate(possible)
		w.RestoreVictims(possible)
		require.Equal(t, names(want), names(podsOf(c.Victims)))
		lower, _ := n.lower()
		violating := n.violating(lower)
		require.Equal(t, scoreOf(want, violating), c.Score)
		for i := range c.Victims {
			v := &c.Victims[i]
			require.Equal(t, violating[v.Pod], len(v.Violated) > 0, "%s violates a budget", v.Pod.Name)
			require.Equal(t, preemption.NodeResourcesFit, v.Blocks.Filter, "what %s is in the way of", v.Pod.Name)
			require.False(t, n.fits(without(n.pods, slices.DeleteFunc(podsOf(c.Victims), func(p *outrank.Pod) bool { return p == v.Pod }))), "%s leaves in vain (rule 9.10)", v.Pod.Name)
		}
	})
	require.Positive(t, found, "no node ever made room")
}

// A runner answers the same about a node each time, whatever nodes it has looked at in between.
func TestPropertyDryRunsLeaveNothingBehind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		w, node := n.begin(t, preemption.Config{})
		run := func() (names []string, code filters.Code) {
			possible, status := w.DryRun(node)
			for i, p := range possible {
				if status.Code == filters.Success && w.Victim[i] {
					names = append(names, p.Pod.Name)
				}
			}
			w.RestoreVictims(possible)
			return names, status.Code
		}
		before := w.Filter(node)
		victims, code := run()
		require.Equal(t, before, w.Filter(node), "what the node says as it is")
		again, same := run()
		require.Equal(t, victims, again)
		require.Equal(t, code, same)
		require.Equal(t, n.fits(n.pods), before.Code == filters.Success)
	})
}

// The simplified variant takes one after the other, the least important first, until there is room (rule 13.3.1).
func TestPropertyAscending(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		if n.fits(n.pods) {
			return
		}
		lower, _ := n.lower()
		left := slices.Clone(n.pods)
		var want []*outrank.Pod
		for _, p := range slices.Backward(lower) {
			if n.fits(left) {
				break
			}
			want, left = append(want, p), without(left, []*outrank.Pod{p})
		}
		slices.Reverse(want)

		w, node := n.begin(t, preemption.Config{Variant: outrank.VariantSimplified})
		possible, status := w.DryRun(node)
		require.Equal(t, len(lower) > 0 && n.fits(left), status.Code == filters.Success)
		if status.Code == filters.Success {
			found++
			require.Equal(t, names(want), names(podsOf(w.Candidate(possible).Victims)))
		}
	})
	require.Positive(t, found, "no node ever made room")
}

// With Exact no set of pods of lower priority makes room that is better by the ranks, and the certificate
// says so (rule 13.4.1). Budgets are charged for the victims alone (rule 13.4.2).
func TestPropertyExactIsTheBestOfAllSets(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		n := drawNode(t)
		if n.fits(n.pods) {
			return
		}
		lower, _ := n.lower()
		var best *preemption.Score
		for set := 1; set < 1<<len(lower); set++ {
			var gone []*outrank.Pod
			for i, p := range lower {
				if set&(1<<i) != 0 {
					gone = append(gone, p)
				}
			}
			if score := scoreOf(gone, n.violating(gone)); n.fits(without(n.pods, gone)) && (best == nil || better(score, *best)) {
				best = &score
			}
		}

		w, node := n.begin(t, preemption.Config{Victims: preemption.Exact{}})
		possible, status := w.DryRun(node)
		require.Equal(t, best != nil, status.Code == filters.Success)
		if best == nil {
			return
		}
		found++
		c := w.Candidate(possible)
		require.Equal(t, *best, c.Score)
		require.Equal(t, *best, scoreOf(podsOf(c.Victims), n.violating(podsOf(c.Victims))))
		require.True(t, n.fits(without(n.pods, podsOf(c.Victims))))
		require.True(t, c.Certificate.Optimal)
	})
	require.Positive(t, found, "no node ever made room")
}

// better reports whether a score is the better one by the ranks of kube-scheduler (rules 11.2 to 11.6).
func better(a, b preemption.Score) bool {
	switch {
	case a.Violations != b.Violations:
		return a.Violations < b.Violations
	case a.TopPriority != b.TopPriority:
		return a.TopPriority < b.TopPriority
	case a.PrioritySum != b.PrioritySum:
		return a.PrioritySum < b.PrioritySum
	case a.Victims != b.Victims:
		return a.Victims < b.Victims
	}
	return a.Start.After(b.Start)
}
