package fit_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
)

// Many tolerations cover the taints that any one of them covers.
func TestPropertyTolerations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys, values := rapid.SampledFrom([]string{"", "a", "b", "c"}), rapid.SampledFrom([]string{"", "x", "y"})
		effects := rapid.SampledFrom([]outrank.TaintEffect{"", outrank.NoSchedule, outrank.PreferNoSchedule, outrank.NoExecute})
		operators := rapid.SampledFrom([]outrank.TolerationOperator{"", outrank.TolerationEqual, outrank.TolerationEqual, outrank.TolerationExists, "Gt"})
		var list []outrank.Toleration
		for range rapid.IntRange(0, 40).Draw(t, "tolerations") {
			list = append(list, outrank.Toleration{Key: keys.Draw(t, "key"), Value: values.Draw(t, "value"), Operator: operators.Draw(t, "operator"), Effect: effects.Draw(t, "effect")})
		}
		tolerations := fit.NewTolerations(list)
		for range 10 {
			taint := outrank.Taint{Key: keys.Draw(t, "key"), Value: values.Draw(t, "value"), Effect: effects.Draw(t, "effect")}
			want := false
			for _, x := range list {
				key := x.Key == taint.Key && (x.Key != "" || x.Operator == outrank.TolerationExists) || x.Key == "" && x.Operator == outrank.TolerationExists
				value := x.Operator == outrank.TolerationExists || (x.Operator == "" || x.Operator == outrank.TolerationEqual) && x.Value == taint.Value
				want = want || key && value && (x.Effect == "" || x.Effect == taint.Effect)
			}
			require.Equal(t, want, tolerations.Cover(taint), "%v by %v", taint, list)
			_, kept := tolerations.Untolerated(&outrank.Node{Taints: []outrank.Taint{taint}}, taint.Effect)
			require.Equal(t, !want, kept)
			require.Equal(t, want, (&outrank.Pod{Tolerations: list}).Tolerates(taint))
		}
	})
}
