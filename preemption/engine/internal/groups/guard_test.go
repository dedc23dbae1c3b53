package groups

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// quotas is a guard that keeps so many pods of each team, and all of team a as long as all of team b are
// there. It is plain counting.
type quotas struct{ keeps, has, had map[string]int }

func (q *quotas) Add(p *outrank.Pod, _ *outrank.Node)    { q.has[p.Labels["team"]]++ }
func (q *quotas) Remove(p *outrank.Pod, _ *outrank.Node) { q.has[p.Labels["team"]]-- }
func (q *quotas) Rule(*outrank.Pod) string               { return "" }
func (q *quotas) Clone() preemption.GuardState           { return q }
func (q *quotas) Check() preemption.Status {
	for team, least := range q.keeps {
		if q.has[team] < least {
			return preemption.Unschedulable.Because(team + " keeps its pods")
		}
	}
	if q.has["a"] < q.had["a"] && q.has["b"] == q.had["b"] {
		return preemption.Unschedulable.Because("a after b")
	}
	return preemption.Status{}
}

// A guard that keeps pods of each team lets the least important of each go: who is away may be,
// none of those that stay may be away beside them, and what is said is about the least important that stays.
func TestPropertyLetGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n"}}}
		guard := &quotas{map[string]int{}, map[string]int{}, map[string]int{}}
		for i := range rapid.IntRange(0, 12).Draw(t, "pods") {
			team := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "team")
			c.Pods = append(c.Pods, &outrank.Pod{Name: fmt.Sprint("p", i), Labels: map[string]string{"team": team}, NodeName: "n"})
			guard.has[team]++
			guard.had[team]++
		}
		for team, n := range guard.has {
			guard.keeps[team] = rapid.IntRange(0, n).Draw(t, "kept of "+team)
		}
		snap, err := state.New(c, state.UsualTraits)
		require.NoError(t, err)

		var units [][]*state.PodState // the most important first
		for i := 0; i < len(c.Pods); {
			var unit []*state.PodState
			for range rapid.IntRange(1, 3).Draw(t, "leave together") {
				if i < len(c.Pods) {
					p, _ := snap.Known(c.Pods[i])
					unit, i = append(unit, p), i+1
				}
			}
			units = append(units, unit)
		}
		g := &unitGuard{"quotas", guard, snap}
		gone, refusal, err := g.letGo(context.Background(), len(units), func(i int) []*state.PodState { return units[i] })
		require.NoError(t, err)

		left := map[string]int{}
		count := func(unit []*state.PodState, by int) {
			for _, p := range unit {
				left[p.Pod.Labels["team"]] += by
			}
		}
		short := func() (teams []string) {
			for team, least := range guard.keeps {
				if left[team] < least {
					teams = append(teams, team+" keeps its pods")
				}
			}
			if left["a"] < guard.had["a"] && left["b"] == guard.had["b"] {
				teams = append(teams, "a after b")
			}
			return teams
		}
		for i, unit := range units {
			if !gone[i] {
				count(unit, 1)
			}
		}
		require.Empty(t, short(), "who is away may be")
		var said []string // of the least important one that stays
		for i, unit := range units {
			if !gone[i] {
				count(unit, -1)
				said = short()
				count(unit, 1)
				require.NotEmpty(t, said, "unit %d could be away, too", i)
			}
		}
		if said == nil {
			require.Equal(t, preemption.Success, refusal.Code)
			return
		}
		require.Equal(t, preemption.Unschedulable, refusal.Code)
		require.Subset(t, said, refusal.Reasons)
	})
}
