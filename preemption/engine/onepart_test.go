package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// The cases of this file are those in which a single part of a condition decides, and which drawn clusters
// seldom have (go run -C internal/tests/structure ./conditions).

// saidElsewhere answers for every node that the pod does not fit.
func saidElsewhere(int, *outrank.Node) (preemption.Status, bool) {
	return preemption.Unschedulable.Because("no"), true
}

// victimsOn returns the node of a plan with its victims.
func victimsOn(plan *preemption.Plan) string { return fmt.Sprint(plan.Node, victimNames(plan.Victims)) }

// A budget that was taken away leaves a gap in the list of budgets. It covers nobody, by any rule about
// budgets.
func TestRemovedBudgetsCoverNobody(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n", "2", "z")},
		Pods:  []*outrank.Pod{pod("a", 1, "1", on("n"), app("web")), pod("b", 2, "1", on("n"), app("db"))},
		Budgets: []*outrank.PodDisruptionBudget{
			{Name: "gone", Selector: &outrank.LabelSelector{}},
			{Name: "stays", Selector: selects("web")},
		},
	}
	rest := *c
	rest.Budgets = c.Budgets[1:]
	for _, test := range []struct {
		variant outrank.Variant
		budgets preemption.Budgets
		want    string
	}{
		{0, 0, "n[b]"},
		{outrank.VariantV1_13, 0, "n[b]"},
		{outrank.VariantSimplified, 0, "n[a]"}, // it takes the least important pod, whatever its budgets say (rule 13.3.1)
		{0, preemption.NeverViolate, "n[b]"},
		{outrank.VariantSimplified, preemption.NeverViolate, "n[b]"},
	} {
		t.Run(fmt.Sprint(test.variant, " ", test.budgets), func(t *testing.T) {
			config := preemption.Config{Variant: test.variant, Budgets: test.budgets}
			req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
			snap := newSnapshot(t, c)
			require.NoError(t, snap.RemoveBudget("default/gone"))
			plan, err := newEvaluator(t, config).Preempt(context.Background(), snap, req)
			require.NoError(t, err)
			assert.Equal(t, test.want, victimsOn(plan))
			sameAsBook(t, &rest, req, config, plan)
		})
	}
}

// A loop over budgets may end early.
func TestBudgetsMayEndEarly(t *testing.T) {
	c := &outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "a"}, {Name: "b"}}}
	seen := 0
	for range newSnapshot(t, c).Budgets() {
		seen++
		break
	}
	assert.Equal(t, 1, seen)
}

// badChoices is a cluster of two nodes, on each of which somebody has to leave.
func badChoices() *outrank.Cluster {
	return &outrank.Cluster{
		Nodes: []*outrank.Node{node("a", "1", "z"), node("b", "1", "z")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("a")), pod("y", 2, "1", on("b"))},
	}
}

// After the first bad choice of a caller's rule it is not asked again, and the error stays that of the first.
func TestChoosersAreNotAskedAfterABadChoice(t *testing.T) {
	asked := 0
	config := preemption.Config{Victims: preemption.Chooser{Name: "Odd", Choose: func(preemption.NodeView) []*outrank.Pod {
		asked++
		return []*outrank.Pod{nil}
	}}}
	_, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, badChoices()), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.ErrorContains(t, err, "rule Odd: node a")
	require.ErrorContains(t, err, "a victim is missing")
	assert.Equal(t, 1, asked)
}

// A rule that makes a good choice at first and a bad one when the plan is completed is told what is bad.
func TestChoosersThatChangeTheirMind(t *testing.T) {
	asked := 0
	config := preemption.Config{Victims: preemption.Chooser{Name: "Odd", Choose: func(v preemption.NodeView) []*outrank.Pod {
		if v.Node().Name == "a" {
			asked++
		}
		if asked == 2 {
			return []*outrank.Pod{nil}
		}
		return v.Possible()
	}}}
	_, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, badChoices()), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.ErrorContains(t, err, "rule Odd: node a")
	require.ErrorContains(t, err, "a victim is missing")
	assert.Equal(t, 2, asked, "with the others, and once more as the best")
}

// By strict budgets a choice of the caller that violates one is none (rule 13.5.4).
func TestStrictBudgetsRejectAChoice(t *testing.T) {
	c := badChoices()
	c.Pods[0].Labels = map[string]string{"app": "web"}
	c.Budgets = []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}}
	config := preemption.Config{Budgets: preemption.NeverViolate, Victims: preemption.Chooser{
		Name: "All", Choose: func(v preemption.NodeView) []*outrank.Pod { return v.Possible() },
	}}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
	agreeWithBook(t, c, req, config)
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
	require.NoError(t, err)
	assert.Equal(t, "b[y]", victimsOn(plan), "x is of lower priority, and its budget allows nothing")
}

// Taken from the least important up, pods that strict budgets keep are passed over (rule 13.5.1).
func TestStrictBudgetsPassPodsOver(t *testing.T) {
	c := &outrank.Cluster{
		Nodes:   []*outrank.Node{node("n", "2", "z")},
		Pods:    []*outrank.Pod{pod("a", 1, "1", on("n"), app("web")), pod("b", 2, "1", on("n"))},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}},
	}
	config := preemption.Config{Variant: outrank.VariantSimplified, Budgets: preemption.NeverViolate}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
	agreeWithBook(t, c, req, config)
	plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
	require.NoError(t, err)
	assert.Equal(t, "n[b]", victimsOn(plan))

	// If a node takes the pod by now, though it did not elsewhere, nobody leaves. That is no candidate.
	c.Pods = c.Pods[:1]
	req.Statuses = saidElsewhere
	agreeWithBook(t, c, req, config)
	plan, err = newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
	require.NoError(t, err)
	assert.Equal(t, preemption.NothingHelps, plan.Outcome)
}

// Of a group that leaves whole, by v1.13 and strict budgets, one pod that may not leave keeps the others: what
// these would have taken from other budgets is not taken (rule 13.5.1).
func TestStrictBudgetsKeepWholeGroups(t *testing.T) {
	c := withGroups(&outrank.Cluster{
		Nodes: []*outrank.Node{node("n", "3", "z")}, Groups: []*outrank.PodGroup{prior(whole("g"), 1)},
		Pods: []*outrank.Pod{
			pod("a", 1, "1", on("n"), in("g"), started(-9)), pod("b", 1, "1", on("n"), in("g"), app("web")), pod("c", 2, "1", on("n")),
		},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}},
	})
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
	for _, variant := range []outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified} {
		config := preemption.Config{Variant: variant, Budgets: preemption.NeverViolate}
		agreeWithBook(t, c, req, config)
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		assert.Equal(t, "n[c]", victimsOn(plan), variant)
	}
}

// v1.13 takes a node without victims only if the node filters let the pod in, even if the caller asked the
// filters elsewhere (rule 13.2.11).
func TestFreeNodesHaveToTakeThePod(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n", "2", "z")}}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: saidElsewhere}
	config := preemption.Config{Variant: outrank.VariantV1_13}
	for _, cordoned := range []bool{false, true} {
		c.Nodes[0].Unschedulable = cordoned
		agreeWithBook(t, c, req, config)
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		assert.Equal(t, !cordoned, plan.Outcome == preemption.Preempts, plan.Outcome)
	}
}

// A pod that names its nodes is nominated to one that takes it. No filter of that node is then named by the
// others (rule 7.15.9).
func TestNominatedNodeThatTakesThePod(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("a", "2", "z"), node("b", "2", "z")}}
	p := pod("p", 9, "1", nominated("b"))
	p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
		MatchFields: []outrank.NodeRequirement{{Key: outrank.FieldName, Operator: outrank.In, Values: []string{"b"}}},
	}}}
	req := preemption.Request{Pod: p, Now: gen.Now}
	agreeWithBook(t, c, req, preemption.Config{})
	plan, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), newSnapshot(t, c), req)
	require.NoError(t, err)
	assert.Equal(t, preemption.Fits, plan.Outcome)
	assert.Equal(t, "node(s) didn't satisfy plugin(s) [NodeAffinity]", plan.Nodes[0].Status.String())
}

// Where a group and a pod are alike in all else and have one name, the group is the more important (rule
// 12.7.5). Of two composite groups it is the one with the lesser name.
func TestUnitsThatDifferInLittle(t *testing.T) {
	release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	require.NoError(t, err)
	composite := func(name string) *outrank.CompositePodGroup {
		return &outrank.CompositePodGroup{Name: name, DisruptionMode: outrank.DisruptPodGroup, Priority: outrank.Priority(1)}
	}
	below := func(name, parent string) *outrank.PodGroup { return &outrank.PodGroup{Name: name, Parent: parent} }
	for _, test := range []struct {
		name string
		c    outrank.Cluster
		want string
	}{
		{
			"a group, and a pod that names a group that is not there",
			outrank.Cluster{
				Groups: []*outrank.PodGroup{prior(whole("x"), 1)},
				Pods:   []*outrank.Pod{pod("m", 1, "1", on("n"), in("x")), pod("x", 1, "1", on("n"), in("unknown"))},
			},
			"n[x]",
		},
		{
			"the same, where the pod of the group sorts behind the other by its own name",
			outrank.Cluster{
				Groups: []*outrank.PodGroup{prior(whole("x"), 1)},
				Pods:   []*outrank.Pod{pod("z", 1, "1", on("n"), in("x")), pod("x", 1, "1", on("n"), in("unknown"))},
			},
			"n[x]",
		},
		{
			"composite groups",
			outrank.Cluster{
				Composites: []*outrank.CompositePodGroup{composite("c"), composite("d")}, Groups: []*outrank.PodGroup{below("g", "c"), below("h", "d")},
				Pods: []*outrank.Pod{pod("y", 1, "1", on("n"), in("g")), pod("x", 1, "1", on("n"), in("h"))},
			},
			"n[x]",
		},
		{
			"composite groups, where the names of the pods are in the same order",
			outrank.Cluster{
				Composites: []*outrank.CompositePodGroup{composite("c"), composite("d")}, Groups: []*outrank.PodGroup{below("g", "c"), below("h", "d")},
				Pods: []*outrank.Pod{pod("x", 1, "1", on("n"), in("g")), pod("y", 1, "1", on("n"), in("h"))},
			},
			"n[y]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := test.c
			c.Release, c.Nodes = release, []*outrank.Node{node("n", "2", "z")}
			req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
			for range 2 {
				agreeWithBook(t, &c, req, preemption.Config{})
				plan, err := newEvaluator(t, preemption.Config{}).Preempt(context.Background(), newSnapshot(t, &c), req)
				require.NoError(t, err)
				assert.Equal(t, test.want, victimsOn(plan))
				slices.Reverse(c.Pods) // whose order changes nothing
			}
		})
	}
}

// wholeRank is a rank that needs whole candidates, and in which all are equal.
var wholeRank = preemption.Rank{Name: "Own", Figure: func(*preemption.Candidate) int64 { return 0 }}

// With ranks that need whole candidates a sample looks at the nodes from the offset on, keeps as many
// violating candidates as it wants in all, and settles ties by the order of the nodes (group 10.1).
func TestSamplesOfWholeCandidates(t *testing.T) {
	c := &outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: selects("web")}}}
	for _, name := range []string{"a", "b", "c"} {
		c.Nodes = append(c.Nodes, node(name, "1", "z"))
		c.Pods = append(c.Pods, pod("on-"+name, 1, "1", on(name), app("web")))
	}
	free := pod("on-c", 1, "1", on("c"))
	for _, test := range []struct {
		name   string
		sample preemption.Sample
		free   bool
		offset int
		want   string
	}{
		{"all, from the second on", preemption.Sample{Percent: 100, Minimum: -1}, false, 1, "a[on-a]"},
		{"one, and the others violate, too", preemption.Sample{Percent: 34, Minimum: -1}, false, 1, "b[on-b]"},
		{"one that is free of violations is found last", preemption.Sample{Percent: 34, Minimum: -1}, true, 0, "a[on-a]"},
		{"none", preemption.Sample{Percent: 1, Minimum: -1}, false, 0, "[]"},
		{"none, though one is free of violations", preemption.Sample{Percent: 1, Minimum: -1}, true, 0, "[]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := *c
			if test.free {
				c.Pods = []*outrank.Pod{c.Pods[0], c.Pods[1], free}
			}
			config := preemption.Config{Sample: &test.sample, Ranks: []preemption.Rank{wholeRank}}
			req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Offset: test.offset}
			agreeWithBook(t, &c, req, config)
			plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, &c), req)
			require.NoError(t, err)
			assert.Equal(t, test.want, victimsOn(plan))
		})
	}
}

// A node that has room by now is no candidate, though the caller was told otherwise: nobody would have to
// leave. Other nodes are.
func TestRoomThatTheCallerDidNotSee(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("a", "2", "z"), node("b", "1", "z")},
		Pods:  []*outrank.Pod{pod("x", 1, "1", on("a")), pod("y", 2, "1", on("b"))},
	}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now, Statuses: saidElsewhere}
	for name, config := range map[string]preemption.Config{"default": {}, "whole candidates": {Ranks: []preemption.Rank{wholeRank}}} {
		agreeWithBook(t, c, req, config)
		plan, err := newEvaluator(t, config).Preempt(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		assert.Equal(t, "b[y]", victimsOn(plan), name)
	}
}

// Calls end wherever their context does, with its error and without an answer.
func TestCallsEndAtEachQuestion(t *testing.T) {
	c := &outrank.Cluster{}
	for i := range 130 {
		name := fmt.Sprint("n", i)
		c.Nodes = append(c.Nodes, node(name, "1", "z"))
		c.Pods = append(c.Pods, pod("on-"+name, 1, "1", on(name)))
	}
	req := preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now}
	candidates := func(ctx context.Context, e *engine.Evaluator, snap *engine.Snapshot) error {
		for _, err := range e.Candidates(ctx, snap, req) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	preempt := func(ctx context.Context, e *engine.Evaluator, snap *engine.Snapshot) error {
		return errOf(e.Preempt(ctx, snap, req))
	}
	for _, test := range []struct {
		name   string
		config preemption.Config
		call   func(context.Context, *engine.Evaluator, *engine.Snapshot) error
	}{
		{"candidates", preemption.Config{}, candidates},
		{"candidates of a sample", preemption.Config{Sample: &preemption.Sample{Percent: 100}}, candidates},
		{"whole candidates", preemption.Config{Ranks: []preemption.Rank{wholeRank}}, preempt},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, snap := newEvaluator(t, test.config), newSnapshot(t, c)
			all := &asked{Context: context.Background(), left: 1 << 30}
			require.NoError(t, test.call(all, e, snap))
			require.Greater(t, all.times, 4)
			for left := range all.times {
				err := test.call(&asked{Context: context.Background(), left: left}, e, snap)
				if err != nil || left < all.times-4 { // the last questions may come after the answer
					require.ErrorIs(t, err, context.Canceled, "after %d questions of %d", left, all.times)
				}
			}
		})
	}
}
