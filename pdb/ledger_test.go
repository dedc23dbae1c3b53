package pdb

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A ledger agrees with plain counting after every step, and nothing is left
// after a reset.
func TestLedgerAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := anyBudgets.Draw(t, "budgets")
		budgets := New(input)
		ledger := budgets.Ledger()
		taken := make([]int64, len(input))
		t.Repeat(map[string]func(*rapid.T){
			"charge": func(t *rapid.T) {
				pod := &outrank.Pod{Name: rapid.SampledFrom([]string{"p0", "p1", "p2"}).Draw(t, "pod")}
				covering := rapid.SliceOfN(rapid.Int32Range(-1, 6), 0, 4).Draw(t, "covering")
				want := []int32{}
				for _, i := range covering {
					if i < 0 || int(i) >= len(input) {
						continue
					}
					if _, counted := input[i].DisruptedPods[pod.Name]; counted {
						continue
					}
					taken[i]++
					if int64(input[i].DisruptionsAllowed) < taken[i] {
						want = append(want, i)
					}
				}
				require.ElementsMatch(t, want, ledger.Charge(pod, covering))
			},
			"reset": func(t *rapid.T) {
				ledger.Reset()
				require.Empty(t, ledger.touched, "or the next reset would take longer")
				clear(taken)
			},
			"": func(t *rapid.T) {
				for i, b := range input {
					require.Equal(t, int64(b.DisruptionsAllowed)-taken[i], ledger.Left(i), "budget %d", i)
				}
			},
		})
	})
}

func TestLedgerSeesAnewAllowance(t *testing.T) {
	b := &outrank.PodDisruptionBudget{Name: "b"}
	ledger := New([]*outrank.PodDisruptionBudget{b}).Ledger()
	pod := &outrank.Pod{Name: "p"}
	require.Equal(t, []int32{0}, ledger.Charge(pod, []int32{0}))
	b.DisruptionsAllowed = 5
	require.EqualValues(t, 4, ledger.Left(0), "DisruptionsAllowed counts as it stands now, and what was charged stays charged")
	b.DisruptedPods = disrupted{"p": noon}
	require.Empty(t, ledger.Charge(pod, []int32{0}))
	require.EqualValues(t, 4, ledger.Left(0), "it was counted already")
}

func TestZeroLedger(t *testing.T) {
	var ledger Ledger
	require.Empty(t, ledger.Charge(&outrank.Pod{Name: "p"}, []int32{0}))
	require.Zero(t, ledger.Left(0))
	ledger.Reset()
	require.Empty(t, New([]*outrank.PodDisruptionBudget{{}}).Ledger().Charge(nil, []int32{0}), "a nil pod charges nothing")
}

func TestTightLoopAllocatesNothing(t *testing.T) {
	budgets := New([]*outrank.PodDisruptionBudget{
		budget("a", &outrank.LabelSelector{MatchLabels: labels{"app": "web", "tier": "front"}}),
		budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.In, Values: []string{"web"}})),
	})
	pod := &outrank.Pod{Name: "p", Labels: labels{"app": "web", "tier": "front"}}
	ledger := budgets.Ledger()
	var covering []int32
	broken := 0
	loop := func() {
		covering = budgets.AppendCovering(covering[:0], pod)
		broken = len(ledger.Charge(pod, covering))
		ledger.Reset()
	}
	loop()
	require.Zero(t, testing.AllocsPerRun(100, loop))
	require.Equal(t, 2, broken)
}
