package tenancy_test

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	"github.com/outrank-go/outrank/resource"
)

// market are two lenders in a cohort within the one of the preemptor, each of which has so many
// pods, and half of that of its own.
func market(pods int) (tenancy.Config, *outrank.Cluster) {
	own := resource.MustList("cpu", fmt.Sprint(pods/2))
	policy := tenancy.Policy{Reclaim: tenancy.Anybody, WhileBorrowing: true}
	config := tenancy.Config{
		Cohorts: []tenancy.Cohort{{Name: "lenders", Parent: "all"}},
		Queues: []tenancy.Queue{
			{Name: "taker", Cohort: "all", Quota: tenancy.Quota{Nominal: resource.MustList("cpu", fmt.Sprint(pods))}, Policy: policy},
			{Name: "ads", Cohort: "lenders", Quota: tenancy.Quota{Nominal: own}}, {Name: "news", Cohort: "lenders", Quota: tenancy.Quota{Nominal: own}},
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
func stepsOf(t *testing.T, pods int, o tenancy.Options) (steps, asked int) {
	t.Helper()
	config, c := market(pods)
	tree, err := tenancy.NewTree(config)
	require.NoError(t, err)
	o.Tree, o.QueueOf = tree, func(p *outrank.Pod) string { asked++; return p.Labels["queue"] }
	rules, err := tenancy.New(o)
	require.NoError(t, err)
	snap, err := engine.NewSnapshot(c)
	require.NoError(t, err)
	taker := &outrank.Pod{Name: "taker", Labels: map[string]string{"queue": "taker"}, Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
	s, err := rules.Guard().Start([]*outrank.Pod{taker}, snap)
	require.NoError(t, err)
	for _, p := range c.Pods[:pods/2] {
		s.Remove(p, c.Nodes[0])
		s.Check()
	}
	before := countedBy(s)
	asked = 0
	s.Remove(c.Pods[pods/2], c.Nodes[0])
	s.Check()
	s.Add(c.Pods[pods/2], c.Nodes[0])
	s.Check()
	return countedBy(s) - before, asked
}

// countedBy returns how many amounts a guard has changed so far, which it counts for this test.
func countedBy(s preemption.GuardState) int {
	return int(reflect.ValueOf(s).Elem().FieldByName("now").Elem().FieldByName("steps").Int())
}

// What it takes a guard to be told of a pod and to be asked does not depend on how many are away.
func TestGuardDoesNotWalk(t *testing.T) {
	for _, o := range []tenancy.Options{
		{}, {Style: tenancy.Kueue}, {Style: tenancy.YuniKorn}, {Fair: &tenancy.Fair{}}, {Fair: &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}, SharesAlone: true}},
		{Style: tenancy.Kueue, Fair: &tenancy.Fair{Strategies: []tenancy.Strategy{tenancy.LessThanInitialShare}, SharesAlone: true}},
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
