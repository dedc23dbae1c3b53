package explain_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
)

// withSkew is the pod with another maxSkew in the only constraint that a report speaks of;
// nil where there are several like it.
func withSkew(pod *outrank.Pod, s explain.Spread, skew int) *outrank.Pod {
	is := func(c outrank.TopologySpreadConstraint) bool {
		return c.TopologyKey == s.TopologyKey && c.MaxSkew == s.MaxSkew && c.WhenUnsatisfiable != outrank.ScheduleAnyway
	}
	other := *pod
	other.TopologySpreadConstraints = slices.Clone(pod.TopologySpreadConstraints)
	i := slices.IndexFunc(other.TopologySpreadConstraints, is)
	if i < 0 || slices.ContainsFunc(other.TopologySpreadConstraints[i+1:], is) {
		return nil
	}
	other.TopologySpreadConstraints[i].MaxSkew = int32(skew)
	return &other
}

// The figures of a constraint that would be broken are those that break it: with a maxSkew
// of their difference it would not be, and with one less it would.
func TestPropertySpreadIsCounted(t *testing.T) {
	holds := func(q *question, o *explain.Obstacle, node string, gone func(*outrank.Pod) bool) {
		if o == nil || len(o.Spread) != 1 || o.Spread[0].Domain == nil {
			return
		}
		s := o.Spread[0]
		for less := range 2 {
			pod := withSkew(q.pod, s, s.With-s.Least-less)
			if pod == nil {
				return
			}
			lookAt, err := q.eval.LookAt(q.snap, preemption.Request{Pod: pod, Now: q.request().Now})
			require.NoError(q, err)
			view, err := lookAt(node)
			require.NoError(q, err)
			away := slices.DeleteFunc(view.Possible(), func(p *outrank.Pod) bool { return !gone(p) })
			got := view.Check(away...)
			require.Equal(q, less == 1, got.Filter == preemption.PodTopologySpread, "%s with %+v, one less: %d: %s", node, s, less, got)
		}
	}
	overShapes(t, []string{"far units", "full", "spread"}, func(q *question) {
		for _, g := range q.report.Nodes {
			holds(q, g.Before, g.Example, func(*outrank.Pod) bool { return false })
			holds(q, g.After, g.Example, func(*outrank.Pod) bool { return true })
		}
		for i, v := range q.report.Victims.Items {
			if !v.AtItsTurn {
				holds(q, v.Blocks, q.report.Choice.Node, func(p *outrank.Pod) bool {
					j := slices.IndexFunc(q.ex.Victims, func(o preemption.Victim) bool { return o.Pod == p })
					return j >= 0 && j != i && (v.With == "" || q.report.Victims.Items[j].With != v.With)
				})
			}
		}
	})
}
