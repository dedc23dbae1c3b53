package joint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/joint"
)

// eightCores is a node with an old pod of four cores and four small ones, and a pod that asks for four.
func eightCores() (*engine.Snapshot, *outrank.Pod) {
	c := &outrank.Cluster{Nodes: []*outrank.Node{sized("n1", "8")}}
	for i, cpu := range []string{"4", "1", "1", "1", "1"} {
		p := pod(fmt.Sprint("p", i), "n1", 1, cpu)
		p.StartTime = gen.Now.Add(-time.Duration(9-i) * time.Hour)
		c.Pods = append(c.Pods, p)
	}
	snap, _ := engine.NewSnapshot(c)
	return snap, pod("urgent", "", 10, "4")
}

func ExampleRegretOf() {
	snap, urgent := eightCores()
	eval, _ := engine.New(preemption.Config{})
	plan, _ := eval.Preempt(context.Background(), snap, preemption.Request{Pod: urgent, Now: time.Now()})
	regret, err := joint.RegretOf(context.Background(), eval, snap, plan, time.Now())
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(regret.By == "", regret.By, "-", regret.Certainty())
	for _, g := range regret.Gaps {
		if g.Rank == preemption.ByVictims.Name {
			fmt.Println(g.Gap, "victims fewer:", regret.Best.Node, regret.Best.Victims)
		}
	}
	// Output:
	// false priority-sum - optimal, 2 steps
	// 3 victims fewer: n1 [default/p0]
}

// For any victims, on any node, by any ranks and policy of budgets, the regret has their score, the best set of victims
// on all nodes and on theirs, and the difference rank by rank.
func TestPropertyRegretOfAnyVictims(t *testing.T) {
	t.Parallel()
	regrets, insteadOfNone := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([]gen.Shape{
			{Budgets: 4}, {Nodes: 2, PodsPerNode: 8, Budgets: 4}, {Nodes: 2, Alike: true, PodsPerNode: 8, Budgets: 3},
			{Budgets: 4, Taints: true, Selectors: true, Nominated: 3}, {Nodes: 3, PodsPerNode: 5, Ports: true, Budgets: 3},
		}).Draw(t, "shape")
		c, p := gen.Cluster(shape).Draw(t, "cluster"), gen.Preemptor(shape).Draw(t, "preemptor")
		partPorts(c)
		config := preemption.Config{
			Budgets: rapid.SampledFrom([]preemption.Budgets{
				preemption.ChargePossible, preemption.ChargePossible, preemption.ChargeVictims, preemption.NeverViolate,
			}).Draw(t, "budgets"),
		}
		if rapid.Bool().Draw(t, "other ranks") {
			ranks := rapid.Permutation(append(preemption.DefaultRanks(), byCostOf)).Draw(t, "ranks")
			config.Ranks = ranks[:rapid.IntRange(1, len(ranks)).Draw(t, "of them")]
		}
		snap, eval := must(engine.NewSnapshot(c)), must(engine.New(config))
		plan, err := eval.Preempt(context.Background(), snap, preemption.Request{Pod: p, Now: gen.Now})
		require.NoError(t, err)

		sets := allSets(t, eval, snap, p)
		if plan.Outcome != preemption.Preempts {
			r, err := joint.RegretOf(context.Background(), eval, snap, plan, gen.Now)
			require.NoError(t, err)
			want := ""
			if plan.Outcome == preemption.NothingHelps && sets.best != nil {
				want = "node-order" // a strict policy that spares the wrong pods
				insteadOfNone++
			}
			require.Equal(t, want, r.By)
			require.Empty(t, r.Gaps)
			return
		}
		node := rapid.SampledFrom(sets.nodes).Draw(t, "node")
		own := &preemption.Plan{Pod: p, Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: node}}
		var victims []*outrank.Pod
		for i, q := range sets.possible[node] {
			if i == 0 || rapid.Bool().Draw(t, "leaves") {
				victims, own.Victims = append(victims, q), append(own.Victims, preemption.Victim{Pod: q})
			}
		}
		r, err := joint.RegretOf(context.Background(), eval, snap, own, gen.Now)
		require.NoError(t, err)

		score, ranks := totalOf(eval, snap, victims, gen.Now), ranksOf(eval, false)
		all := append(preemption.DefaultRanks(), byCostOf)
		require.Zero(t, compareBy(all, score, r.Score), "%+v and %+v", score, r.Score)
		require.Zero(t, compareBy(ranks, *sets.best, r.Best.Score), "%+v and %+v", sets.best, r.Best.Score)
		require.True(t, r.Best.ClusterCertificate.Optimal)
		if onNode := sets.bestOn[node]; onNode == nil {
			require.Nil(t, r.OnNode)
		} else {
			require.Zero(t, compareBy(ranks, *onNode, r.OnNode.Score), "%+v and %+v", onNode, r.OnNode)
		}

		require.Equal(t, compareBy(ranks, *sets.best, score) >= 0, r.By == "")
		require.Len(t, r.Gaps, len(ranks))
		for i, g := range r.Gaps {
			require.Equal(t, ranks[i].Name, g.Rank)
			require.Equal(t, compareBy(ranks[i:i+1], score, *sets.best), sign(g.Gap), "%v: %d", g.Rank, g.Gap)
		}
		if r.By != "" {
			regrets++
			first := slices.IndexFunc(r.Gaps, func(g joint.RankGap) bool { return g.Gap != 0 })
			require.Equal(t, r.By, r.Gaps[first].Rank, "the first rank that differs")
		}
	})
	require.Positive(t, regrets)
	t.Logf("%d regrets, %d instead of nothing", regrets, insteadOfNone)
}

// partPorts leaves each host port of a node to the first pod that holds it: two hold one only in a state that no kubelet
// lets run, in which exact victims go by a rule of their own (rule 13.4.5).
func partPorts(c *outrank.Cluster) {
	held := map[string]bool{}
	for _, p := range c.Pods {
		for _, containers := range []*[]outrank.Container{&p.Containers, &p.InitContainers} {
			*containers = slices.Clone(*containers)
			for i := range *containers {
				var ports []outrank.Port
				for _, port := range (*containers)[i].Ports {
					if at := fmt.Sprint(p.NodeName, " ", port.HostPort); !held[at] {
						held[at], ports = true, append(ports, port)
					}
				}
				(*containers)[i].Ports = ports
			}
		}
	}
}

func sign(n int64) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

// setsOfVictims returns all sets of victims that make room for a pod.
type setsOfVictims struct {
	// nodes are those with possible victims.
	nodes    []string
	possible map[string][]*outrank.Pod
	best     *preemption.Score // nil for none
	bestOn   map[string]*preemption.Score
}

// allSets tries all sets of possible victims of each node that does not take the pod as it is, and where preemption
// may help.
func allSets(t *rapid.T, eval *engine.Evaluator, snap *engine.Snapshot, p *outrank.Pod) *setsOfVictims {
	out := &setsOfVictims{possible: map[string][]*outrank.Pod{}, bestOn: map[string]*preemption.Score{}}
	lookAt, err := eval.LookAt(snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	ranks, strict := ranksOf(eval, false), eval.Config().Budgets == preemption.NeverViolate
	for n := range snap.Nodes() {
		view, err := lookAt(n.Name)
		require.NoError(t, err)
		possible := view.Possible()
		if len(possible) > 0 {
			out.nodes, out.possible[n.Name] = append(out.nodes, n.Name), possible
		}
		if view.Check().Code != preemption.Unschedulable {
			continue
		}
		for set := 1; set < 1<<len(possible); set++ {
			var victims []*outrank.Pod
			for i, q := range possible {
				if set>>i&1 == 1 {
					victims = append(victims, q)
				}
			}
			if view.Check(victims...).Code != preemption.Success {
				continue
			}
			score := totalOf(eval, snap, victims, gen.Now)
			if strict && score.Violations > 0 {
				continue
			}
			if best := out.bestOn[n.Name]; best == nil || compareBy(ranks, score, *best) < 0 {
				out.bestOn[n.Name] = &score
			}
			if out.best == nil || compareBy(ranks, score, *out.best) < 0 {
				out.best = &score
			}
		}
	}
	return out
}

// A regret as JSON, by the form of JOINT_JSON.md.
func TestRegretAsJSON(t *testing.T) {
	snap, urgent := eightCores()
	eval := must(engine.New(preemption.Config{}))
	plan, err := eval.Preempt(t.Context(), snap, preemption.Request{Pod: urgent, Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 4)
	r, err := joint.RegretOf(t.Context(), eval, snap, plan, gen.Now)
	require.NoError(t, err)
	text, err := json.Marshal(r)
	require.NoError(t, err)
	var read map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &read))
	assert.JSONEq(t, `"outrank/v1"`, string(read["apiVersion"]))
	assert.JSONEq(t, `"Regret"`, string(read["kind"]))
	assert.JSONEq(t, `"priority-sum"`, string(read["by"]))
	assert.JSONEq(t, `[{"rank":"budget-violations","gap":0},{"rank":"top-priority","gap":0},{"rank":"priority-sum","gap":6442450947},
		{"rank":"victim-count","gap":3},{"rank":"start-time","gap":-3600000000000}]`, string(read["gaps"]))
	best, err := json.Marshal(r.Best)
	require.NoError(t, err)
	assert.JSONEq(t, string(best), string(read["best"]))
	for field, want := range map[string]preemption.Candidate{"score": {Score: r.Score}, "onNode": *r.OnNode} {
		assert.JSONEq(t, candidateJSON(t, want, map[string]string{"score": "score"}[field]), string(read[field]), field)
	}
	assert.Equal(t, regretFields(t), keysOf(t, text), "the table has the fields in their order")
	for _, text := range [][]byte{text, []byte(`{"by":"priority-sum","gaps":[]}`)} {
		err := json.Unmarshal(text, new(joint.Regret))
		require.ErrorIs(t, err, errors.ErrUnsupported, "a regret holds the pods that its JSON refers to")
		assert.ErrorContains(t, err, "joint.Regret")
	}
	assert.Equal(t, "as good as the best: nothing is known", new(joint.Regret).String())
}

// candidateJSON returns a candidate, or a field of it, as it stands in the document of a plan.
func candidateJSON(t *testing.T, c preemption.Candidate, field string) string {
	text, err := json.Marshal(preemption.Plan{Nodes: []preemption.NodeReport{{Node: c.Node}}, Candidates: []preemption.Candidate{c}})
	require.NoError(t, err)
	var read struct{ Candidates []json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &read))
	if field == "" {
		return string(read.Candidates[0])
	}
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(read.Candidates[0], &fields))
	return string(fields[field])
}

// regretFields are those of the table in JOINT_JSON.md.
func regretFields(t *testing.T) (fields []string) {
	document, err := os.ReadFile("JOINT_JSON.md")
	require.NoError(t, err)
	_, table, there := strings.Cut(string(document), "\n# The JSON of a regret\n")
	require.True(t, there)
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
		fields = append(fields, row[1])
	}
	return fields
}

// keysOf returns the keys of an object in their order.
func keysOf(t *testing.T, text []byte) (keys []string) {
	dec := json.NewDecoder(bytes.NewReader(text))
	_, err := dec.Token()
	require.NoError(t, err)
	for dec.More() {
		key, err := dec.Token()
		require.NoError(t, err)
		keys = append(keys, key.(string))
		require.NoError(t, dec.Decode(new(json.RawMessage)))
	}
	return keys
}

// Regret about other plans than those that preempt, and about what is gone.
func TestRegretOfOtherPlans(t *testing.T) {
	db, p := pod("db", "n1", 1, "1"), pod("p", "", 5, "1")
	db.Labels = map[string]string{"app": "db"}
	p.Affinity.PodAffinity = []outrank.PodAffinityTerm{{TopologyKey: "host", LabelSelector: &outrank.LabelSelector{MatchLabels: db.Labels}}}
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{sized("n1", "2")}, Pods: []*outrank.Pod{db, pod("job", "n1", 3, "1")}}))
	ctx, usual := t.Context(), must(engine.New(preemption.Config{}))
	plan, err := usual.Preempt(ctx, snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Equal(t, preemption.NothingHelps, plan.Outcome)
	r, err := joint.RegretOf(ctx, usual, snap, plan, gen.Now)
	require.NoError(t, err)
	assert.Equal(t, "node-order", r.By)
	assert.Equal(t, "n1 [default/job] is better: preemption helps; optimal, 4 steps", r.String())

	_, err = joint.RegretOf(ctx, usual, snap, nil, gen.Now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	_, err = joint.RegretOf(ctx, nil, snap, plan, gen.Now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
	require.NoError(t, snap.RemovePod("default/job"))
	_, err = joint.RegretOf(ctx, usual, snap, r.Best, gen.Now)
	require.ErrorIs(t, err, engine.ErrStale)
	guarded := must(engine.New(preemption.Config{Guard: fewTogether(1, 1)}))
	_, err = joint.RegretOf(ctx, guarded, snap, plan, gen.Now)
	require.ErrorIs(t, err, outrank.ErrInvalid)
}

// Victims that are not there are stale, and those that could be none are no victims, each with a word of its own.
func TestRegretNamesWhatIsWrong(t *testing.T) {
	groupsOn := must(outrank.V1_37.With(map[string]bool{"GenericWorkload": true}))
	near, far, high := pod("near", "n1", 1, "1"), pod("far", "n2", 1, "1"), pod("high", "n1", 50, "1")
	near.Group, far.Group = "g", "g"
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Release: groupsOn, Nodes: []*outrank.Node{sized("n1", "3"), sized("n2", "1")}, Pods: []*outrank.Pod{near, far, high, pod("low", "n1", 0, "1")},
		Groups: []*outrank.PodGroup{{Name: "g", DisruptionMode: outrank.DisruptPodGroup}},
	}))
	other := pod("low", "n1", 0, "1")
	eval := must(engine.New(preemption.Config{}))
	for _, test := range []struct {
		node    string
		victims []preemption.Victim
		kind    error
		want    string
	}{
		{"n1", nil, engine.ErrUnsound, "there are no victims"},
		{"n1", []preemption.Victim{{}}, engine.ErrUnsound, "victim 0 is missing"},
		{"n9", []preemption.Victim{{Pod: other}}, engine.ErrStale, "there is no such node"},
		{"n1", []preemption.Victim{{Pod: pod("gone", "n1", 1, "1")}}, engine.ErrStale, "victim default/gone does not run there"},
		{"n2", []preemption.Victim{{Pod: other}}, engine.ErrStale, "victim default/low does not run there"},
		{"n1", []preemption.Victim{{Pod: other}, {Pod: other}}, engine.ErrUnsound, "victim default/low is named twice"},
		{"n1", []preemption.Victim{{Pod: high}}, engine.ErrUnsound, "victim default/high is none of the pods that may leave"},
		{"n1", []preemption.Victim{{Pod: near}}, engine.ErrUnsound, "pod default/far has to leave with victim default/near"},
		{"n1", []preemption.Victim{{Pod: near}, {Pod: far, Node: "n2"}}, nil, ""},
	} {
		plan := &preemption.Plan{Pod: pod("p", "", 9, "1"), Outcome: preemption.Preempts, Candidate: preemption.Candidate{Node: test.node, Victims: test.victims}}
		r, err := joint.RegretOf(t.Context(), eval, snap, plan, gen.Now)
		if test.kind == nil {
			require.NoError(t, err)
			assert.Equal(t, 2, r.Score.Victims)
			assert.Equal(t, "n1 [default/low]", fmt.Sprint(r.Best.Node, " ", r.Best.Victims))
			assert.Equal(t, preemption.ByVictims.Name, r.Gaps[3].Rank)
			continue
		}
		require.ErrorIs(t, err, test.kind)
		assert.ErrorContains(t, err, test.want)
	}
}

// The victims of a plan across nodes are charged together, in the order of importance.
func TestRegretOfAPlanAcrossNodes(t *testing.T) {
	labels := map[string]string{"app": "x"}
	x := func(name, node string, priority int32) *outrank.Pod {
		p := pod(name, node, priority, "1")
		p.Labels = labels
		return p
	}
	selector := &outrank.LabelSelector{MatchLabels: labels}
	nodes := []*outrank.Node{sized("n1", "4"), sized("n2", "4"), sized("n3", "4")}
	nodes[1].Unschedulable, nodes[2].Unschedulable = true, true
	snap := must(engine.NewSnapshot(&outrank.Cluster{
		Nodes: nodes, Pods: []*outrank.Pod{x("a", "n2", 1), x("b", "n3", 3), x("c", "n2", 2)},
		Budgets: []*outrank.PodDisruptionBudget{{Name: "x", Selector: selector, DisruptionsAllowed: 1}},
	}))
	p := pod("p", "", 9, "1")
	p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: selector}}
	eval := must(engine.New(preemption.Config{Victims: preemption.Across{}}))
	across, err := eval.Preempt(t.Context(), snap, preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, across.Victims, 3)
	r, err := joint.RegretOf(t.Context(), eval, snap, across, gen.Now)
	require.NoError(t, err)
	assert.Equal(t, across.Score, r.Score)
	assert.Equal(t, 2, r.Score.Violations)
	assert.Equal(t, preemption.NothingHelps, r.Best.Outcome, "on one node")
	assert.Empty(t, r.By)
	assert.Nil(t, r.OnNode)
}

// By an importance of the caller's the first victim is not the one of the highest priority, and is what the rank by the top
// priority reads.
func TestRegretByImportance(t *testing.T) {
	old, young := pod("old", "n1", 5, "1"), pod("young", "n1", 1, "1")
	snap := must(engine.NewSnapshot(&outrank.Cluster{Nodes: []*outrank.Node{sized("n1", "2")}, Pods: []*outrank.Pod{old, young}}))
	eval := must(engine.New(preemption.Config{Importance: func(a, b *outrank.Pod) int { return int(a.PriorityValue()) - int(b.PriorityValue()) }}))
	plan, err := eval.Preempt(t.Context(), snap, preemption.Request{Pod: pod("p", "", 9, "2"), Now: gen.Now})
	require.NoError(t, err)
	require.Len(t, plan.Victims, 2)
	r, err := joint.RegretOf(t.Context(), eval, snap, plan, gen.Now)
	require.NoError(t, err)
	assert.Equal(t, plan.Score, r.Score)
	assert.Equal(t, int32(1), r.Score.TopPriority)
}
