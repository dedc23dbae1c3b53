package state_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The bounds on the number of victims are never too high: no smaller set of the
// least important pods holds enough.
func TestPropertyFewest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		n := state.NewNodeState("n", 0, &state.Owner{})
		n.Node, n.MaxPods = &outrank.Node{Name: "n"}, 110
		pods := rapid.IntRange(1, 12).Draw(t, "pods")
		scale := rapid.SampledFrom([]int64{1, 7, 1 << 40}).Draw(t, "scale")
		n.Levels = []state.Level{{Pods: int32(pods)}}
		for i := range pods {
			row := state.AmountRow{scale * r.Int64N(6), scale * r.Int64N(6), r.Int64N(2)}
			n.Pods = append(n.Pods, &state.PodState{Pod: &outrank.Pod{Name: fmt.Sprint(i)}, Taking: &state.Taking{Takes: state.Amounts{Std: row}}})
			n.Rows, n.SortKeys = append(n.Rows, row), append(n.SortKeys, state.Importance{})
			for k, v := range row {
				n.Levels[0].Held[k] += v
			}
		}
		var ls state.Summaries
		ls.Set(0, n, state.SummaryOf(n), &state.Owner{})
		l, best := ls.At(0), ls.TopSumsAt(0)
		var asks, short state.AmountRow
		for k, v := range l.Low {
			asks[k] = l.Free[k] + r.Int64N(v+1)
			short[k] = asks[k] - l.Free[k]
		}
		least := fewestByTrial(n.Rows, short)
		assert.LessOrEqual(t, l.Fewest(&asks), least, "by the summary")
		share := 0.0
		for k, v := range short {
			share += float64(v) / float64(max(1, l.Low[k]))
		}
		assert.LessOrEqual(t, l.Fewest(&asks), fewestByShares(l, share), "by its shares, at most")
		assert.GreaterOrEqual(t, l.Fewest(&asks), fewestByShares(l, share-2*state.Rounding), "by its shares, at least")
		assert.LessOrEqual(t, best.Fewest(l, &short, 1), least, "by the top-k sums")
	})
}

// fewestByShares goes through the shares one by one.
func fewestByShares(l *state.NodeSummary, share float64) int32 {
	pods := int32(1)
	for pods <= state.TopK && float64(l.Shares[pods-1]) < math.Floor(share*state.ShareUnit) {
		pods++
	}
	return max(pods, 1-int32(l.Room))
}

// fewestByTrial tries all sets of rows.
func fewestByTrial(rows []state.AmountRow, short state.AmountRow) int32 {
	least := int32(math.MaxInt32)
	for set := 1; set < 1<<len(rows); set++ {
		var held state.AmountRow
		count := int32(0)
		for i, row := range rows {
			if set&(1<<i) != 0 {
				count++
				for k, v := range row {
					held[k] += v
				}
			}
		}
		if held[0] >= short[0] && held[1] >= short[1] && held[2] >= short[2] {
			least = min(least, count)
		}
	}
	return least
}
