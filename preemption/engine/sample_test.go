package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption"
)

// A sample is the result of going through the nodes one by one from the offset
// on, for any number of workers, and whether or not a rank needs whole candidates.
func TestPropertySample(t *testing.T) {
	seeded.AtLeast(t, 400)
	shape := gen.Shape{Nodes: 9, PodsPerNode: 3, Budgets: 4}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		p := gen.Preemptor(shape).Draw(t, "preemptor")
		sample := &preemption.Sample{
			Percent: rapid.IntRange(1, 100).Draw(t, "percent"),
			Minimum: rapid.IntRange(1, 5).Draw(t, "minimum"),
		}
		switch rapid.IntRange(0, 5).Draw(t, "without one of them") {
		case 0:
			sample.Percent = -1
		case 1:
			sample.Minimum = -1
		}
		req := preemption.Request{Pod: p, Now: gen.Now, Offset: rapid.IntRange(-20, 20).Draw(t, "offset")}
		var config preemption.Config
		if rapid.Bool().Draw(t, "a rank of whole candidates") {
			config.Ranks = append([]preemption.Rank{{Name: "name", Figure: lastOfName}}, preemption.DefaultRanks()...)
		}
		want := oneByOne(explainBy(t, config, c, p), sample, req.Offset)
		config.Sample = sample
		e := newEvaluator(t, config)
		got, err := e.Parallel(rapid.IntRange(1, 3).Draw(t, "workers")).Explain(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		var nodes []string
		for _, candidate := range got.Candidates {
			nodes = append(nodes, candidate.Node)
		}
		// The ranks put both in the same order.
		if diff := testdiff.Diff(want, nodes); diff != "" {
			t.Fatalf("candidates of %+v from %d on (-one by one +got):\n%s", sample, req.Offset, diff)
		}
		plan, err := e.Preempt(context.Background(), newSnapshot(t, c), req)
		require.NoError(t, err)
		if got.Outcome == preemption.Preempts && plan.Node != got.Candidates[0].Node {
			t.Fatalf("Preempt chose %s, Explain %s", plan.Node, got.Candidates[0].Node)
		}
	})
}

// lastOfName is a figure that some nodes share, and that has nothing to do with budgets.
func lastOfName(c *preemption.Candidate) int64 { return int64(c.Node[len(c.Node)-1]) % 3 }

// A sample of one goes on until a candidate is free of violations, and does not take
// one for free that is not.
func TestSampleGoesOnUntilOneIsFree(t *testing.T) {
	b := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "b"}}
	elsewhere := func(p *outrank.Pod) { p.Namespace = "elsewhere" }
	free := pod("free", 1, "2", on("n3"), app("x"), elsewhere)
	for _, tt := range []struct {
		name     string
		config   preemption.Config
		selector *outrank.LabelSelector
		pods     []*outrank.Pod // on each of the nodes before
	}{
		{"the only victim violates", preemption.Config{}, b, []*outrank.Pod{pod("a", 1, "2", app("b"))}},
		{"a victim above the lowest priority does", preemption.Config{}, b, []*outrank.Pod{pod("a", 1, "1", app("x")), pod("b", 5, "1", app("b"))}},
		{"without reprieve", preemption.Config{Variant: outrank.VariantSimplified}, b, []*outrank.Pod{pod("a", 1, "2", app("b"))}},
		{
			"by an empty selector, without reprieve", preemption.Config{Variant: outrank.VariantSimplified},
			&outrank.LabelSelector{}, []*outrank.Pod{pod("a", 1, "2", app("x"))},
		},
		{
			"beside a protected pod, without reprieve", preemption.Config{
				Variant:     outrank.VariantSimplified,
				Eligibility: preemption.Eligibility{Take: func(_, victim *outrank.Pod) (string, bool) { return "", victim.Labels["app"] != "kept" }},
			}, b, []*outrank.Pod{pod("a", 1, "0", app("kept")), pod("b", 5, "2", app("b"))},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &outrank.Cluster{
				Nodes:   []*outrank.Node{node("n1", "2", "a"), node("n2", "2", "a"), node("n3", "2", "a"), node("n4", "2", "a")},
				Budgets: []*outrank.PodDisruptionBudget{{Name: "b", Selector: tt.selector}},
				Pods:    []*outrank.Pod{free, pod("last", 0, "2", on("n4"), app("x"), elsewhere)},
			}
			for _, at := range []string{"n1", "n2"} {
				for _, p := range tt.pods {
					q := *p
					q.Name, q.NodeName = at+p.Name, at
					c.Pods = append(c.Pods, &q)
				}
			}
			tt.config.Sample = &preemption.Sample{Percent: 1, Minimum: 1}
			plan, err := newEvaluator(t, tt.config).Preempt(context.Background(), newSnapshot(t, c), preemption.Request{Pod: pod("p", 9, "2"), Now: gen.Now})
			require.NoError(t, err)
			assert.Equal(t, "n3 [elsewhere/free]", choice(plan.Candidate), "n4 is better, and no longer looked at")
		})
	}
}

// oneByOne returns those of all candidates that a search would find before it
// stops, in the order of the ranks.
func oneByOne(all *preemption.Plan, s *preemption.Sample, offset int) []string {
	var potential []preemption.NodeReport
	for _, n := range all.Nodes {
		if n.AfterRemoval != nil {
			potential = append(potential, n)
		}
	}
	violations := map[string]int{}
	for _, c := range all.Candidates {
		violations[c.Node] = c.Score.Violations
	}
	n := len(potential)
	enough := min(max(0, n*s.Percent/100, s.Minimum), n)
	if enough == 0 {
		return nil // the reference has no room to keep a candidate
	}
	found := map[string]bool{}
	violating, free := 0, 0
	for i := range n {
		at := potential[((offset+i)%n+n)%n]
		if at.AfterRemoval.Code != preemption.Success {
			continue
		}
		switch {
		case violations[at.Node] == 0:
			free++
		case violating == enough:
			continue // the list of those that violate is full
		default:
			violating++
		}
		found[at.Node] = true
		if free > 0 && len(found) >= enough {
			break
		}
	}
	var nodes []string
	for _, c := range all.Candidates {
		if found[c.Node] {
			nodes = append(nodes, c.Node)
		}
	}
	return nodes
}

// The defaults: a tenth of the nodes, at least a hundred.
func TestSampleSizes(t *testing.T) {
	for nodes, want := range map[int]int{50: 50, 100: 100, 700: 100, 1500: 150} {
		c := &outrank.Cluster{}
		for i := range nodes {
			name := fmt.Sprintf("n%04d", i)
			c.Nodes = append(c.Nodes, node(name, "1", "a"))
			c.Pods = append(c.Pods, pod("on-"+name, 1, "1", on(name)))
		}
		ex := explainBy(t, preemption.Config{Sample: &preemption.Sample{}}, c, pod("p", 5, "1"))
		assert.Len(t, ex.Candidates, want, "of %d nodes", nodes)
		tried := 0
		for _, n := range ex.Nodes {
			if n.AfterRemoval != nil {
				tried++
			}
		}
		assert.Equal(t, want, tried, "nodes beyond the sample count as not tried")
	}
}
