package hostile

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Budgets is one way to have many budgets over many pods.
type Budgets struct {
	Name string
	// All is set if every budget covers every pod. Otherwise each covers one pod.
	All bool

	// selector returns the selector of budget i, and labels the labels of pod i.
	selector func(i int) *outrank.LabelSelector
	labels   func(i int) map[string]string
}

// Crowds lists ways in which the selectors, the labels, both or neither differ from entry to entry.
var Crowds = []Budgets{
	{
		Name: "pods alike", All: true,
		selector: func(int) *outrank.LabelSelector {
			return &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
		},
		labels: func(int) map[string]string { return map[string]string{"app": "x"} },
	},
	{
		Name: "a label of each pod's own", All: true,
		selector: func(int) *outrank.LabelSelector {
			return &outrank.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
		},
		labels: func(i int) map[string]string { return map[string]string{"app": "x", "index": fmt.Sprint(i)} },
	},
	{
		Name: "a value of each pod's own", All: true,
		selector: func(int) *outrank.LabelSelector { return expecting("app", outrank.Exists) },
		labels:   func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} },
	},
	{
		Name: "a label each",
		selector: func(i int) *outrank.LabelSelector {
			return &outrank.LabelSelector{MatchLabels: map[string]string{"app": fmt.Sprint("v", i)}}
		},
		labels: func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} },
	},
	{
		Name:     "a value each",
		selector: func(i int) *outrank.LabelSelector { return expecting("app", outrank.In, fmt.Sprint("v", i)) },
		labels:   func(i int) map[string]string { return map[string]string{"app": fmt.Sprint("v", i)} },
	},
	{
		Name:     "a key each",
		selector: func(i int) *outrank.LabelSelector { return expecting(fmt.Sprint("k", i), outrank.Exists) },
		labels:   func(i int) map[string]string { return map[string]string{fmt.Sprint("k", i): ""} },
	},
}

func expecting(key string, op outrank.Operator, values ...string) *outrank.LabelSelector {
	return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
}

// Cluster returns a cluster with n budgets over n pods of 1 cpu and priority 0, which fill ten nodes. n must
// be a multiple of ten.
func (b Budgets) Cluster(n int) *outrank.Cluster {
	const nodes = 10
	c := &outrank.Cluster{}
	for i := range nodes {
		c.Nodes = append(c.Nodes, &outrank.Node{Name: fmt.Sprint("n", i), Allocatable: resource.MustList("cpu", fmt.Sprint(n/nodes), "pods", fmt.Sprint(n))})
	}
	for i := range n {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: fmt.Sprint("b", i), Selector: b.selector(i)})
		c.Pods = append(c.Pods, &outrank.Pod{
			Name: fmt.Sprint("p", i), Labels: b.labels(i), NodeName: fmt.Sprint("n", i%nodes), Priority: outrank.Priority(0),
			Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", "1")}},
		})
	}
	return c
}

// Asking returns a pod of priority 1 for the cluster of n pods. It fits a node only if all pods of the node
// leave.
func (b Budgets) Asking(n int) *outrank.Pod {
	return &outrank.Pod{
		Name: "asks", Priority: outrank.Priority(1),
		Containers: []outrank.Container{{Name: "c", Requests: resource.MustList("cpu", fmt.Sprint(n/10))}},
	}
}
