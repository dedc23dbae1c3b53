package preemption_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// The search ends early once there are enough candidates (group 10.1).
func TestSamples(t *testing.T) {
	// Victims on b, d and f violate a budget, the first node is cordoned, and the least victim is on g.
	c := clusterOf(node("a", cordoned), budget("none", 0))
	for i, name := range []string{"b", "c", "d", "e", "f", "g"} {
		x := pod("x-"+name, name, int32(9-i), cpu("1"))
		if i%2 == 0 {
			web(x)
		}
		c.Nodes, c.Pods = append(c.Nodes, node(name)), append(c.Pods, x)
	}

	for _, test := range []struct {
		name   string
		sample *preemption.Sample
		offset int
		// found lists the nodes that are candidates, the best first.
		found []string
	}{
		{"without a sample all are tried (rule 10.1.1)", nil, 3, []string{"g", "e", "c", "f", "d", "b"}},
		{"by default more than there are", &preemption.Sample{}, 0, []string{"g", "e", "c", "f", "d", "b"}},
		{"two, one of which violates nothing (rules 10.1.2 and 10.1.3)", &preemption.Sample{Minimum: 2, Percent: 1}, 0, []string{"c", "b"}},
		{"from an offset on (rule 10.1.1)", &preemption.Sample{Minimum: 2, Percent: 1}, 3, []string{"e", "f"}},
		{"and round (rule 10.1.1)", &preemption.Sample{Minimum: 2, Percent: 1}, 5, []string{"g", "b"}},
		{"an offset counts modulo the nodes that are tried (rule 10.1.1)", &preemption.Sample{Minimum: 2, Percent: 1}, 6*7 + 3, []string{"e", "f"}},
		{"also below 0", &preemption.Sample{Minimum: 2, Percent: 1}, -1, []string{"g", "b"}},
		{"a part of those that are tried, rounded down (rule 10.1.2)", &preemption.Sample{Minimum: 1, Percent: 60}, 1, []string{"e", "c", "d"}},
		{"one that violates does not end it (rule 10.1.3)", &preemption.Sample{Minimum: 1, Percent: -1}, 0, []string{"c", "b"}},
		{"none is enough, and every candidate is dropped (rule 10.1.5)", &preemption.Sample{Minimum: -1, Percent: 10}, 0, nil},
		{"without a minimum a part is enough", &preemption.Sample{Minimum: -1, Percent: 50}, 1, []string{"e", "c", "d"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, err := preemption.Explain(c, preemption.Request{Pod: preemptor(cpu("1")), Now: now, Offset: test.offset}, preemption.Config{Sample: test.sample})
			assert.NoError(t, err)
			var found []string
			for _, k := range plan.Candidates {
				found = append(found, k.Node)
			}
			assert.Equal(t, test.found, found)
			assert.Equal(t, found == nil, plan.Outcome == preemption.NothingHelps)
			assert.Nil(t, plan.Nodes[0].AfterRemoval, "the cordoned one is never tried (rule 7.1.2)")
		})
	}
}

// No more candidates with violations are kept than are enough, and those beyond are dropped (rule 10.1.4).
func TestSamplesKeepFewViolations(t *testing.T) {
	c := clusterOf(budget("none", 0))
	for i := range 5 {
		name := fmt.Sprint("n", i)
		x := pod("x"+name, name, int32(9-i), cpu("1"), web)
		if i == 4 {
			x.Labels = nil
		}
		c.Nodes, c.Pods = append(c.Nodes, node(name)), append(c.Pods, x)
	}
	plan := func() *preemption.Plan {
		return explain(t, c, preemptor(cpu("1")), preemption.Config{Sample: &preemption.Sample{Minimum: 2, Percent: -1}})
	}
	assert.Equal(t, 3, len(plan().Candidates))
	assert.Nil(t, plan().Nodes[2].AfterRemoval, "it was dropped, as if it had not been tried")
	assert.Equal(t, "n4", plan().Node)
	c.Pods[4].Labels = map[string]string{"app": "web"}
	assert.Equal(t, "n1", plan().Node, "of the two that are kept the better")
}

// What happens on one node is not seen on the next: a filter of the caller starts once, and each node has a
// clone of its own (group 10.1).
func TestNodesDoNotMeet(t *testing.T) {
	starts := 0
	f := apart()
	start := f.Start
	f.Start = func(p *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		starts++
		return start(p, view)
	}
	c := clusterOf(node("a"), node("b"), pod("x", "a", 1, web), pod("y", "b", 1, web))
	plan := explain(t, c, preemptor(web), preemption.Config{Filters: []*preemption.Filter{f}})
	assert.Equal(t, 1, starts)
	assert.Len(t, plan.Candidates, 2)
}
