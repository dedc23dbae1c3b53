package tenancy

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/resource"
)

// market are two lenders in a cohort within the one of the preemptor, each of which has so many
// pods, and half of that of its own.
func market(pods int) (Config, *outrank.Cluster) {
	own := resource.MustList("cpu", fmt.Sprint(pods/2))
	policy := Policy{Reclaim: Anybody, WhileBorrowing: true}
	config := Config{
		Cohorts: []Cohort{{Name: "lenders", Parent: "all"}},
		Queues: []Queue{
			{Name: "taker", Cohort: "all", Quota: Quota{Nominal: resource.MustList("cpu", fmt.Sprint(pods))}, Policy: policy},
			{Name: "ads", Cohort: "lenders", Quota: Quota{Nominal: own}}, {Name: "news", Cohort: "lenders", Quota: Quota{Nominal: own}},
		},
	}
	c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n1"}}}
	for i := range 2 * pods {
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: fmt.Sprint("p", i), NodeName: "n1", Labels: map[string]string{"queue": []string{"ads", "news"}[i%2]},
			Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}},
		})
	}
	return config, c
}

// stepsOf returns how many amounts the guard changes, and how often it asks for a queue, when it
// is told of one more pod and asked, while half of the pods are away.
func stepsOf(t *testing.T, pods int, o Options) (steps, asked int) {
	t.Helper()
	config, c := market(pods)
	tree, err := NewTree(config)
	require.NoError(t, err)
	o.Tree, o.QueueOf = tree, func(p *outrank.Pod) string { asked++; return p.Labels["queue"] }
	rules, err := New(o)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	taker := &outrank.Pod{Name: "taker", Labels: map[string]string{"queue": "taker"}, Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	state, err := rules.Guard().Start([]*outrank.Pod{taker}, snap)
	require.NoError(t, err)
	s := state.(*guardState)
	for _, p := range c.Pods[:pods/2] {
		s.Remove(p, c.Nodes[0])
		s.Check()
	}
	s.now.steps, asked = 0, 0
	s.Remove(c.Pods[pods/2], c.Nodes[0])
	s.Check()
	s.Add(c.Pods[pods/2], c.Nodes[0])
	s.Check()
	return s.now.steps, asked
}

// What it takes a guard to be told of a pod and to be asked does not depend on how many are away.
func TestGuardDoesNotWalk(t *testing.T) {
	for _, o := range []Options{
		{}, {Style: Kueue}, {Style: YuniKorn}, {Fair: &Fair{}}, {Fair: &Fair{Strategies: []Strategy{LessThanInitialShare}, SharesAlone: true}},
		{Style: Kueue, Fair: &Fair{Strategies: []Strategy{LessThanInitialShare}, SharesAlone: true}},
	} {
		t.Run(fmt.Sprint(o.Style, o.Fair), func(t *testing.T) {
			few, asked := stepsOf(t, 20, o)
			many, again := stepsOf(t, 600, o)
			require.LessOrEqual(t, many, 2*few)
			require.LessOrEqual(t, many, 200)
			require.Equal(t, asked, again)
		})
	}
}
