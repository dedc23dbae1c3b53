package question_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// enough turns for every drain of a small cluster.
const enough = 100_000

// Every node of a survey ends as its drain does where it is asked about alone, which
// TestPropertyDrainsEndAsForetold plays by hand.
func TestPropertySurveyOfDrainsIsTrue(t *testing.T) {
	overShapes(t, func(t *rapid.T, s question.Setting) {
		sc, err := question.NewScenario(context.Background(), s)
		require.NoError(t, err)
		var v *question.DrainSurvey
		unchanged(t, s, func() { v, err = sc.EachDrain(enough) })
		require.NoError(t, err)
		want := question.DrainSurvey{Stuck: []question.NodeDrain{}, Crowded: []question.NodeDrain{}, Budgets: []question.BudgetHold{}, Undecided: []string{}, Most: enough}
		stuck, slows := map[outrank.Key]int{}, map[outrank.Key]int{}
		for n := range s.Snapshot.Nodes() {
			a, err := askWithout(context.Background(), s, []string{n.Name})
			require.NoError(t, err)
			d := &a.Drains[0]
			want.Nodes++
			end := question.NodeDrain{Node: n.Name, Pods: d.Pods, Evicted: d.Evicted, Held: []question.HeldPod{}, Pending: []question.Pod{}}
			end.Held = append(end.Held, d.Held[:min(10, len(d.Held))]...)
			end.MoreHeld = len(d.Held) - len(end.Held)
			for i := range d.Pending[:min(10, len(d.Pending))] {
				end.Pending = append(end.Pending, d.Pending[i].Pod)
			}
			end.MorePending = len(d.Pending) - len(end.Pending)
			for i := range d.Victims {
				if !d.Victims[i].Terminating {
					end.Victims++
				}
			}
			switch {
			case d.Stuck:
				want.Stuck = append(want.Stuck, end)
			case d.Waits == 0:
				want.AtOnce++
			default:
				want.Slow++
			}
			if !d.Stuck && len(d.Pending) > 0 {
				want.Crowded = append(want.Crowded, end)
			}
			blamed := map[outrank.Key]bool{}
			for _, h := range d.Held {
				for _, key := range h.Budgets {
					blamed[key] = true
				}
			}
			for key := range blamed {
				stuck[key]++
			}
			for _, b := range a.Budgets {
				if b.Drain == question.Slows || b.Drain == question.Stops || b.Drain == question.Blocks {
					slows[b.Key]++
				}
			}
		}
		require.LessOrEqual(t, len(v.Stuck), want.Nodes)
		for _, b := range v.Budgets {
			assert.Equal(t, stuck[b.Key], b.Stuck, "%s stops drains", b.Key)
			assert.Equal(t, slows[b.Key], b.Nodes, "%s holds drains up", b.Key)
			assert.Positive(t, b.Nodes+b.Several)
			delete(stuck, b.Key)
			delete(slows, b.Key)
		}
		assert.Empty(t, stuck)
		assert.Empty(t, slows)
		v.Budgets = []question.BudgetHold{}
		require.Equal(t, &want, v)
	})
}

// Where the turns run out, the survey says which nodes it did not decide, and how many it did
// not follow.
func TestSurveyOfDrainsThatEnds(t *testing.T) {
	s := set(t, sample(t))
	sc, err := question.NewScenario(context.Background(), s)
	require.NoError(t, err)
	_, err = sc.EachDrain(0)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	all, err := sc.EachDrain(enough)
	require.NoError(t, err)
	require.Empty(t, all.Undecided)
	require.Zero(t, all.Unfollowed)
	few, err := sc.EachDrain(1)
	require.NoError(t, err)
	assert.Positive(t, few.Unfollowed)
	assert.Equal(t, few.Nodes, few.AtOnce+few.Slow+len(few.Stuck)+len(few.Undecided))
	assert.Equal(t, all.AtOnce, few.AtOnce)
}
