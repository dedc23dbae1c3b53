package pdb

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// Every budget of a cluster gets the figures that plain counting gives: pods of its namespace with its label, those that
// are ready and stay, and what the figure of its spec leaves.
func TestFillCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &outrank.Cluster{}
		for i := range rapid.IntRange(0, 12).Draw(t, "pods") {
			p := &outrank.Pod{
				Name:      fmt.Sprint("p", i),
				Namespace: rapid.SampledFrom([]string{"", "default", "shop"}).Draw(t, "namespace"),
				Labels:    labels{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "app")},
				Ready:     rapid.Bool().Draw(t, "ready"),
				Owner:     outrank.Owner{Kind: "ReplicaSet", Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "owner")},
			}
			if rapid.IntRange(0, 4).Draw(t, "leaves") == 0 {
				p.DeletionTimestamp = noon
			}
			c.Pods = append(c.Pods, p)
		}

		for i := range rapid.IntRange(0, 4).Draw(t, "budgets") {
			b := &outrank.PodDisruptionBudget{
				Name: fmt.Sprint("b", i), Namespace: rapid.SampledFrom([]string{"", "shop"}).Draw(t, "of"),
				Selector: &outrank.LabelSelector{MatchLabels: labels{"app": rapid.SampledFrom([]string{"web", "db"}).Draw(t, "selects")}},
				// Stale figures, which are computed anew.
				DisruptionsAllowed: 7, CurrentHealthy: 7, DesiredHealthy: 7,
			}
			figure := number(rapid.Int32Range(0, 5).Draw(t, "figure"))
			if rapid.Bool().Draw(t, "min") {
				b.MinAvailable = figure
			} else {
				b.MaxUnavailable = figure
			}
			c.Budgets = append(c.Budgets, b)
		}

		filled, err := Fill(FillInput{Cluster: c, Now: noon})
		require.NoError(t, err)
		require.Len(t, filled, len(c.Budgets))
		for i, b := range c.Budgets {
			covered, healthy := int32(0), int32(0)
			for _, p := range c.Pods {
				if p.NamespaceName() != b.NamespaceName() || p.Labels["app"] != b.Selector.MatchLabels["app"] {
					continue
				}
				covered++
				if p.Ready && p.DeletionTimestamp.IsZero() {
					healthy++
				}
			}

			want := *b
			want.CurrentHealthy, want.ObservedGeneration = healthy, 1
			if b.MinAvailable != nil {
				want.DesiredHealthy = b.MinAvailable.Value
			} else {
				want.DesiredHealthy = max(0, covered-b.MaxUnavailable.Value)
			}
			want.DisruptionsAllowed = 0
			if covered > 0 {
				want.DisruptionsAllowed = max(0, healthy-want.DesiredHealthy)
			}
			require.Empty(t, testdiff.Diff(&want, filled[i]), "budget %d", i)
			require.Equal(t, int32(7), b.DesiredHealthy, "the budget is only read")
		}
		require.Empty(t, (&outrank.Cluster{Pods: c.Pods, Budgets: filled}).Warnings())
	})
}

// Times, scales and controllers reach every budget, and nil budgets and pods are passed over.
func TestFillPassesItsInputOn(t *testing.T) {
	b := budget("b", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}})
	b.MaxUnavailable, b.DisruptedPods, b.ObservedGeneration = number(3), disrupted{"old-0": noon.Add(-time.Minute), "old-1": noon.Add(-time.Hour)}, 5
	c := &outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{nil, b}, Pods: append(join(web(3, "old"), web(1, "new")), nil)}
	filled, err := Fill(FillInput{
		Cluster: c, Now: noon,
		Scale: func(o outrank.Owner, namespace string) (int32, bool) {
			return 5, o.Name == "web" && namespace == "default"
		},
		Controller: func(outrank.Owner, string) outrank.Owner { return outrank.Owner{Kind: "Deployment", Name: "web"} },
	})
	require.NoError(t, err)
	require.Nil(t, filled[0])

	// Of 4 pods one was evicted a minute ago; 5 of one deployment are wanted, and 2 of them have to stay. By the pods
	// that are there it would be 1, and so it would by the two owners, whose scale is not known.
	want := *b
	want.CurrentHealthy, want.DesiredHealthy, want.DisruptionsAllowed = 3, 2, 1
	require.Empty(t, testdiff.Diff(&want, filled[1]))
}

// The error names each budget that no API server would let in, and there are no budgets then.
func TestFillRefuses(t *testing.T) {
	bad := func(name string, min, max *outrank.IntOrPercent) *outrank.PodDisruptionBudget {
		return &outrank.PodDisruptionBudget{Name: name, MinAvailable: min, MaxUnavailable: max}
	}
	filled, err := Fill(FillInput{Cluster: &outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{
		bad("both", number(1), number(1)), bad("fine", number(1), nil), bad("odd", percent(101), nil),
	}}})
	require.Nil(t, filled)
	require.ErrorIs(t, err, ErrBudget)
	require.EqualError(t, err, "invalid disruption budget: poddisruptionbudget default/both: spec: minAvailable and maxUnavailable are both set\n"+
		"poddisruptionbudget default/odd: spec.minAvailable: 101% is more than 100%")

	_, err = Fill(FillInput{})
	require.ErrorIs(t, err, outrank.ErrInvalid, "no cluster")
}
