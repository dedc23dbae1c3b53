package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/plantest"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// samePlans compares plans of the book and of the engine in everything that they say. The pods that they point to are
// those of the cluster, or copies with the node that a snapshot knows.
var samePlans = cmp.Options{
	cmp.Comparer(func(a, b *outrank.Pod) bool { return keyOf(a) == keyOf(b) }),
	cmp.Comparer(func(a, b *outrank.PodDisruptionBudget) bool { return a == b }),
	cmp.Comparer(func(a, b *outrank.PodGroup) bool { return a == b }),
	cmp.Comparer(func(a, b *outrank.CompositePodGroup) bool { return a == b }),
	equateEmpty,
}

// diffPlans returns in what plans differ by samePlans, and "" for the same. Plans are compared tens of thousands
// of times and are nearly always deeply equal, which is found in a tenth of the time. Deeply equal plans
// may still point to other budgets or groups than the caller's.
func diffPlans(want, got any, options ...cmp.Option) string {
	if reflect.DeepEqual(want, got) && slices.Equal(objectsOf(want), objectsOf(got)) {
		return ""
	}
	return cmp.Diff(want, got, append(cmp.Options{samePlans}, options...))
}

// objectsOf lists the budgets and groups that a plan points to, in the order of its fields.
func objectsOf(plan any) (objects []any) {
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			switch {
			case v.IsNil() || v.Type() == reflect.TypeFor[*outrank.Pod]():
			case v.Kind() == reflect.Pointer && v.Type().Elem().PkgPath() == reflect.TypeFor[outrank.Pod]().PkgPath():
				objects = append(objects, v.UnsafePointer())
			default:
				walk(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice, reflect.Array:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		}
	}
	walk(reflect.ValueOf(plan))
	return objects
}

// keyOf tells pods apart: by where they run, too.
func keyOf(p *outrank.Pod) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprint(p.Key(), " on ", p.NodeName, " nominated to ", p.NominatedNodeName)
}

// sameAsBook fails unless a plan of the engine, explained or not, is that of the book.
func sameAsBook(t fataler, c *outrank.Cluster, req preemption.Request, config preemption.Config, got *preemption.Plan) {
	t.Helper()
	decide, how := preemption.Preempt, "Preempt"
	if got.Nodes != nil {
		decide, how = preemption.Explain, "Explain"
	}
	want, err := decide(c, req, config)
	require.NoError(t, err, "the book")
	if diff := diffPlans(want, got); diff != "" {
		t.Fatalf("%s at %s (-book +engine):\n%s\n%+v\ncluster: %s\npod: %s", how, req.Now, diff, config, asJSON(c), asJSON(req.Pod))
	}
}

// agreeWithBook compares whole plans of the book and of the engine, explained and not, with their errors.
func agreeWithBook(t fataler, c *outrank.Cluster, req preemption.Request, config preemption.Config) {
	t.Helper()
	e, snap := newEvaluator(t, config), newSnapshot(t, c)
	for how, decide := range map[string]struct {
		book   func(*outrank.Cluster, preemption.Request, preemption.Config) (*preemption.Plan, error)
		engine func(context.Context, *engine.Snapshot, preemption.Request) (*preemption.Plan, error)
	}{"Explain": {preemption.Explain, e.Explain}, "Preempt": {preemption.Preempt, e.Preempt}} {
		want, wantErr := decide.book(c, req, config)
		got, err := decide.engine(context.Background(), snap, req)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), "the errors of %s", how)
		if diff := diffPlans(want, got); diff != "" {
			t.Fatalf("%s (-book +engine):\n%s\n%+v\ncluster: %s\npod: %s", how, diff, config, asJSON(c), asJSON(req.Pod))
		}
	}
}

// Whatever the variant, the caller's rules, filters and extenders, the sample and the statuses from outside, the book and
// the engine give the same plan, for any number of workers, and also when they are asked again.
func TestPropertyBookAndEngine(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		if rapid.IntRange(0, 2).Draw(t, "empty selector") == 0 {
			c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: "all", DisruptionsAllowed: 1, Selector: &outrank.LabelSelector{}})
		}
		if rapid.IntRange(0, 4).Draw(t, "deferred resize") == 0 {
			p = drawResizing(t, c)
		}
		if rapid.IntRange(0, 7).Draw(t, "claims") == 0 {
			p.ResourceClaims = []string{"gpu"} // of which the plan warns
		}
		config := drawConfig(t)
		drawMore(t, &config)
		req := preemption.Request{Pod: p, Now: rapid.SampledFrom(nows).Draw(t, "now"), Offset: rapid.IntRange(-50, 50).Draw(t, "offset")}
		snap := newSnapshot(t, c)
		req.Statuses = plantest.ByName(drawStatuses(t, snap))
		e := newEvaluator(t, config).Parallel(rapid.IntRange(0, 3).Draw(t, "workers"))

		want, wantErr := preemption.Explain(c, req, config)
		got, err := e.Explain(context.Background(), snap, req)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), "the errors of Explain")
		if diff := diffPlans(want, got); diff != "" {
			t.Fatalf("Explain (-book +engine):\n%s\n%+v\ncluster: %s\npod: %s", diff, config, asJSON(c), asJSON(p))
		}
		if err == nil && config.Extenders == nil {
			for i := range got.Candidates {
				checkOwn(t, config.Ranks, &got.Candidates[i])
			}
		}
		want, wantErr = preemption.Preempt(c, req, config)
		for range 2 {
			got, err = e.Preempt(context.Background(), snap, req)
			require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), "the errors of Preempt")
			if diff := diffPlans(want, got); diff != "" {
				t.Fatalf("Preempt (-book +engine):\n%s\n%+v", diff, config)
			}
		}
	})
}

// checkOwn holds the figures that ranks have of their own to plain sums over the victims.
func checkOwn(t *rapid.T, ranks []preemption.Rank, c *preemption.Candidate) {
	own := 0
	for _, r := range ranks {
		want, cost := new(big.Int), rankCost(r)
		switch {
		case cost != nil:
			for _, v := range c.Victims {
				want.Add(want, big.NewInt(max(0, cost(v.Pod))))
			}
		case r.Figure != nil:
			want.SetInt64(r.Figure(c))
		default:
			continue
		}
		if most := big.NewInt(math.MaxInt64); want.Cmp(most) > 0 {
			want = most
		}
		require.Equal(t, want.String(), fmt.Sprint(c.Score.Own[r.Name]), "%s on %s", r.Name, c.Node)
		own++
	}
	require.Len(t, c.Score.Own, own)
}

// Groups, too, whatever filters, guards and rules about who may be taken there are.
func TestPropertyBookAndEngineGroups(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				config := preemption.Config{Profile: preemption.Profile{Schedulers: drawSchedulers(t)}}
				if rapid.Bool().Draw(t, "taking") {
					config.Eligibility, config.Guard = drawAnyTaking(t)
				}
				if rapid.Bool().Draw(t, "filters") {
					config.Filters = drawFilters(t)
				}
				config.Importance = drawImportance(t, 5)
				req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now, Refused: rapid.Bool().Draw(t, "refused")}
				if rapid.IntRange(0, 2).Draw(t, "placed by a function") == 0 {
					req.Place = drawPlace(t)
				}
				groupsAgreeWithBook(t, w.Cluster, req, config)
			})
		})
	}
}

func groupsAgreeWithBook(t fataler, c *outrank.Cluster, req preemption.GroupRequest, config preemption.Config) {
	t.Helper()
	got, err := newEvaluator(t, config).PreemptGroup(context.Background(), newSnapshot(t, c), req)
	sameGroupAsBook(t, c, req, config, got, err)
}

// sameGroupAsBook fails unless what the engine says of a group is what the book says.
func sameGroupAsBook(t fataler, c *outrank.Cluster, req preemption.GroupRequest, config preemption.Config, got *preemption.GroupPlan, err error) {
	t.Helper()
	want, wantErr := preemption.PreemptGroup(c, req, config)
	require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
	if diff := diffPlans(want, got); diff != "" {
		t.Fatalf("PreemptGroup (-book +engine):\n%s\n%+v\ncluster: %s\ngroup: %s", diff, config, asJSON(c), asJSON(req.Pods))
	}
}

// drawMore adds, to a part of the configurations, what the tests of the engine draw elsewhere.
func drawMore(t *rapid.T, config *preemption.Config) {
	if _, exact := config.Victims.(preemption.Exact); exact {
		config.Victims = nil
	}
	if rapid.IntRange(0, 2).Draw(t, "filters") == 0 {
		config.Filters = drawFilters(t)
	}
	if rapid.IntRange(0, 2).Draw(t, "extenders") == 0 && config.Budgets != preemption.NeverViolate {
		config.Extenders = drawExtenders(t)
	}
	if rapid.IntRange(0, 4).Draw(t, "added affinity") == 0 {
		config.Profile.AddedAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: "disk", Operator: outrank.In, Values: []string{"ssd"}}},
		}, {
			MatchExpressions: []outrank.NodeRequirement{{Key: "rack", Operator: outrank.Exists}},
		}}}
	}
	if rapid.IntRange(0, 4).Draw(t, "default constraints") == 0 {
		config.Profile.DefaultConstraints = []outrank.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: "kubernetes.io/hostname", WhenUnsatisfiable: outrank.DoNotSchedule, MatchLabelKeys: []string{"tier"}},
			{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: outrank.ScheduleAnyway},
		}
		config.Profile.SpreadSelector = func(p *outrank.Pod) *outrank.LabelSelector {
			if len(p.Labels) == 0 {
				return nil
			}
			return &outrank.LabelSelector{MatchLabels: map[string]string{"app": p.Labels["app"]}}
		}
	}
}

// drawFilters draws filters of the caller: one of the node, one that counts, one that refuses some pods.
func drawFilters(t *rapid.T) []*preemption.Filter {
	var filters []*preemption.Filter
	if rapid.Bool().Draw(t, "node rule") {
		filters = append(filters, &preemption.Filter{Name: "digits", Node: func(_ *outrank.Pod, n *outrank.Node) preemption.Status {
			if n.Name[len(n.Name)-1]%3 == 0 {
				return preemption.Unschedulable.Because("not this one")
			}
			return preemption.Status{}
		}})
	}
	if rapid.Bool().Draw(t, "tally") {
		most := rapid.IntRange(0, 4).Draw(t, "most")
		tally := &preemption.Tally[int]{
			Domain:   func(_ *outrank.Pod, n *outrank.Node) string { return n.Labels["rack"] },
			Concerns: func(p *outrank.Pod) bool { return p.Labels["app"] != "db" },
			Change:   func(count int, _ *outrank.Pod, by int) int { return count + by },
		}
		filters = append(filters, tally.Filter("licences", func(count int, _ *outrank.Pod, _ *outrank.Node) preemption.Status {
			if count > most {
				return preemption.Unschedulable.Because(fmt.Sprintf("%d are more than %d", count, most))
			}
			return preemption.Status{}
		}))
	}
	if rapid.IntRange(0, 3).Draw(t, "refuses") == 0 {
		filters = append(filters, &preemption.Filter{Name: "manners", Start: func(p *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
			pods := 0
			for n := range view.Nodes() {
				pods += len(view.PodsOn(n.Name))
			}
			switch {
			case p.Name == "preemptor-1":
				return nil, errors.New("there is one more")
			case pods%2 == 0:
				return preemption.Refuse(preemption.Unschedulable.Because("the pod is rude")), nil
			}
			return nil, nil
		}})
	}
	return filters
}

// drawExtenders draws extenders: one that drops nodes, one that takes the last victims away or adds others.
func drawExtenders(t *rapid.T) []preemption.Extender {
	kind, ignorable := rapid.IntRange(0, 4).Draw(t, "kind"), rapid.Bool().Draw(t, "ignorable")
	change := preemption.Extender{Name: "changes", Ignorable: ignorable, Process: func(_ context.Context, p *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
		for i := range candidates {
			c := &candidates[i]
			switch kind {
			case 0:
				slices.Reverse(c.Victims)
				c.Score.Violations = len(c.Victims) % 2
			case 1:
				c.Victims = c.Victims[:max(0, len(c.Victims)-1)]
			case 2:
				c.Node = candidates[0].Node
			case 3:
				return nil, fmt.Errorf("%s is not liked", p.Name)
			}
		}
		return candidates, nil
	}}
	drop := preemption.Extender{Name: "drops", Process: func(_ context.Context, _ *outrank.Pod, candidates []preemption.Candidate) ([]preemption.Candidate, error) {
		return slices.DeleteFunc(candidates, func(c preemption.Candidate) bool { return len(c.Victims)%2 == 1 }), nil
	}}
	none := preemption.Extender{Name: "none", Interested: func(*outrank.Pod) bool { return false }, Process: drop.Process}
	all := []preemption.Extender{change, drop, none}
	var drawn []preemption.Extender
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 1, 3, rapid.ID).Draw(t, "extenders") {
		drawn = append(drawn, all[i])
	}
	return drawn
}

// drawPlace draws a placing function: each pod on the last node that takes it beside those before it, and a refusal if
// one finds none or, of an odd one, if the draft shows an odd number of nominations.
func drawPlace(t *rapid.T) preemption.PlaceFunc {
	odd := rapid.IntRange(0, 3).Draw(t, "odd") == 0
	return func(_ context.Context, draft preemption.Draft, pods []*outrank.Pod) ([]preemption.Assignment, *preemption.Refusal, error) {
		nominated := 0
		for range draft.Nominated() {
			nominated++
		}
		if odd && nominated%2 == 1 {
			return nil, &preemption.Refusal{Reason: "odd"}, nil
		}
		var at []preemption.Assignment
		for _, p := range pods {
			nodes, err := draft.Feasible(p, at...)
			if err != nil {
				return nil, nil, err
			}
			if len(nodes) == 0 {
				return nil, &preemption.Refusal{Pod: p}, nil
			}
			at = append(at, preemption.Assignment{Pod: p, Node: nodes[len(nodes)-1].Name})
		}
		return at, nil, nil
	}
}

// Where every set is tried, the engine finds the best, too: one as good, and in all else the same plan. Of sets that
// are equally good each side has one of its own.
func TestPropertyBookAndEngineExact(t *testing.T) {
	t.Parallel()
	overShapes(t, func(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
		config := preemption.Config{
			Victims: preemption.Exact{}, Ranks: someRanks(rapid.Uint64().Draw(t, "ranks")), Budgets: strictly(rapid.IntRange(0, 3).Draw(t, "strict") == 0),
		}
		config.Variant = rapid.SampledFrom([]outrank.Variant{0, 0, outrank.VariantV1_13, outrank.VariantSimplified}).Draw(t, "variant")
		if slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return sharePort(c, n.Name) }) {
			return // no kubelet lets two pods hold one port
		}
		req := preemption.Request{Pod: p, Now: gen.Now}
		want, err := preemption.Explain(c, req, config)
		require.NoError(t, err)
		eval := newEvaluator(t, config)
		got, err := eval.Explain(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		ranks := eval.Config().Ranks // those of the variant, too
		for i := range got.Candidates {
			at := slices.IndexFunc(want.Candidates, func(k preemption.Candidate) bool { return k.Node == got.Candidates[i].Node })
			tied(t, ranks, &want.Candidates[at], &got.Candidates[i])
		}
		if tied(t, ranks, &want.Candidate, &got.Candidate); got.Outcome == preemption.Preempts {
			want.ClusterCertificate.Bound = want.Candidate.Certificate.Bound
		}
		if diff := diffPlans(want, got, withoutSteps); diff != "" {
			t.Fatalf("(-book +engine):\n%s\n%+v\ncluster: %s", diff, config, asJSON(c))
		}
	})
}

// tied makes two sets of victims the same that the ranks do not tell apart.
func tied(t fataler, ranks []preemption.Rank, want, got *preemption.Candidate) {
	t.Helper()
	if order, by := want.Score.Compare(got.Score, ranks); order != 0 {
		t.Fatalf("on %s the best set by %s is not the same: %v and %v", got.Node, by, want.Score, got.Score)
	}
	if !slices.EqualFunc(want.Victims, got.Victims, func(v, w preemption.Victim) bool { return v.Pod == w.Pod }) {
		*want = *got
	}
}

// withoutSteps leaves out what a search has that tries no sets one by one.
var withoutSteps = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Steps" }, cmp.Ignore())

// With victims on other nodes, too: the same node and as good a set, by other ways.
func TestPropertyBookAndEngineAcross(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, p := acrossCluster(t, rapid.SampledFrom([]int{4, 6, 8}).Draw(t, "at most"))
		config := preemption.Config{Victims: preemption.Across{Limit: 1 << 20}, Budgets: strictly(rapid.IntRange(0, 3).Draw(t, "strict") == 0)}
		if rapid.IntRange(0, 3).Draw(t, "spares") == 0 {
			config.Eligibility.Take = func(_, victim *outrank.Pod) (string, bool) { return "named", victim.Name != "p1" }
		}
		req := preemption.Request{Pod: p, Now: gen.Now}
		want, wantErr := preemption.Preempt(c, req, config)
		got, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err))
		if err == nil && slices.ContainsFunc(c.Nodes, func(n *outrank.Node) bool { return sharePort(c, n.Name) }) {
			want.Unhelpful, got.Unhelpful = nil, nil // the engine tells of a port that one of two holders gave up (rule 7.6.7)
		}
		if diff := diffPlans(want, got, withoutSteps); diff != "" {
			t.Fatalf("(-book +engine):\n%s\n%+v\ncluster: %s\npod: %s", diff, config, asJSON(c), asJSON(p))
		}
	})
}

// Plans that point to a copy of the caller's budget are not the same.
func TestDiffPlans(t *testing.T) {
	pod, budget := &outrank.Pod{Name: "p"}, &outrank.PodDisruptionBudget{Name: "b"}
	plan := func(budget *outrank.PodDisruptionBudget) *preemption.Plan {
		return &preemption.Plan{Candidate: preemption.Candidate{Victims: []preemption.Victim{{Pod: pod, Violated: []*outrank.PodDisruptionBudget{budget}}}}}
	}
	other := *budget
	require.Empty(t, diffPlans(plan(budget), plan(budget)))
	require.NotEmpty(t, diffPlans(plan(budget), plan(&other)))
	require.NotEmpty(t, diffPlans(plan(budget), plan(nil)))
}
