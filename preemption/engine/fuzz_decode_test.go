package engine_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/resource"
)

// choices reads a fuzzer's bytes as a row of choices, one byte each. Behind the
// last byte every choice is the first option, so that any input is a cluster.
type choices struct{ rest []byte }

// below returns a number from 0 to n-1.
func (c *choices) below(n int) int {
	if len(c.rest) == 0 {
		return 0
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return int(b) % n
}

// oneIn is true for one of n values of a byte, and false behind the last one.
func (c *choices) oneIn(n int) bool { return c.below(n) == n-1 }

func choose[T any](c *choices, options ...T) T { return options[c.below(len(options))] }

// cluster makes a small one of few distinct values, so that ties and conflicts
// are common.
func (c *choices) cluster() *outrank.Cluster {
	out := &outrank.Cluster{Namespaces: []*outrank.Namespace{
		{Name: "default", Labels: map[string]string{"env": "prod"}}, {Name: "other", Labels: map[string]string{"env": "dev"}},
	}}
	out.Release = choose(c, outrank.Release(0), outrank.V1_36, outrank.V1_37)
	for i := range 1 + c.below(4) {
		n := c.node(fmt.Sprint("n", i))
		out.Nodes = append(out.Nodes, n)
		for j := range c.below(9) {
			p := c.pod(fmt.Sprint("p", i, j))
			p.NodeName = n.Name
			out.Pods = append(out.Pods, p)
		}
	}
	for i := range c.below(3) {
		p := c.pod(fmt.Sprint("w", i))
		p.NominatedNodeName = c.nodeName()
		out.Pods = append(out.Pods, p)
	}
	for i := range c.below(3) {
		out.Budgets = append(out.Budgets, c.budget(fmt.Sprint("b", i), out.Pods))
	}
	return out
}

// nodeName is the name of a node that there may be.
func (c *choices) nodeName() string { return choose(c, "n0", "n1", "n2", "n3", "ghost") }

func (c *choices) node(name string) *outrank.Node {
	n := &outrank.Node{
		Name:        name,
		Allocatable: resource.MustList("cpu", choose(c, "2", "1", "3", "4"), "memory", choose(c, "8Gi", "4Gi"), "pods", choose(c, "10", "4", "9", "1")),
		Labels:      choose(c, map[string]string{"zone": "a"}, map[string]string{"zone": "b"}, nil),
	}
	if c.oneIn(4) {
		n.Taints = []outrank.Taint{{Key: "k", Value: choose(c, "", "v"), Effect: choose(c, outrank.NoSchedule, outrank.NoExecute, outrank.PreferNoSchedule)}}
	}
	n.Unschedulable = c.oneIn(8)
	return n
}

// pod makes one that is neither bound nor nominated.
func (c *choices) pod(name string) *outrank.Pod {
	p := &outrank.Pod{
		Name: name, Namespace: choose(c, "", "other"), Labels: c.labels(),
		Priority:   choose(c, outrank.Priority(0), outrank.Priority(10), outrank.Priority(10), outrank.Priority(-1), nil),
		Containers: []outrank.Container{{Requests: c.requests()}},
		StartTime:  choose(c, gen.Now.Add(-time.Hour), gen.Now, gen.Now.Add(-time.Minute), gen.Now.Add(time.Second), time.Time{}),
	}
	if c.oneIn(6) {
		p.DeletionTimestamp, p.DisruptionReason = gen.Now.Add(-time.Second), choose(c, outrank.PreemptionByScheduler, "")
	}
	if c.oneIn(4) {
		c.constrain(p)
	}
	return p
}

func (c *choices) labels() map[string]string {
	return choose(c, map[string]string{"app": "web"}, map[string]string{"app": "db"}, nil)
}

func (c *choices) requests() resource.List {
	return resource.MustList("cpu", choose(c, "500m", "1", "250m", "0"), "memory", choose(c, "1Gi", "0", "2Gi"))
}

// constrain gives the pod one demand on its node or its neighbours.
func (c *choices) constrain(p *outrank.Pod) {
	term := outrank.PodAffinityTerm{
		LabelSelector: &outrank.LabelSelector{MatchLabels: map[string]string{"app": choose(c, "web", "db")}},
		TopologyKey:   choose(c, "zone", "kubernetes.io/hostname"),
	}
	if c.oneIn(4) {
		term.NamespaceSelector = &outrank.LabelSelector{MatchLabels: map[string]string{"env": "dev"}}
	}
	switch c.below(6) {
	case 0:
		p.Containers[0].Ports = []outrank.Port{{HostPort: 80, HostIP: choose(c, "", "10.0.0.1", "10.0.0.2")}}
	case 1:
		p.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{term}
	case 2:
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{term}
	case 3:
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{{
			MaxSkew: int32(1 + c.below(2)), TopologyKey: "zone", LabelSelector: term.LabelSelector, MinDomains: int32(c.below(3)),
			NodeTaintsPolicy: choose(c, outrank.NodeIgnore, outrank.NodeHonor),
		}}
	case 4:
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{MatchExpressions: []outrank.NodeRequirement{{
			Key: "zone", Operator: choose(c, outrank.In, outrank.NotIn), Values: []string{"a"},
		}}}}}
	case 5:
		p.Volumes = []outrank.Volume{{Claim: "c", OncePod: true}}
	}
}

func (c *choices) budget(name string, pods []*outrank.Pod) *outrank.PodDisruptionBudget {
	b := &outrank.PodDisruptionBudget{
		Name: name, Namespace: choose(c, "", "other"), DisruptionsAllowed: int32(c.below(3)),
		Selector: choose(c, &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}}, &outrank.LabelSelector{}, nil),
	}
	if c.oneIn(4) && len(pods) > 0 {
		b.DisruptedPods = map[string]time.Time{pods[c.below(len(pods))].Name: gen.Now}
	}
	return b
}

// preemptor makes the pod that looks for a place.
func (c *choices) preemptor(name string) *outrank.Pod {
	p := c.pod(name)
	p.StartTime, p.DeletionTimestamp, p.DisruptionReason = time.Time{}, time.Time{}, ""
	p.Priority = choose(c, outrank.Priority(100), outrank.Priority(10), outrank.Priority(1), nil)
	p.Containers[0].Requests = resource.MustList("cpu", choose(c, "1", "2", "1500m", "0"), "memory", choose(c, "1Gi", "0", "4Gi"))
	if c.oneIn(12) {
		p.PreemptionPolicy = outrank.PreemptNever
	}
	if c.oneIn(3) {
		p.Tolerations = []outrank.Toleration{{
			Key: choose(c, "k", ""), Operator: choose(c, outrank.TolerationExists, outrank.TolerationEqual),
			Effect: choose(c, "", outrank.NoSchedule, outrank.NoExecute),
		}}
		if p.Tolerations[0].Key == "" { // as API servers let in (rule 26.1.7)
			p.Tolerations[0].Operator = outrank.TolerationExists
		}
	}
	if c.oneIn(4) {
		p.NominatedNodeName = c.nodeName()
	}
	if c.oneIn(16) {
		p.NodeName = c.nodeName()
	}
	return p
}
