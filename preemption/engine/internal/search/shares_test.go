package search

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// However the pods of a node are chosen, no fewer than the bound hold what it is short
// of.
func TestPropertySharesBound(t *testing.T) {
	t.Parallel()
	pods := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (row state.AmountRow) {
		for k := range row {
			row[k] = rapid.SampledFrom([]int64{0, 1, 2, 3, 7, 1 << 40}).Draw(t, "amount")
		}
		return row
	}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		n := &state.NodeState{Rows: pods.Draw(t, "pods")}
		var chosen int32
		var short state.AmountRow
		for i := range n.Rows {
			if rapid.Bool().Draw(t, "chosen") {
				chosen++
				for k, v := range n.Rows[i] {
					short[k] += v
				}
			}
		}
		if rapid.Bool().Draw(t, "one column is not short") {
			short[rapid.IntRange(0, state.NumColumns-1).Draw(t, "column")] = 0
		}
		e := state.ExtremesOf(&state.NodeState{Rows: n.Rows, SortKeys: make([]state.Importance, len(n.Rows))}, &state.NodeSummary{})
		sums := state.ShareSumsOf(n, &state.NodeSummary{}, &e)
		least := FewestByExtremes(&e, &state.NodeSummary{Room: 1}, &short)
		bound := sums.Fewest(&short, &e, max(1, least))
		require.GreaterOrEqual(t, max(1, chosen), bound)
	})
}

// The same holds for pods of the lowest priority, and of the two lowest.
func TestPropertySharesOfTheLowest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := &state.NodeState{}
		counts := [3]int{}
		for i := range counts {
			counts[i] = rapid.IntRange(1-min(i, 1), 4).Draw(t, "pods")
			for range counts[i] {
				var row state.AmountRow
				for k := range row {
					row[k] = rapid.SampledFrom([]int64{0, 1, 2, 3, 7, 1 << 40}).Draw(t, "amount")
				}
				n.Rows = append(n.Rows, row)
			}
		}
		l := &state.NodeSummary{LowPods: uint16(counts[2])}
		n.Levels = []state.Level{{Pods: int32(counts[2])}, {Pods: int32(counts[2] + counts[1])}, {Pods: int32(len(n.Rows))}}
		e := state.ExtremesOf(&state.NodeState{Rows: n.Rows, SortKeys: make([]state.Importance, len(n.Rows))}, l)
		sums := state.ShareSumsOf(n, l, &e)
		for _, among := range []struct {
			from int
			sums *[state.TopShares]float32
		}{{counts[0] + counts[1], &sums.Low}, {counts[0], &sums.Second}} {
			var chosen int32
			var short state.AmountRow
			for i := among.from; i < len(n.Rows); i++ {
				if rapid.Bool().Draw(t, "chosen") {
					chosen++
					for k, v := range n.Rows[i] {
						short[k] += v
					}
				}
			}
			require.GreaterOrEqual(t, max(1, chosen), sums.FewestAmong(among.sums, &short, &e, 1))
		}
	})
}

// Two pods that hold the most of one column each are not enough for much of both.
func TestSharesTellMoreThanColumns(t *testing.T) {
	n := &state.NodeState{Rows: []state.AmountRow{{10, 1, 0}, {10, 1, 0}, {1, 10, 0}, {1, 10, 0}}}
	e := state.ExtremesOf(&state.NodeState{}, &state.NodeSummary{})
	e.SetLargest(&state.AmountRow{10, 10, 0})
	sums := state.ShareSumsOf(n, &state.NodeSummary{}, &e)
	short := state.AmountRow{20, 20, 0}
	require.EqualValues(t, 2, FewestByExtremes(&e, &state.NodeSummary{Room: 1}, &short))
	require.EqualValues(t, 4, sums.Fewest(&short, &e, 2))
	n.Levels = []state.Level{{Pods: 1}, {Pods: 3}, {Pods: 4}}
	sums = state.ShareSumsOf(n, &state.NodeSummary{LowPods: 1}, &e)
	require.EqualValues(t, 5, sums.FewestAmong(&sums.Second, &short, &e, 2), "three pods never hold that")
	require.EqualValues(t, 1, sums.FewestAmong(&sums.Low, &state.AmountRow{1, 10, 0}, &e, 1))
	none := state.ShareSumsOf(n, &state.NodeSummary{Flags: state.LargeAmounts}, &e)
	require.EqualValues(t, 2, none.Fewest(&short, &e, 2), "large amounts say nothing")
}

// What pods of the lowest priority cost is bounded by their costs alone, however cheap the
// others are.
func TestCostsOfTheLowest(t *testing.T) {
	n := state.NewNodeState("n", 0, &state.Owner{})
	for _, cost := range []string{"1", "5", "7"} { // the most important first
		n.Objects = append(n.Objects, &outrank.Pod{Name: cost})
		n.Rows = append(n.Rows, state.AmountRow{1, 0, 2})
	}
	var c state.NodeCosts
	c.Find(n, 2, func(p *outrank.Pod) int64 { return int64(p.Name[0] - '0') })
	require.Equal(t, []int64{5, 12, 13}, []int64{c.Low.Least(1, &state.AmountRow{}), c.Low.Least(2, &state.AmountRow{}), c.All.Least(3, &state.AmountRow{})})
	require.Equal(t, []int64{1, 6}, []int64{c.All.Least(1, &state.AmountRow{}), c.All.Least(2, &state.AmountRow{})})
	require.InDelta(t, 15, c.Low.Least(1, &state.AmountRow{3}), 1, "five for each unit")
}
