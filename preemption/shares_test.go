package preemption

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
)

// However the pods of a node are chosen, no fewer than the bound hold what it is short
// of.
func TestPropertySharesBound(t *testing.T) {
	t.Parallel()
	pods := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (row amountRow) {
		for k := range row {
			row[k] = rapid.SampledFrom([]int64{0, 1, 2, 3, 7, 1 << 40}).Draw(t, "amount")
		}
		return row
	}), 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		n := &nodeState{rows: pods.Draw(t, "pods")}
		var chosen int32
		var short amountRow
		for i := range n.rows {
			if rapid.Bool().Draw(t, "chosen") {
				chosen++
				for k, v := range n.rows[i] {
					short[k] += v
				}
			}
		}
		if rapid.Bool().Draw(t, "one column is not short") {
			short[rapid.IntRange(0, numColumns-1).Draw(t, "column")] = 0
		}
		e := extremesOf(&nodeState{rows: n.rows, sortKeys: make([]importance, len(n.rows))}, &nodeSummary{})
		sums := shareSumsOf(n, &nodeSummary{}, &e)
		least := e.fewest(&nodeSummary{room: 1}, &short)
		bound := sums.fewest(&short, &e, max(1, least))
		require.GreaterOrEqual(t, max(1, chosen), bound)
	})
}

// The same holds for pods of the lowest priority, and of the two lowest.
func TestPropertySharesOfTheLowest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := &nodeState{}
		counts := [3]int{}
		for i := range counts {
			counts[i] = rapid.IntRange(1-min(i, 1), 4).Draw(t, "pods")
			for range counts[i] {
				var row amountRow
				for k := range row {
					row[k] = rapid.SampledFrom([]int64{0, 1, 2, 3, 7, 1 << 40}).Draw(t, "amount")
				}
				n.rows = append(n.rows, row)
			}
		}
		l := &nodeSummary{lowPods: uint16(counts[2])}
		n.levels = []level{{pods: int32(counts[2])}, {pods: int32(counts[2] + counts[1])}, {pods: int32(len(n.rows))}}
		e := extremesOf(&nodeState{rows: n.rows, sortKeys: make([]importance, len(n.rows))}, l)
		sums := shareSumsOf(n, l, &e)
		for _, among := range []struct {
			from int
			sums *[topShares]float32
		}{{counts[0] + counts[1], &sums.low}, {counts[0], &sums.second}} {
			var chosen int32
			var short amountRow
			for i := among.from; i < len(n.rows); i++ {
				if rapid.Bool().Draw(t, "chosen") {
					chosen++
					for k, v := range n.rows[i] {
						short[k] += v
					}
				}
			}
			require.GreaterOrEqual(t, max(1, chosen), sums.fewestAmong(among.sums, &short, &e, 1))
		}
	})
}

// Two pods that hold the most of one column each are not enough for much of both.
func TestSharesTellMoreThanColumns(t *testing.T) {
	n := &nodeState{rows: []amountRow{{10, 1, 0}, {10, 1, 0}, {1, 10, 0}, {1, 10, 0}}}
	e := extremesOf(&nodeState{}, &nodeSummary{})
	e.setLargest(&amountRow{10, 10, 0})
	sums := shareSumsOf(n, &nodeSummary{}, &e)
	short := amountRow{20, 20, 0}
	require.EqualValues(t, 2, e.fewest(&nodeSummary{room: 1}, &short))
	require.EqualValues(t, 4, sums.fewest(&short, &e, 2))
	n.levels = []level{{pods: 1}, {pods: 3}, {pods: 4}}
	sums = shareSumsOf(n, &nodeSummary{lowPods: 1}, &e)
	require.EqualValues(t, 5, sums.fewestAmong(&sums.second, &short, &e, 2), "three pods never hold that")
	require.EqualValues(t, 1, sums.fewestAmong(&sums.low, &amountRow{1, 10, 0}, &e, 1))
	none := shareSumsOf(n, &nodeSummary{flags: largeAmounts}, &e)
	require.EqualValues(t, 2, none.fewest(&short, &e, 2), "large amounts say nothing")
}

// What pods of the lowest priority cost is bounded by their costs alone, however cheap the
// others are.
func TestCostsOfTheLowest(t *testing.T) {
	n := newNodeState("n", 0, &owner{})
	for _, cost := range []string{"1", "5", "7"} { // the most important first
		n.objects = append(n.objects, &outrank.Pod{Name: cost})
		n.rows = append(n.rows, amountRow{1, 0, 2})
	}
	table := costTable{bySlot: make([]nodeCosts, 1)}
	c := table.at(n, 2, func(p *outrank.Pod) int64 { return int64(p.Name[0] - '0') })
	require.Equal(t, []int64{5, 12, 13}, []int64{c.low.least(1, &amountRow{}), c.low.least(2, &amountRow{}), c.all.least(3, &amountRow{})})
	require.Equal(t, []int64{1, 6}, []int64{c.all.least(1, &amountRow{}), c.all.least(2, &amountRow{})})
	require.InDelta(t, 15, c.low.least(1, &amountRow{3}), 1, "five for each unit")
}
