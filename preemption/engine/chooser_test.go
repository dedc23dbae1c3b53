package engine_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// closest chooses victims as a scheduler does that would rather evict one pod of the
// right size than many small ones: of the lowest priorities first, each time the pod
// whose size is closest to what is still short. A job says by the label max-parallel
// how many of its pods may leave at once; beyond that its pods count as far away.
func closest(v preemption.NodeView) []*outrank.Pod {
	left := v.Possible()
	var victims []*outrank.Pod
	leaving := map[string]int{}
	for v.Check(victims...).Code != preemption.Success {
		best, least := -1, math.Inf(1)
		for i, p := range left {
			if p.PriorityValue() != left[len(left)-1].PriorityValue() {
				continue // the least important come last
			}
			if far := distance(v, p, victims) + penalty(p, leaving[p.Labels["job"]]); far < least {
				best, least = i, far
			}
		}
		if best < 0 {
			return nil
		}
		victims = append(victims, left[best])
		leaving[left[best].Labels["job"]]++
		left = slices.Delete(left, best, best+1)
	}
	// An early victim may not be needed beside a later one.
	return slices.DeleteFunc(victims, func(p *outrank.Pod) bool {
		without := slices.DeleteFunc(slices.Clone(victims), func(q *outrank.Pod) bool { return q == p })
		if len(without) == 0 || v.Check(without...).Code != preemption.Success {
			return false
		}
		victims = without
		return true
	})
}

// distance is how far a pod is from what is short beside those who go already.
func distance(v preemption.NodeView, p *outrank.Pod, going []*outrank.Pod) float64 {
	sum := 0.0
	for _, name := range []resource.Name{resource.CPU, resource.Memory} {
		short := v.Short(name)
		for _, q := range going {
			short -= takes(q, name)
		}
		if short > 0 {
			part := float64(short-takes(p, name)) / float64(short)
			sum += part * part
		}
	}
	return math.Sqrt(sum)
}

// takes is what a pod that is not being resized takes of its node.
func takes(p *outrank.Pod, name resource.Name) int64 {
	return resource.Amount(name, p.RunningRequestOf(outrank.DefaultRelease, name))
}

// penalty grows with every pod of a job beyond those that may leave at once.
func penalty(p *outrank.Pod, leaving int) float64 {
	most, err := strconv.Atoi(p.Labels["max-parallel"])
	if err != nil || leaving < most {
		return 0
	}
	return 50 * float64(leaving+1-most)
}

// Three pods of 1 cpu are less important than the others. For 3 cpu the rule takes the
// one of 3 cpu of the same priority, and for 4 only two of the job that lets two go.
func ExampleChooser() {
	pod := func(name, cpu, most string) *outrank.Pod {
		return &outrank.Pod{
			Name: name, NodeName: "n1", Priority: outrank.Priority(10), Labels: map[string]string{"job": name[:4], "max-parallel": most},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}},
		}
	}
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "8", "pods", "10")}},
		Pods: []*outrank.Pod{
			pod("many-1", "1", "2"), pod("many-2", "1", "2"), pod("many-3", "1", "2"), pod("huge-1", "3", "1"), pod("some-1", "2", "1"),
		},
	}))
	eval := must(engine.New(preemption.Config{Victims: preemption.Chooser{Name: "Closest", Choose: closest}}))
	for _, cpu := range []string{"3", "4", "1"} {
		asker := &outrank.Pod{Name: "asker", Priority: outrank.Priority(50), Containers: []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}}
		plan := must(eval.Preempt(context.Background(), snap, preemption.Request{Pod: asker, Now: now}))
		fmt.Println(cpu, plan.Victims)
	}
	// Output:
	// 3 [default/huge-1]
	// 4 [default/huge-1 default/many-1]
	// 1 [default/many-1]
}

// A rule sees what is short, and may ask what would be without some pods.
func ExampleNodeView() {
	look := func(v preemption.NodeView) []*outrank.Pod {
		least := v.Possible()[len(v.Possible())-1]
		fmt.Println(v.Pod().Name, "on", v.Node().Name, "lacks", v.Short(resource.CPU), "millicores and", v.Short(resource.Pods), "places")
		fmt.Println("without", least.Name, "which takes", takes(least, resource.CPU), "it says:", v.Check(least))
		fmt.Println("without none:", v.Check())
		fmt.Println("budgets that its loss violates:", v.Violated(least)[0])
		return []*outrank.Pod{least}
	}
	eval := must(engine.New(preemption.Config{Victims: preemption.Chooser{Name: "Look", Choose: look}}))
	cluster := sample()
	cluster.Nodes = cluster.Nodes[:1]
	snap := must(engine.NewSnapshot(cluster))
	fmt.Println(len(must(eval.Explain(context.Background(), snap, preemption.Request{Pod: urgent(), Now: now})).Candidates))
	// Output:
	// urgent on n1 lacks 1000 millicores and 0 places
	// without batch which takes 1000 it says: success
	// without none: NodeResourcesFit: Insufficient cpu
	// budgets that its loss violates: []
	// 1
}

// chosenBy decides in one cluster by a rule of the test.
func chosenBy(c *outrank.Cluster, p *outrank.Pod, config preemption.Config) (*preemption.Plan, *preemption.Plan, error) {
	snap, err := engine.NewSnapshot(c)
	if err != nil {
		return nil, nil, err
	}
	e, err := engine.New(config)
	if err != nil {
		return nil, nil, err
	}
	e = e.Parallel(2)
	ex, exErr := e.Explain(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	plan, err := e.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
	if fmt.Sprint(exErr) != fmt.Sprint(err) {
		return nil, nil, fmt.Errorf("Explain: %w, Preempt: %w", exErr, err)
	}
	return plan, ex, err
}

// What a rule chooses is checked, and errors name the rule, the node and the pod.
func TestChosenVictimsAreChecked(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{node("n1", "3", "z"), node("n2", "0", "z")},
		Pods: []*outrank.Pod{
			pod("low", 1, "1", on("n1")), pod("mid", 5, "1", on("n1")), pod("high", 90, "1", on("n1")), pod("other", 1, "0", on("n2")),
			pod("equal", 50, "0", on("n1")),
		},
	}
	p := pod("p", 50, "2")
	byName := func(names ...string) func(preemption.NodeView) []*outrank.Pod {
		return func(preemption.NodeView) (out []*outrank.Pod) {
			for _, name := range names {
				i := slices.IndexFunc(c.Pods, func(p *outrank.Pod) bool { return p.Name == name })
				if i < 0 {
					out = append(out, nil)
				} else {
					out = append(out, c.Pods[i])
				}
			}
			return out
		}
	}
	for _, test := range []struct {
		names []string
		any   bool
		want  string
	}{
		{[]string{"low", "mid"}, false, "[default/mid default/low]"},
		{[]string{"mid", "low"}, false, "[default/mid default/low]"},
		{[]string{"low"}, false, "rule Mine: node n1: invalid input: without the victims pod default/p does not fit: NodeResourcesFit: Insufficient cpu"},
		{[]string{"low", "low"}, false, "rule Mine: node n1: invalid input: victim default/low is named twice"},
		{[]string{"low", "other"}, false, "rule Mine: node n1: invalid input: victim default/other does not run there"},
		{[]string{"low", "high"}, false, "rule Mine: node n1: invalid input: victim default/high must not be evicted"},
		{[]string{"low", "equal"}, false, "rule Mine: node n1: invalid input: victim default/equal must not be evicted"},
		{[]string{"low", "nobody"}, false, "rule Mine: node n1: invalid input: a victim is missing"},
		{[]string{"low", "high"}, true, "[default/high default/low]"},
		{[]string{"low", "mid", "equal"}, true, "[default/equal default/mid default/low]"},
		{nil, false, "rule Mine chose no victims"},
	} {
		config := preemption.Config{
			Victims: preemption.Chooser{Name: "Mine", Choose: byName(test.names...)}, Eligibility: preemption.Eligibility{AnyPriority: test.any},
		}
		plan, ex, err := chosenBy(c, p, config)
		switch {
		case err != nil:
			assert.ErrorIs(t, err, outrank.ErrInvalid)
			assert.EqualError(t, err, test.want)
		case plan.Outcome == preemption.Preempts:
			assert.Equal(t, test.want, fmt.Sprint(plan.Victims))
			assert.Equal(t, ex.Candidates[0], plan.Candidate)
			snap := newSnapshot(t, c)
			e := newEvaluator(t, config)
			assert.NoError(t, e.Verify(context.Background(), snap, plan))
		default:
			assert.Equal(t, preemption.NothingHelps, plan.Outcome)
			assert.Equal(t, []preemption.Count{{Status: preemption.Unschedulable.Because(test.want), Nodes: 1}}, plan.Unhelpful)
		}
	}
	_, err := engine.New(preemption.Config{Victims: preemption.Chooser{}})
	assert.EqualError(t, err, "preemption config: Victims.Name: missing\npreemption config: Victims.Choose: missing")
}

// A rule that does not always choose the same ends the decision with an error, and one
// that keeps its view learns nothing from it later.
func TestChooserThatChangesItsMind(t *testing.T) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{node("n1", "1", "z")}, Pods: []*outrank.Pod{pod("low", 1, "1", on("n1"))}}
	times, kept := 0, (preemption.NodeView)(nil)
	e := newEvaluator(t, preemption.Config{
		Victims: preemption.Chooser{Name: "Mine", Choose: func(v preemption.NodeView) []*outrank.Pod {
			kept = v
			if times++; times > 1 {
				return nil
			}
			return v.Possible()
		}},
	})
	_, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.EqualError(t, err, "node n1: invalid input: there were victims, and there are none when the node is asked about again")
	assert.Nil(t, kept.Pod())
	assert.Nil(t, kept.Node())
	assert.Nil(t, kept.Possible())
	assert.Equal(t, preemption.Unschedulable, kept.Check().Code)
	assert.Zero(t, kept.Short(resource.CPU))
	assert.Equal(t, [][]*outrank.PodDisruptionBudget{nil}, kept.Violated(c.Pods[0]))
}

// Where victims leave in units, a rule sees the whole of each unit, with the node of each pod, and takes all of it by
// naming any pod.
func TestChooserTakesUnitsWhole(t *testing.T) {
	in := func(p *outrank.Pod) { p.Group = "g" }
	far := pod("far", 1, "1", in, app("far"))
	c := &outrank.Cluster{
		Release: groupsOn,
		Nodes:   []*outrank.Node{node("n1", "2", "z"), node("n2", "1", "z")},
		Pods:    []*outrank.Pod{pod("near", 1, "1", on("n1"), in, app("near")), pod("alone", 1, "1", on("n1")), far},
		Groups:  []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "far", Selector: selects("far")}},
	}
	snap := newSnapshot(t, c)
	require.NoError(t, snap.Bind("default/far", "n2")) // far itself says nothing of it
	for _, name := range []string{"near", "far"} {
		seen := map[string]string{}
		var says []string
		rule := preemption.Chooser{Name: "Mine", Choose: func(v preemption.NodeView) []*outrank.Pod {
			if v.Node().Name != "n1" {
				return nil
			}
			var chosen []*outrank.Pod
			for _, p := range v.Possible() {
				seen[p.Name] = p.NodeName
				if p.Name == name {
					chosen = append(chosen, p)
				}
			}
			says = []string{v.Check(chosen...).String(), fmt.Sprint(len(v.Violated(v.Possible()...)))}
			for i, budgets := range v.Violated(v.Possible()...) {
				if len(budgets) > 0 {
					says = append(says, v.Possible()[i].Name)
				}
			}
			return chosen
		}}
		plan, err := newEvaluator(t, preemption.Config{Victims: rule}).Preempt(t.Context(), snap, preemption.Request{Pod: pod("p", 9, "1"), Now: gen.Now})
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"near": "n1", "alone": "n1", "far": "n2"}, seen)
		assert.Equal(t, []string{"success", "3", "far"}, says)
		assert.Equal(t, []string{"far", "near"}, victimNames(plan.Victims))
	}
	assert.Empty(t, far.NodeName)
}

// A rule that takes the least important pods until there is room chooses what the
// simplified variant does, but for the time that they get to end and what is cleared.
func TestPropertyChooserAsSimplified(t *testing.T) {
	t.Parallel()
	ascend := func(v preemption.NodeView) []*outrank.Pod {
		pods := v.Possible()
		slices.Reverse(pods)
		n := 1
		for v.Check(pods[:n]...).Code != preemption.Success {
			n++
		}
		return pods[:n]
	}
	shape := gen.Shape{Nominated: 3, Taints: true}
	rapid.Check(t, func(t *rapid.T) {
		c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
		for _, q := range append(c.Pods, p) {
			q.Priority = outrank.Priority(q.PriorityValue()) // without one it may always leave
			if q.Key() == p.Key() {
				q.NominatedNodeName = "" // it would have to wait
			}
		}
		e := newEvaluator(t, preemption.Config{Variant: outrank.VariantSimplified, Ranks: preemption.DefaultRanks()})
		want, err := e.Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)
		plan, ex, err := chosenBy(c, p, preemption.Config{Victims: preemption.Chooser{Name: "Ascend", Choose: ascend}})
		require.NoError(t, err)
		for i := range want.Victims {
			want.Victims[i].Blocks = preemption.Status{}
		}
		for i := range plan.Victims {
			plan.Victims[i].Blocks = preemption.Status{}
		}
		want.Unhelpful, plan.Unhelpful, want.Variant = nil, nil, 0
		want.ClearedNominations, plan.ClearedNominations = nil, nil
		if diff := testdiff.Diff(want, plan); diff != "" {
			t.Fatalf("(-by policy +by rule):\n%s", diff)
		}
		if plan.Outcome == preemption.Preempts {
			require.Equal(t, plan.Node, ex.Candidates[0].Node)
		}
	})
}
