package pdb

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type disrupted = map[string]time.Time

var noon = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

func number(n int32) *outrank.IntOrPercent  { return &outrank.IntOrPercent{Value: n} }
func percent(n int32) *outrank.IntOrPercent { return &outrank.IntOrPercent{Value: n, Percent: true} }

// web is n ready pods of the controller, named after it.
func web(n int, owner string) []*outrank.Pod {
	var pods []*outrank.Pod
	for i := range n {
		p := &outrank.Pod{Name: fmt.Sprint(owner, "-", i), Labels: labels{"app": "web"}, Ready: true}
		if owner != "" {
			p.Owner = outrank.Owner{Kind: "ReplicaSet", Name: owner}
		}
		pods = append(pods, p)
	}
	return pods
}

func join(lists ...[]*outrank.Pod) (all []*outrank.Pod) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// with changes the first of pods.
func with(change func(p *outrank.Pod), pods []*outrank.Pod) []*outrank.Pod {
	change(pods[0])
	return pods
}

func TestStatusOf(t *testing.T) {
	scale := func(n int32) func(outrank.Owner, string) (int32, bool) {
		return func(outrank.Owner, string) (int32, bool) { return n, true }
	}
	unknown := func(outrank.Owner, string) (int32, bool) { return 99, false }
	onlyA := func(o outrank.Owner, namespace string) (int32, bool) {
		return 10, o == outrank.Owner{Kind: "ReplicaSet", Name: "a"} && namespace == "default"
	}
	for _, c := range []struct {
		name, reason string
		min, max     *outrank.IntOrPercent
		disrupted    disrupted
		scale        func(outrank.Owner, string) (int32, bool)
		pods         []*outrank.Pod
		want         BudgetStatus // Healthy, Desired, Expected, Allowed
	}{
		{name: "number", reason: "expected are the pods there are", min: number(2), pods: web(5, "a"), want: BudgetStatus{5, 2, 5, 3}},
		{name: "number, scale given", reason: "a number does not ask for it", min: number(2), pods: web(5, "a"), scale: scale(9), want: BudgetStatus{5, 2, 5, 3}},
		{name: "fewer than desired", reason: "allowed is never negative", min: number(9), pods: web(5, "a"), want: BudgetStatus{5, 9, 5, 0}},
		{name: "0 desired", reason: "all may go", min: number(0), pods: web(5, "a"), want: BudgetStatus{5, 0, 5, 5}},
		{name: "no pods", reason: "nothing is expected", min: number(0), want: BudgetStatus{0, 0, 0, 0}},
		{name: "neither figure", reason: "the controller leaves both at 0 and allows nothing", pods: web(5, "a"), want: BudgetStatus{5, 0, 0, 0}},

		{name: "percentage", reason: "half of 5 is rounded up to 3", min: percent(50), pods: web(5, "a"), want: BudgetStatus{5, 3, 5, 2}},
		{name: "percentage of the scale", reason: "the controller is meant to have 10", min: percent(50), pods: web(5, "a"), scale: scale(10), want: BudgetStatus{5, 5, 10, 0}},
		{name: "one per cent", reason: "rounded up to 1", min: percent(1), pods: web(5, "a"), want: BudgetStatus{5, 1, 5, 4}},
		{name: "all", reason: "100 % is exact", min: percent(100), pods: web(5, "a"), want: BudgetStatus{5, 5, 5, 0}},
		{name: "0 %", reason: "all may go", min: percent(0), pods: web(5, "a"), want: BudgetStatus{5, 0, 5, 5}},
		{name: "scale unknown", reason: "the pods there are", min: percent(50), pods: web(4, "a"), scale: unknown, want: BudgetStatus{4, 2, 4, 2}},
		{name: "scale 0", reason: "nothing is expected, so nothing is allowed", max: number(1), pods: web(4, "a"), scale: scale(0), want: BudgetStatus{4, 0, 0, 0}},

		{name: "maxUnavailable", reason: "all but one", max: number(1), pods: web(5, "a"), want: BudgetStatus{5, 4, 5, 1}},
		{name: "maxUnavailable above all", reason: "desired is never negative", max: number(9), pods: web(5, "a"), want: BudgetStatus{5, 0, 5, 5}},
		{name: "maxUnavailable as a percentage", reason: "30 % of 5 is rounded up to 2", max: percent(30), pods: web(5, "a"), want: BudgetStatus{5, 3, 5, 2}},
		{name: "maxUnavailable 0", reason: "none may go", max: number(0), pods: web(5, "a"), want: BudgetStatus{5, 5, 5, 0}},
		{name: "maxUnavailable, some not started", reason: "the missing ones use it up", max: number(2), pods: web(4, "a"), scale: scale(5), want: BudgetStatus{4, 3, 5, 1}},
		{name: "highest maxUnavailable", reason: "no wrapping", max: number(math.MaxInt32), pods: web(1, "a"), scale: scale(math.MaxInt32), want: BudgetStatus{1, 0, math.MaxInt32, 1}},

		{name: "two controllers", reason: "10 of one and the 2 there are of the other", max: number(1), scale: onlyA,
			pods: join(web(3, "a"), web(2, "b")), want: BudgetStatus{5, 11, 12, 0}},
		{name: "same name, other kind", reason: "that is another controller", max: number(1), scale: onlyA,
			pods: with(func(p *outrank.Pod) { p.Owner.Kind = "Job" }, web(3, "a")), want: BudgetStatus{3, 10, 11, 0}},
		{name: "without a controller", reason: "such pods stand for themselves", max: number(1), scale: scale(10),
			pods: join(web(3, "a"), web(2, "")), want: BudgetStatus{5, 11, 12, 0}},
		{name: "sum beyond int32", reason: "it ends at the highest one", max: number(1), scale: scale(math.MaxInt32),
			pods: join(web(1, "a"), web(1, "b")), want: BudgetStatus{2, math.MaxInt32 - 1, math.MaxInt32, 0}},
		{name: "percentage of the highest number", reason: "no wrapping", min: percent(99), scale: scale(math.MaxInt32),
			pods: web(1, "a"), want: BudgetStatus{1, 2126008811, math.MaxInt32, 0}},

		{name: "not ready", reason: "not healthy", min: number(1), pods: with(func(p *outrank.Pod) { p.Ready = false }, web(3, "a")), want: BudgetStatus{2, 1, 3, 1}},
		{name: "being deleted", reason: "not healthy", min: number(1), pods: with(func(p *outrank.Pod) { p.DeletionTimestamp = noon }, web(3, "a")), want: BudgetStatus{2, 1, 3, 1}},
		{name: "finished", reason: "counts nowhere", min: number(1), pods: with(func(p *outrank.Pod) { p.Phase = outrank.PhaseSucceeded }, web(3, "a")), want: BudgetStatus{2, 1, 2, 1}},
		{name: "nil pod", reason: "counts nowhere", min: number(1), pods: append(web(3, "a"), nil), want: BudgetStatus{3, 1, 3, 2}},
		{name: "other namespace", reason: "not covered", min: number(1), pods: with(func(p *outrank.Pod) { p.Namespace = "b" }, web(3, "a")), want: BudgetStatus{2, 1, 2, 1}},
		{name: "other label", reason: "not covered", min: number(1), pods: with(func(p *outrank.Pod) { p.Labels = labels{"app": "db"} }, web(3, "a")), want: BudgetStatus{2, 1, 2, 1}},
		{name: "empty labels", reason: "not covered", min: number(1), pods: with(func(p *outrank.Pod) { p.Labels = nil }, web(3, "a")), want: BudgetStatus{2, 1, 2, 1}},
		{name: "just disrupted", reason: "as good as gone", min: number(1), disrupted: disrupted{"a-0": noon}, pods: web(3, "a"), want: BudgetStatus{2, 1, 3, 1}},
		{name: "disrupted nearly 2 minutes ago", reason: "still counts", min: number(1), disrupted: disrupted{"a-0": noon.Add(-2*time.Minute + 1)}, pods: web(3, "a"), want: BudgetStatus{2, 1, 3, 1}},
		{name: "disrupted 2 minutes ago", reason: "it is still there, so it was not disrupted", min: number(1), disrupted: disrupted{"a-0": noon.Add(-2 * time.Minute)}, pods: web(3, "a"), want: BudgetStatus{3, 1, 3, 2}},
		{name: "disrupted in the future", reason: "clocks differ", min: number(1), disrupted: disrupted{"a-0": noon.Add(time.Hour)}, pods: web(3, "a"), want: BudgetStatus{2, 1, 3, 1}},
		{name: "disrupted and not ready", reason: "missing once, not twice", min: number(1), disrupted: disrupted{"a-0": noon},
			pods: with(func(p *outrank.Pod) { p.Ready = false }, web(3, "a")), want: BudgetStatus{2, 1, 3, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := budget("b", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}})
			b.MinAvailable, b.MaxUnavailable, b.DisruptedPods = c.min, c.max, c.disrupted
			got, err := StatusOf(StatusInput{Budget: b, Pods: c.pods, Now: noon, Scale: c.scale})
			require.NoError(t, err)
			if diff := testdiff.Diff(c.want, got); diff != "" {
				t.Errorf("%s: StatusOf (-want +got):\n%s", c.reason, diff)
			}
			require.Zero(t, b.DisruptionsAllowed, "the budget is only read")
		})
	}
}

func TestStatusOfASelectorThatCoversNothing(t *testing.T) {
	for name, s := range map[string]*outrank.LabelSelector{
		"nil": nil, "empty": {}, "invalid": {MatchLabels: labels{"a b": "c"}},
	} {
		b := budget("b", s)
		b.MinAvailable = number(3)
		got, err := StatusOf(StatusInput{Budget: b, Pods: web(5, "a"), Now: noon})
		require.NoError(t, err, name)
		require.Equal(t, BudgetStatus{Desired: 3}, got, name)
	}
}

func TestStatusCountsWhatALedgerCharges(t *testing.T) {
	b := budget("b", expressions(outrank.Requirement{Key: "app", Operator: outrank.DoesNotExist}))
	b.MinAvailable = number(0)
	pods := []*outrank.Pod{{Name: "bare", Ready: true}, {Name: "labelled", Labels: labels{"tier": "front"}, Ready: true}}
	got, err := StatusOf(StatusInput{Budget: b, Pods: pods, Now: noon})
	require.NoError(t, err)
	require.Equal(t, BudgetStatus{1, 0, 1, 1}, got, "a pod without labels is covered by nothing")
}

func TestStatusOfBadInput(t *testing.T) {
	for _, c := range []struct {
		name     string
		min, max *outrank.IntOrPercent
		want     []string
	}{
		{"both", number(1), number(1), []string{"spec"}},
		{"negative", number(-1), nil, []string{"spec.minAvailable"}},
		{"negative percentage", nil, percent(-1), []string{"spec.maxUnavailable"}},
		{"more than all", percent(101), nil, []string{"spec.minAvailable"}},
		{"everything", percent(101), number(-1), []string{"spec", "spec.minAvailable", "spec.maxUnavailable"}},
		{"negative scale", percent(10), nil, []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := budget("b", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}})
			b.Namespace, b.MinAvailable, b.MaxUnavailable = "n", c.min, c.max
			pods := join(web(1, "a"), web(1, "b"))
			for _, p := range pods {
				p.Namespace = "n"
			}
			got, err := StatusOf(StatusInput{Budget: b, Pods: pods, Scale: func(outrank.Owner, string) (int32, bool) { return -1, true }})
			require.ErrorIs(t, err, ErrBudget)
			require.ErrorIs(t, err, outrank.ErrInvalid)
			require.Zero(t, got)
			var input *outrank.InputError
			require.ErrorAs(t, err, &input)
			var fields []string
			for _, p := range input.Problems {
				require.Equal(t, "poddisruptionbudget n/b", p.Object)
				fields = append(fields, p.Field)
			}
			require.Equal(t, c.want, fields)
		})
	}
	_, err := StatusOf(StatusInput{})
	require.ErrorIs(t, err, ErrBudget, "a nil budget")
}

func TestScaleIsAskedOncePerOwnerInOrder(t *testing.T) {
	b := budget("b", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}})
	b.MaxUnavailable = number(1)
	var asked []string
	_, err := StatusOf(StatusInput{Budget: b, Pods: join(web(2, "b"), web(2, "a"), web(1, "b"), web(1, "")), Scale: func(o outrank.Owner, ns string) (int32, bool) {
		asked = append(asked, ns+" "+o.String())
		return 1, true
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"default ReplicaSet/b", "default ReplicaSet/a"}, asked)
}

// For any input: the figures are never negative, evicting as many healthy pods
// as allowed leaves the desired number and evicting one more would not, the
// order of the pods and pods outside the budget change nothing, and a
// percentage is exact.
func TestStatusProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := budget("b", &outrank.LabelSelector{MatchLabels: labels{"app": "web"}})
		figure := &outrank.IntOrPercent{Percent: rapid.Bool().Draw(t, "percent"), Value: rapid.Int32Range(0, 100).Draw(t, "value")}
		if rapid.Bool().Draw(t, "min") {
			b.MinAvailable = figure
		} else {
			b.MaxUnavailable = figure
		}
		pods := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *outrank.Pod {
			p := web(1, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "owner"))[0]
			p.Ready = rapid.Bool().Draw(t, "ready")
			return p
		}), 0, 20).Draw(t, "pods")
		factor := rapid.Int32Range(0, math.MaxInt32).Draw(t, "scale")
		scale := func(o outrank.Owner, _ string) (int32, bool) { return factor, o.Name == "a" }
		s, err := StatusOf(StatusInput{Budget: b, Pods: pods, Now: noon, Scale: scale})
		require.NoError(t, err)

		require.GreaterOrEqual(t, min(s.Healthy, s.Desired, s.Expected, s.Allowed), int32(0), "%+v", s)
		require.LessOrEqual(t, s.Allowed, s.Healthy, "%+v", s)
		if s.Allowed > 0 {
			require.Equal(t, s.Desired, s.Healthy-s.Allowed, "%+v", s)
		} else if s.Expected > 0 {
			require.LessOrEqual(t, s.Healthy, s.Desired, "%+v", s)
		}
		if figure.Percent {
			want := shareUp(figure.Value, s.Expected)
			if b.MaxUnavailable != nil {
				want = s.Expected - want
			}
			require.Equal(t, want, s.Desired, "%d %% of %d", figure.Value, s.Expected)
		}

		other := web(1, "a")[0]
		other.Labels = labels{"app": "db"}
		more := append(rapid.Permutation(pods).Draw(t, "order"), other)
		again, err := StatusOf(StatusInput{Budget: b, Pods: more, Now: noon, Scale: scale})
		require.NoError(t, err)
		require.Equal(t, s, again)
	})
}

// shareUp is the smallest number n with 100 n ≥ percent × whole.
func shareUp(percent, whole int32) int32 {
	share := new(big.Rat).Mul(big.NewRat(int64(percent), 100), big.NewRat(int64(whole), 1))
	n := new(big.Int).Quo(share.Num(), share.Denom())
	if !share.IsInt() {
		n.Add(n, big.NewInt(1))
	}
	return int32(n.Int64())
}

// While a Deployment is rolled out two of its ReplicaSets have pods. The disruption controller
// counts the Deployment once: of 3 wanted, 3 ready and 1 that is not yet, one may leave (rule
// 6.4.11).
func TestStatusOfARollout(t *testing.T) {
	budget := &outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}, MaxUnavailable: number(1)}
	waits := func(p *outrank.Pod) { p.Ready = false }
	above := map[string]string{"old": "web", "new": "web"}
	in := StatusInput{
		Budget: budget, Now: noon, Pods: join(web(3, "old"), with(waits, web(1, "new"))),
		Scale: func(o outrank.Owner, _ string) (int32, bool) { return 3, o.Kind == "Deployment" && o.Name == "web" },
		Controller: func(o outrank.Owner, namespace string) outrank.Owner {
			if name := above[o.Name]; name != "" && o.Kind == "ReplicaSet" && namespace == "default" {
				return outrank.Owner{Kind: "Deployment", Name: name}
			}
			return outrank.Owner{}
		},
	}
	got, err := StatusOf(in)
	require.NoError(t, err)
	require.Equal(t, BudgetStatus{Healthy: 3, Desired: 2, Expected: 3, Allowed: 1}, got)
	above["new"] = ""
	got, err = StatusOf(in)
	require.NoError(t, err)
	require.Equal(t, BudgetStatus{Healthy: 3, Desired: 3, Expected: 4}, got, "the new one by itself counts with its pod")
}

// A sum of scales by plain maps: each controller that has covered pods counts once with its
// scale, or with its pods where that is not known, and a pod without one as one.
func TestPropertyControllersCountOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := &outrank.PodDisruptionBudget{Name: "b", Selector: &outrank.LabelSelector{MatchLabels: labels{"app": "web"}}, MaxUnavailable: number(rapid.Int32Range(0, 3).Draw(t, "most"))}
		parent := map[string]string{"": ""}
		for _, rs := range []string{"a", "b", "c"} {
			parent[rs] = rapid.SampledFrom([]string{"", "d", "d", "e"}).Draw(t, "above "+rs)
		}
		scales := map[string]int32{}
		for _, name := range []string{"ReplicaSet/a", "ReplicaSet/b", "ReplicaSet/c", "Deployment/d", "Deployment/e"} {
			if rapid.Bool().Draw(t, "known "+name) {
				scales[name] = rapid.Int32Range(0, 5).Draw(t, name)
			}
		}
		var pods []*outrank.Pod
		covered, loose, ready := map[string]int{}, 0, 0
		for i := range rapid.IntRange(0, 8).Draw(t, "pods") {
			rs := rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(t, "owner")
			p := web(1, rs)[0]
			p.Name, p.Ready = fmt.Sprint("p", i), rapid.Bool().Draw(t, "ready")
			pods = append(pods, p)
			if p.Ready {
				ready++
			}
			switch {
			case rs == "":
				loose++
			case parent[rs] != "":
				covered["Deployment/"+parent[rs]]++
			default:
				covered["ReplicaSet/"+rs]++
			}
		}
		expected := loose
		for name, n := range covered {
			if scale, known := scales[name]; known {
				n = int(scale)
			}
			expected += n
		}
		got, err := StatusOf(StatusInput{
			Budget: budget, Now: noon, Pods: pods,
			Scale: func(o outrank.Owner, _ string) (int32, bool) {
				scale, known := scales[o.String()]
				return scale, known
			},
			Controller: func(o outrank.Owner, _ string) outrank.Owner {
				if o == (outrank.Owner{}) {
					t.Fatal("asked about pods without an owner")
				}
				if parent[o.Name] == "" {
					return outrank.Owner{}
				}
				return outrank.Owner{Kind: "Deployment", Name: parent[o.Name]}
			},
		})
		require.NoError(t, err)
		want := BudgetStatus{Healthy: int32(ready), Expected: int32(expected), Desired: max(0, int32(expected)-budget.MaxUnavailable.Value)}
		if expected > 0 {
			want.Allowed = max(0, want.Healthy-want.Desired)
		}
		require.Equal(t, want, got)
	})
}
