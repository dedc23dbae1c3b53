package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// onNodes demands one thing of the labels of a node.
func onNodes(op outrank.Operator, values ...string) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		p.Affinity.Node = &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{
			Labels: []outrank.NodeRequirement{{Key: "gen", Operator: op, Values: values}},
		}}}
	}
}

// onFields demands one thing of the fields of a node.
func onFields(key string, op outrank.Operator, values ...string) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		p.Affinity.Node = &outrank.NodeSelector{Terms: []outrank.NodeSelectorTerm{{
			Fields: []outrank.NodeRequirement{{Key: key, Operator: op, Values: values}},
		}}}
	}
}

func spreading(change func(c *outrank.TopologySpreadConstraint)) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		c := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone"}
		change(&c)
		p.TopologySpread = []outrank.TopologySpreadConstraint{c}
	}
}

// Each rule of a pod by itself, on both sides of where it begins to matter.
func TestPodRules(t *testing.T) {
	const (
		label  = "pod default/p: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]: "
		field  = "pod default/p: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0]: "
		spread = "pod default/p: spec.topologySpreadConstraints[0]."
	)
	for _, c := range []struct {
		name   string
		change func(p *outrank.Pod)
		want   string // empty for none
	}{
		{"In one", onNodes(outrank.In, "a"), ""},
		{"In none", onNodes(outrank.In), label + "In needs values"},
		{"NotIn none", onNodes(outrank.NotIn), label + "NotIn needs values"},
		{"Exists", onNodes(outrank.Exists), ""},
		{"Exists a value", onNodes(outrank.Exists, "a"), label + "Exists takes no values"},
		{"DoesNotExist", onNodes(outrank.DoesNotExist), ""},
		{"DoesNotExist a value", onNodes(outrank.DoesNotExist, "a"), label + "DoesNotExist takes no values"},
		{"Gt", onNodes(outrank.Gt, "-3"), ""},
		{"Gt none", onNodes(outrank.Gt), label + "Gt takes one value"},
		{"Gt two", onNodes(outrank.Gt, "1", "2"), label + "Gt takes one value"},
		{"Lt", onNodes(outrank.Lt, "3"), ""},
		{"Lt none", onNodes(outrank.Lt), label + "Lt takes one value"},
		{"Lt two", onNodes(outrank.Lt, "1", "2"), label + "Lt takes one value"},
		{"field In", onFields(outrank.FieldName, outrank.In, "n1"), ""},
		{"field NotIn", onFields(outrank.FieldName, outrank.NotIn, "n1"), ""},
		{"field In two", onFields(outrank.FieldName, outrank.In, "n1", "n2"), field + "In takes one value here"},
		{"field NotIn none", onFields(outrank.FieldName, outrank.NotIn), field + "NotIn takes one value here"},
		{"field Exists", onFields(outrank.FieldName, outrank.Exists), field + `"Exists" is neither In nor NotIn`},
		{"another field", onFields("metadata.uid", outrank.In, "1"), field + `"metadata.uid" is no field of a node; only metadata.name is`},
		{"spread", spreading(func(*outrank.TopologySpreadConstraint) {}), ""},
		{"In no label value", onNodes(outrank.In, "a b"), ""}, // let in to this day
		{"Gt no integer", onNodes(outrank.Gt, "abc"), ""},     // let in to this day
		{"no label key", func(p *outrank.Pod) { onNodes(outrank.Exists)(p); p.Affinity.Node.Terms[0].Labels[0].Key = "a b" }, label + `"a b" is not a label key`},
		{"an unknown operator", onNodes("Near", "a"), label + `"Near" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt`},
		{"no term at all", func(p *outrank.Pod) { p.Affinity.Node = &outrank.NodeSelector{} }, ""}, // matches nothing
		{"no skew", spreading(func(c *outrank.TopologySpreadConstraint) { c.MaxSkew = 0 }), spread + "maxSkew: 0 is not positive"},
		{"no domains", spreading(func(c *outrank.TopologySpreadConstraint) { c.MinDomains = 0 }), ""},
		{"less than no domains", spreading(func(c *outrank.TopologySpreadConstraint) { c.MinDomains = -1 }), spread + "minDomains: -1 is negative"},
		{"spread by no key", spreading(func(c *outrank.TopologySpreadConstraint) { c.TopologyKey = "" }), spread + "topologyKey: missing"},
		{"spread by what is no key", spreading(func(c *outrank.TopologySpreadConstraint) { c.TopologyKey = "a b" }), ""}, // let in to this day
		{"spread anyway", spreading(func(c *outrank.TopologySpreadConstraint) { c.WhenUnsatisfiable = outrank.ScheduleAnyway }), ""},
		{"spread somehow", spreading(func(c *outrank.TopologySpreadConstraint) { c.WhenUnsatisfiable = "Somehow" }), spread + `whenUnsatisfiable: "Somehow" is neither DoNotSchedule nor ScheduleAnyway`},
		{
			"spread by a selector of nothing",
			spreading(func(c *outrank.TopologySpreadConstraint) {
				c.Selector = &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "a", Operator: outrank.In}}}
			}),
			"", // v1.24 let it in
		},
		{"never", func(p *outrank.Pod) { p.PreemptionPolicy = outrank.PreemptNever }, ""},
		{"sometimes", func(p *outrank.Pod) { p.PreemptionPolicy = "Sometimes" }, `pod default/p: spec.preemptionPolicy: "Sometimes" is neither PreemptLowerPriority nor Never`},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := &outrank.Pod{Name: "p"}
			c.change(pod)
			holds(t, c.want, pod)
		})
	}
}

// holds checks a pod by itself and in a cluster.
func holds(t *testing.T, want string, pod *outrank.Pod) {
	t.Helper()
	for _, err := range []error{pod.Validate(), (&outrank.Cluster{Pods: []*outrank.Pod{pod}}).Validate()} {
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.EqualError(t, err, want)
	}
}

// Every list of amounts that a pod has is looked at, also where it is the only
// one.
func TestNegativeAmounts(t *testing.T) {
	bad := resource.MustList("cpu", "-1n")
	for want, pod := range map[string]*outrank.Pod{
		"spec.overhead.cpu":                             {Overhead: bad},
		"spec.resources.requests.cpu":                   {Resources: &resource.Requirements{Requests: bad}},
		"spec.resources.limits.cpu":                     {Resources: &resource.Requirements{Limits: bad}},
		"spec.containers[1].resources.requests.cpu":     {Containers: []outrank.Container{{}, {Requests: bad}}},
		"spec.containers[1].resources.limits.cpu":       {Containers: []outrank.Container{{}, {Limits: bad}}},
		"spec.initContainers[0].resources.requests.cpu": {InitContainers: []outrank.Container{{Requests: bad}}},
		"spec.initContainers[0].resources.limits.cpu":   {InitContainers: []outrank.Container{{Limits: bad}}},
	} {
		pod.Name = "p"
		holds(t, "pod default/p: "+want+": -1n is negative", pod)
	}
	// A kubelet may report what it wants (rule 26.2.1).
	for _, cs := range [][]outrank.Container{{{Allocated: bad}}, {{Actual: bad}}} {
		require.NoError(t, (&outrank.Pod{Name: "p", Allocated: bad, Actual: bad, Containers: cs, InitContainers: cs}).Validate())
	}
	node := &outrank.Node{Name: "n", Allocatable: bad}
	for _, err := range []error{node.Validate(), (&outrank.Cluster{Nodes: []*outrank.Node{node}}).Validate()} {
		assert.EqualError(t, err, "node n: status.allocatable.cpu: -1n is negative")
	}
}

// A nomination is odd only where a pending pod has it.
func TestWarningsOfNominations(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n"}},
		Pods: []*outrank.Pod{
			{Name: "runs", NodeName: "n", NominatedNode: "gone"},
			{Name: "waits", NominatedNode: "gone"},
			{Name: "lost", NodeName: "gone", NominatedNode: "gone"},
			{Name: "free"},
		},
	}
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.String())
	}
	assert.Equal(t, []string{
		`pod default/waits: status.nominatedNodeName: no node "gone"; the nomination has no effect`,
		`pod default/lost: spec.nodeName: no node "gone"; the pod counts nowhere`,
	}, got)
}
