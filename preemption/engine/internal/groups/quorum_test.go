package groups

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawQuorum draws a group, or a tree of groups, whose pods have the indexes from the given one on.
func drawQuorum(t *rapid.T, depth int, from *int) *quorum {
	q := &quorum{named: rapid.Bool().Draw(t, "named")}
	if depth > 0 {
		for range rapid.IntRange(1, 3).Draw(t, "groups below") {
			q.below = append(q.below, drawQuorum(t, depth-1, from))
		}
		q.min = rapid.IntRange(0, len(q.below)+1).Draw(t, "groups wanted")
		return q
	}
	for range rapid.IntRange(0, 4).Draw(t, "pods") {
		q.pods = append(q.pods, *from)
		*from++
	}
	q.there = rapid.IntRange(0, 2).Draw(t, "pods that run")
	q.min = rapid.IntRange(0, q.there+len(q.pods)+1).Draw(t, "pods wanted")
	return q
}

// wanted lists the pods that have a place in the end, of those that find one, and says whether they are
// enough. A pod is placed with its group or not at all.
func wanted(q *quorum, finds []bool) (pods []int, enough bool) {
	there := q.there
	for _, i := range q.pods {
		if finds[i] {
			pods, there = append(pods, i), there+1
		}
	}
	for _, b := range q.below {
		if below, ok := wanted(b, finds); ok {
			pods, there = append(pods, below...), there+1
		}
	}
	if there < q.min {
		return nil, false
	}
	return pods, true
}

// Where a pod finds a place whatever the others do, those have one in the end that stand in groups which have
// enough of them, and nobody has one where the whole has not.
func TestPropertyQuorum(t *testing.T) {
	t.Parallel()
	outcomes := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		q := drawQuorum(t, rapid.IntRange(0, 2).Draw(t, "levels above"), &n)
		finds := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "finds a place")
		has := make([]bool, n)
		p := placing{
			place:    func(i int) (bool, error) { has[i] = finds[i]; return finds[i], nil },
			takeAway: func(i int) { require.True(t, has[i]); has[i] = false },
			giveUp:   func() {},
		}
		why, err := p.all(q)
		require.NoError(t, err)

		want, enough := wanted(q, finds)
		outcomes[enough && len(want) > 0]++
		require.Equal(t, enough && len(want) > 0, why == "", why)
		if why != "" {
			return
		}
		require.Equal(t, want, p.placed)
		for i := range has {
			require.Equal(t, slices.Contains(want, i), has[i])
		}
		require.Empty(t, q.missed(has), "what was placed is what a function of the caller may place")
	})
	require.Positive(t, outcomes[true])
	require.Positive(t, outcomes[false])
}

// A placement of the caller is enough if as many have a place as are wanted, whatever else is placed.
func TestPropertyMissed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		q := drawQuorum(t, rapid.IntRange(0, 2).Draw(t, "levels above"), &n)
		placed := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "placed")
		_, enough := wanted(q, placed)
		require.Equal(t, enough, q.missed(placed) == "")
	})
}
