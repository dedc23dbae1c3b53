package pdb

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type labels = map[string]string

func budget(name string, s *outrank.LabelSelector) *outrank.PodDisruptionBudget {
	return &outrank.PodDisruptionBudget{Name: name, Selector: s}
}

func expressions(rs ...outrank.Requirement) *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchExpressions: rs}
}

func TestCovering(t *testing.T) {
	app := func(v string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: labels{"app": v}} }
	elsewhere := budget("elsewhere", app("web"))
	elsewhere.Namespace = "elsewhere"
	named := budget("named", app("web"))
	named.Namespace = "default"
	for _, c := range []struct {
		name, reason string
		budget       *outrank.PodDisruptionBudget
		pod          *outrank.Pod
		want         bool
	}{
		{"label", "the ordinary case", budget("b", app("web")), &outrank.Pod{Labels: labels{"app": "web", "x": "y"}}, true},
		{"other value", "values must be equal", budget("b", app("web")), &outrank.Pod{Labels: labels{"app": "db"}}, false},
		{"other namespace", "a budget stays at home", elsewhere, &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"same other namespace", "the names are compared", elsewhere, &outrank.Pod{Namespace: "elsewhere", Labels: labels{"app": "web"}}, true},
		{"namespace spelled out", "none means default", named, &outrank.Pod{Labels: labels{"app": "web"}}, true},
		{"nil selector", "covers nothing", budget("b", nil), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"empty selector", "covers nothing here", budget("b", &outrank.LabelSelector{}), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"empty but not nil", "the same", budget("b", &outrank.LabelSelector{MatchLabels: labels{}, MatchExpressions: []outrank.Requirement{}}), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"bad key", "invalid, so nothing, though the labels are alike", budget("b", &outrank.LabelSelector{MatchLabels: labels{"a b": "c"}}), &outrank.Pod{Labels: labels{"a b": "c"}}, false},
		{"bad expression beside a good label", "invalid as a whole", budget("b", &outrank.LabelSelector{
			MatchLabels: labels{"app": "web"}, MatchExpressions: []outrank.Requirement{{Key: "app", Operator: "exists"}},
		}), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"pod without labels", "covered by nothing", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.DoesNotExist})), &outrank.Pod{}, false},
		{"In", "one of the values", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.In, Values: []string{"db", "web"}})), &outrank.Pod{Labels: labels{"app": "web"}}, true},
		{"In, missing key", "the label must be there", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.In, Values: []string{""}})), &outrank.Pod{Labels: labels{"x": "y"}}, false},
		{"NotIn", "none of the values", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.NotIn, Values: []string{"web"}})), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"NotIn, missing key", "holds", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.NotIn, Values: []string{"web"}})), &outrank.Pod{Labels: labels{"x": "y"}}, true},
		{"Exists", "an empty value will do", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.Exists})), &outrank.Pod{Labels: labels{"app": ""}}, true},
		{"Exists, missing key", "does not hold", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.Exists})), &outrank.Pod{Labels: labels{"x": ""}}, false},
		{"DoesNotExist", "an empty value is there", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.DoesNotExist})), &outrank.Pod{Labels: labels{"app": ""}}, false},
		{"DoesNotExist, missing key", "holds", budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.DoesNotExist})), &outrank.Pod{Labels: labels{"x": "y"}}, true},
		{"both parts", "all must hold", budget("b", &outrank.LabelSelector{
			MatchLabels: labels{"app": "web"}, MatchExpressions: []outrank.Requirement{{Key: "tier", Operator: outrank.Exists}},
		}), &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"nil budget", "covers nothing", nil, &outrank.Pod{Labels: labels{"app": "web"}}, false},
		{"nil pod", "is covered by nothing", budget("b", app("web")), nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var want []int
			if c.want {
				want = []int{0}
			}
			got := New([]*outrank.PodDisruptionBudget{c.budget}).Covering(c.pod)
			require.Equal(t, want, got, c.reason)
		})
	}
}

func TestCoveringIsInTheOrderGiven(t *testing.T) {
	exists := expressions(outrank.Requirement{Key: "app", Operator: outrank.Exists})
	budgets := New([]*outrank.PodDisruptionBudget{
		budget("label", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}),
		budget("expression", exists),
		budget("other label", &outrank.LabelSelector{MatchLabels: labels{"tier": "front"}}),
		budget("expression again", exists),
		budget("label again", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}),
	})
	pod := &outrank.Pod{Labels: labels{"app": "web", "tier": "front"}}
	for range 20 { // the order in which a map is gone through differs from time to time
		require.Equal(t, []int{0, 1, 2, 3, 4}, budgets.Covering(pod))
	}
	require.Equal(t, []int32{3, 1, 0, 1, 2, 3, 4}, budgets.AppendCovering([]int32{3, 1}, pod), "what was there is not sorted in")
}

// If the budgets were listed under a label that all share, every one of them
// would be checked.
func TestBudgetsAreListedUnderTheirRarestLabel(t *testing.T) {
	var input []*outrank.PodDisruptionBudget
	for _, app := range []string{"a", "b", "c"} {
		input = append(input, budget(app, &outrank.LabelSelector{MatchLabels: labels{"app": app, "tier": "front", "all": "same"}}))
	}
	for i, app := range []string{"d", "e"} {
		tier := &outrank.LabelSelector{MatchLabels: labels{"tier": "front"}}
		tier.MatchExpressions = append(tier.MatchExpressions, outrank.Requirement{Key: "app", Operator: outrank.In, Values: []string{app, app, app + "2"}})
		input = append(input, budget(app, tier))
		key := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: app, Operator: outrank.Exists}, {Key: "tier", Operator: outrank.NotIn, Values: []string{"back"}}}}
		input = append(input, budget(fmt.Sprint("key", i), key))
	}
	input = append(input, budget("none", &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "app", Operator: outrank.DoesNotExist}}}))
	of := func(key, value string) label { return label{key: key, value: value} }
	want := map[label][]int32{
		of("app", "a"): {0}, of("app", "b"): {1}, of("app", "c"): {2},
		of("app", "d"): {3}, of("app", "d2"): {3}, of("app", "e"): {5}, of("app", "e2"): {5},
		{key: "d", any: true}: {4}, {key: "e", any: true}: {6},
	}
	made := New(input)
	require.Equal(t, want, made.scopes["default"].byLabel)
	require.Equal(t, []int32{7}, made.scopes["default"].rest)
	changed := made
	for i := range input {
		changed = changed.With(i, nil)
	}
	require.Empty(t, changed.scopes["default"].byLabel)
	require.Empty(t, changed.scopes["default"].rest)
}

func TestBudgetsList(t *testing.T) {
	a, b := budget("a", nil), budget("b", nil)
	input := []*outrank.PodDisruptionBudget{a, nil, b}
	budgets := New(input)
	input[0] = nil
	require.Equal(t, 3, budgets.Len())
	require.Same(t, a, budgets.At(0), "the slice is not kept")
	require.Nil(t, budgets.At(1))
	require.Same(t, b, budgets.At(2))
	require.Nil(t, budgets.At(-1))
	require.Nil(t, budgets.At(3))
}

func TestNoBudgets(t *testing.T) {
	pod := &outrank.Pod{Name: "p", Labels: labels{"app": "web"}}
	for name, budgets := range map[string]*Budgets{"nil": nil, "zero": {}, "none": New(nil)} {
		t.Run(name, func(t *testing.T) {
			require.Zero(t, budgets.Len())
			require.Nil(t, budgets.At(0))
			require.Nil(t, budgets.Covering(pod))
			violating, ok := budgets.Split(outrank.DefaultRelease, []*outrank.Pod{pod, nil})
			require.Empty(t, violating)
			require.Equal(t, []*outrank.Pod{pod, nil}, ok)
			require.Empty(t, budgets.Ledger().Charge(pod, []int32{0, -1}))
		})
	}
}

// Generators: few names, keys and values, so that things meet. One requirement
// in a few is invalid.
var (
	anyNamespace = rapid.SampledFrom([]string{"", "default", "b"})
	anyKey       = rapid.SampledFrom([]string{"app", "app", "app", "tier", "tier", "tier", "bad key"})
	anyValue     = rapid.SampledFrom([]string{"", "web", "db"})
	anyLabels    = rapid.MapOfN(rapid.SampledFrom([]string{"app", "tier", "zone"}), anyValue, 0, 3)
	anyDemand    = rapid.Custom(func(t *rapid.T) outrank.Requirement {
		r := outrank.Requirement{Key: anyKey.Draw(t, "key")}
		switch rapid.IntRange(0, 4).Draw(t, "operator") {
		case 0:
			r.Operator, r.Values = outrank.In, rapid.SliceOfN(anyValue, 1, 2).Draw(t, "values")
		case 1:
			r.Operator, r.Values = outrank.NotIn, rapid.SliceOfN(anyValue, 1, 2).Draw(t, "values")
		case 2:
			r.Operator = outrank.Exists
		case 3:
			r.Operator = outrank.DoesNotExist
		default:
			r.Operator = rapid.SampledFrom([]outrank.Operator{outrank.In, outrank.NotIn, outrank.Exists, outrank.DoesNotExist, outrank.Gt}).Draw(t, "any operator")
			r.Values = rapid.SliceOfN(anyValue, 0, 1).Draw(t, "any values")
		}
		return r
	})
	anySelector = rapid.Custom(func(t *rapid.T) *outrank.LabelSelector {
		if rapid.IntRange(0, 9).Draw(t, "nil") == 0 {
			return nil
		}
		return &outrank.LabelSelector{
			MatchLabels:      rapid.MapOfN(anyKey, anyValue, 0, 2).Draw(t, "labels"),
			MatchExpressions: rapid.SliceOfN(anyDemand, 0, 2).Draw(t, "expressions"),
		}
	})
	anyBudget = rapid.Custom(func(t *rapid.T) *outrank.PodDisruptionBudget {
		b := budget("b", anySelector.Draw(t, "selector"))
		b.Namespace = anyNamespace.Draw(t, "namespace")
		b.DisruptionsAllowed = rapid.Int32Range(-1, 3).Draw(t, "allowed")
		for _, name := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 2).Draw(t, "disrupted") {
			if b.DisruptedPods == nil {
				b.DisruptedPods = disrupted{}
			}
			b.DisruptedPods[fmt.Sprint("p", name)] = noon
		}
		return b
	})
	anyBudgets = rapid.SliceOfN(anyBudget, 0, 6)
	anyPods    = rapid.Custom(func(t *rapid.T) []*outrank.Pod {
		var pods []*outrank.Pod
		for i := range rapid.IntRange(0, 10).Draw(t, "pods") {
			pods = append(pods, &outrank.Pod{
				Name:      fmt.Sprint("p", i),
				Namespace: anyNamespace.Draw(t, "namespace"),
				Labels:    anyLabels.Draw(t, "labels"),
			})
		}
		return pods
	})
)

// covers is the rule in one sentence.
func covers(b *outrank.PodDisruptionBudget, pod *outrank.Pod) bool {
	return b.NamespaceName() == pod.NamespaceName() && len(pod.Labels) > 0 && !b.Selector.Empty() && b.Selector.Matches(pod.Labels)
}

func TestCoveringIsTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := anyBudgets.Draw(t, "budgets")
		budgets := New(input)
		finder := budgets.Finder()
		for _, pod := range anyPods.Draw(t, "pods") {
			require.Equal(t, budgets.AppendCovering(nil, pod), finder.Covering(pod), "pod %+v", pod)
			var want []int
			for i, b := range input {
				if covers(b, pod) {
					want = append(want, i)
				}
			}
			require.Equal(t, want, budgets.Covering(pod), "pod %+v", pod)
			dst := budgets.AppendCovering([]int32{9, 7}, pod)
			require.Equal(t, []int32{9, 7}, dst[:2], "what was there stays")
			require.Len(t, dst[2:], len(want))
		}
	})
}

// splitPlainly follows group 6.3 step by step.
func splitPlainly(r outrank.Release, budgets []*outrank.PodDisruptionBudget, pods []*outrank.Pod) (violating, ok []*outrank.Pod) {
	left := make([]int64, len(budgets))
	for i, b := range budgets {
		left[i] = int64(b.DisruptionsAllowed)
	}
	for _, pod := range pods {
		breaks := false
		for i, b := range budgets {
			if !covers(b, pod) {
				continue
			}
			if _, counted := b.DisruptedPods[pod.Name]; counted {
				continue
			}
			left[i]--
			breaks = breaks || left[i] < 0
			if breaks && r == outrank.V1_37 {
				break
			}
		}
		if breaks {
			violating = append(violating, pod)
		} else {
			ok = append(ok, pod)
		}
	}
	return violating, ok
}

func keys(pods []*outrank.Pod) []string {
	var out []string
	for _, p := range pods {
		out = append(out, string(p.Key()))
	}
	return out
}

func TestSplitIsTheRule(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input, pods := anyBudgets.Draw(t, "budgets"), anyPods.Draw(t, "pods")
		before := slices.Clone(pods)
		r := rapid.SampledFrom(outrank.Releases()).Draw(t, "release")
		wantViolating, wantOK := splitPlainly(r, input, pods)
		budgets := New(input)
		for range 2 { // the second call remembers nothing of the first
			violating, ok := budgets.Split(r, pods)
			if diff := testdiff.Diff(keys(wantViolating), keys(violating)); diff != "" {
				t.Fatalf("violating (-want +got):\n%s", diff)
			}
			if diff := testdiff.Diff(keys(wantOK), keys(ok)); diff != "" {
				t.Fatalf("ok (-want +got):\n%s", diff)
			}
		}
		require.Equal(t, before, pods, "the list is only read")

		if r == outrank.DefaultRelease {
			violating, _ := budgets.Split(outrank.DefaultRelease, pods)
			require.Equal(t, keys(wantViolating), keys(violating))
		}
		if r == outrank.V1_36 { // the order of the budgets changes nothing
			violating, _ := New(rapid.Permutation(input).Draw(t, "order")).Split(r, pods)
			require.Equal(t, keys(wantViolating), keys(violating))
		}
	})
}

func TestSplit(t *testing.T) {
	sel := func(k, v string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: labels{k: v}} }
	pod := func(name string, l labels) *outrank.Pod { return &outrank.Pod{Name: name, Labels: l} }
	one := func(b *outrank.PodDisruptionBudget, allowed int32) *outrank.PodDisruptionBudget {
		b.DisruptionsAllowed = allowed
		return b
	}
	app, tier := labels{"app": "web"}, labels{"tier": "front"}
	both := labels{"app": "web", "tier": "front"}
	counted := one(budget("a", sel("app", "web")), 0)
	counted.DisruptedPods = disrupted{"p1": noon}
	for _, c := range []struct {
		name, reason string
		budgets      []*outrank.PodDisruptionBudget
		pods         []*outrank.Pod
		want         []string
	}{
		{"first come", "the first uses the allowance up", []*outrank.PodDisruptionBudget{one(budget("a", sel("app", "web")), 1)},
			[]*outrank.Pod{pod("p1", app), pod("p2", app)}, []string{"default/p2"}},
		{"nothing allowed", "the first breaks it", []*outrank.PodDisruptionBudget{one(budget("a", sel("app", "web")), 0)},
			[]*outrank.Pod{pod("p1", app)}, []string{"default/p1"}},
		{"already counted", "its name is in disruptedPods", []*outrank.PodDisruptionBudget{counted},
			[]*outrank.Pod{pod("p1", app), pod("p2", app)}, []string{"default/p2"}},
		{"a violating pod is charged no further", "p1 breaks a and takes nothing from b",
			[]*outrank.PodDisruptionBudget{one(budget("a", sel("app", "web")), 0), one(budget("b", sel("tier", "front")), 1)},
			[]*outrank.Pod{pod("p1", both), pod("p2", tier)}, []string{"default/p1"}},
		{"what a violating pod was charged before", "p1 takes from b, which comes before a, so that nothing is left for p2",
			[]*outrank.PodDisruptionBudget{one(budget("b", sel("tier", "front")), 1), one(budget("a", sel("app", "web")), 0)},
			[]*outrank.Pod{pod("p1", both), pod("p2", tier)}, []string{"default/p1", "default/p2"}},
		{"one of two is broken", "one is enough",
			[]*outrank.PodDisruptionBudget{one(budget("a", sel("app", "web")), 5), one(budget("b", sel("tier", "front")), 0)},
			[]*outrank.Pod{pod("p1", both)}, []string{"default/p1"}},
		{"lowest allowance there is", "no wrapping", []*outrank.PodDisruptionBudget{one(budget("a", sel("app", "web")), -1<<31)},
			[]*outrank.Pod{pod("p1", app), pod("p2", app)}, []string{"default/p1", "default/p2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			violating, _ := New(c.budgets).Split(outrank.DefaultRelease, c.pods)
			require.Equal(t, c.want, keys(violating), c.reason)
		})
	}
}

func TestBudgetsAreSharedFreely(t *testing.T) {
	budgets := New([]*outrank.PodDisruptionBudget{
		budget("a", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}),
		budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.Exists})),
	})
	pods := []*outrank.Pod{{Name: "p", Labels: labels{"app": "web"}}}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				violating, _ := budgets.Split(outrank.DefaultRelease, pods)
				if len(violating) != 1 {
					t.Errorf("violating %v, want all of %v", keys(violating), keys(pods))
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkAppendCovering(b *testing.B) {
	for _, n := range []int{20, 2000} {
		var input []*outrank.PodDisruptionBudget
		for i := range n {
			input = append(input, budget(fmt.Sprint("b", i), &outrank.LabelSelector{MatchLabels: labels{"app": fmt.Sprint("app-", i)}}))
		}
		budgets := New(input)
		pod := &outrank.Pod{Name: "p", Labels: labels{"app": "app-7", "tier": "front"}}
		b.Run(fmt.Sprint("budgets=", n), func(b *testing.B) {
			b.ReportAllocs()
			var dst []int32
			for b.Loop() {
				dst = budgets.AppendCovering(dst[:0], pod)
			}
		})
	}
}
