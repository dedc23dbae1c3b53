package outrank_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

func TestWarnings(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{roomy("n")},
		Pods: []*outrank.Pod{
			{Name: "ok", NodeName: "n"}, {Name: "lost", NodeName: "gone"},
			{Name: "hopeful", NominatedNodeName: "gone"}, {Name: "fine", NominatedNodeName: "n"},
		},
		Budgets: []*outrank.PodDisruptionBudget{
			{Name: "nil selector"},
			{Name: "b", Selector: &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: "Near"}}}},
		},
	}
	require.NoError(t, c.Validate(), "the real system lives with all of this")
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.String())
	}
	assert.Equal(t, []string{
		`pod default/lost: spec.nodeName: no node "gone"; the pod counts nowhere`,
		`pod default/hopeful: status.nominatedNodeName: no node "gone"; the nomination has no effect`,
		`poddisruptionbudget default/b: spec.selector.matchExpressions[0].operator: "Near" is none of In, NotIn, Exists, DoesNotExist; the budget covers nothing`,
	}, got)
}

func TestValidateNils(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{nil}, Pods: []*outrank.Pod{nil}, Budgets: []*outrank.PodDisruptionBudget{nil},
		Classes: []*outrank.PriorityClass{nil}, Namespaces: []*outrank.Namespace{nil},
	}
	var invalid *outrank.InputError
	require.ErrorAs(t, c.Validate(), &invalid)
	assert.Len(t, invalid.Problems, 5, "%v", invalid)
	assert.Empty(t, c.Warnings())
	for _, err := range []error{(*outrank.Cluster)(nil).Validate(), (*outrank.Node)(nil).Validate(), (*outrank.Pod)(nil).Validate()} {
		assert.ErrorIs(t, err, outrank.ErrInvalid)
	}
}

// A budget may allow no disruption, and not less than that.
func TestBudgetRules(t *testing.T) {
	for allowed, want := range map[int32]string{
		1: "", 0: "", -1: "poddisruptionbudget default/b: status.disruptionsAllowed: -1 is negative",
	} {
		err := (&outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b", DisruptionsAllowed: allowed}}}).Validate()
		if want == "" {
			assert.NoError(t, err, "%d", allowed)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}

// onNodes demands one thing of the labels of a node.
func onNodes(op outrank.Operator, values ...string) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchExpressions: []outrank.NodeRequirement{{Key: "gen", Operator: op, Values: values}},
		}}}
	}
}

// onFields demands one thing of the fields of a node.
func onFields(key string, op outrank.Operator, values ...string) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		p.Affinity.NodeAffinity = &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
			MatchFields: []outrank.NodeRequirement{{Key: key, Operator: op, Values: values}},
		}}}
	}
}

func spreading(change func(c *outrank.TopologySpreadConstraint)) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		c := outrank.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: "zone"}
		change(&c)
		p.TopologySpreadConstraints = []outrank.TopologySpreadConstraint{c}
	}
}

func tolerating(t outrank.Toleration) func(p *outrank.Pod) {
	return func(p *outrank.Pod) { p.Tolerations = []outrank.Toleration{t} }
}

// asAWhole has the pod as a whole ask for 1 of each resource, or be limited to that.
func asAWhole(list string, names ...resource.Name) func(p *outrank.Pod) {
	return func(p *outrank.Pod) {
		l := resource.List{}
		for _, name := range names {
			l[name] = resource.New(1)
		}
		p.Resources = &resource.Requirements{Requests: l}
		if list == "limits" {
			p.Resources = &resource.Requirements{Limits: l}
		}
	}
}

// Each rule of a pod by itself, just within it and just outside.
func TestPodRules(t *testing.T) {
	const (
		label  = "pod default/p: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]: "
		field  = "pod default/p: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0]: "
		spread = "pod default/p: spec.topologySpreadConstraints[0]."

		keyless  = "pod default/p: spec.tolerations[0].operator: without a key it has to be Exists"
		whole    = "pod default/p: spec.resources."
		notWhole = ": a pod as a whole asks for cpu, memory and huge pages alone"
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
		{"In no label value", onNodes(outrank.In, "a b"), ""},         // let in to this day
		{"Gt no integer", onNodes(outrank.Gt, "abc"), ""},             // let in to this day
		{"Gt of a number with a sign", onNodes(outrank.Gt, "+3"), ""}, // let in before v1.25
		{"tolerates all", tolerating(outrank.Toleration{Operator: outrank.TolerationExists}), ""},
		{"tolerates all of an effect", tolerating(outrank.Toleration{Operator: outrank.TolerationExists, Effect: outrank.NoExecute}), ""},
		{"Equal without a key", tolerating(outrank.Toleration{Operator: outrank.TolerationEqual, Value: "a"}), keyless},
		{"neither key nor operator", tolerating(outrank.Toleration{Value: "a"}), keyless},
		{"an empty toleration", tolerating(outrank.Toleration{}), keyless},
		{"Gt without a key", tolerating(outrank.Toleration{Operator: "Gt", Value: "1"}), keyless},
		{"Lt with a key", tolerating(outrank.Toleration{Key: "a", Operator: "Lt", Value: "1"}), ""},
		{"an unknown operator without a key", tolerating(outrank.Toleration{Operator: "All"}), `pod default/p: spec.tolerations[0].operator: "All" is none of Equal, Exists, Lt, Gt`},
		{"requests as a whole", asAWhole("requests", "cpu", "memory", "hugepages-2Mi", "hugepages-1Gi"), ""},
		{"limits as a whole", asAWhole("limits", "cpu", "memory", "hugepages-2Mi"), ""},
		{"disk as a whole", asAWhole("requests", "ephemeral-storage"), whole + "requests.ephemeral-storage" + notWhole},
		{"disk limited as a whole", asAWhole("limits", "memory", "ephemeral-storage"), whole + "limits.ephemeral-storage" + notWhole},
		{"devices as a whole", asAWhole("requests", "cpu", "example.com/gpu"), whole + "requests.example.com/gpu" + notWhole},
		{"pods as a whole", asAWhole("limits", "pods"), whole + "limits.pods" + notWhole},
		{"no label key", func(p *outrank.Pod) {
			onNodes(outrank.Exists)(p)
			p.Affinity.NodeAffinity.NodeSelectorTerms[0].MatchExpressions[0].Key = "a b"
		}, label + `"a b" is not a label key`},
		{"an unknown operator", onNodes("Near", "a"), label + `"Near" is none of In, NotIn, Exists, DoesNotExist, Gt, Lt`},
		{"no term at all", func(p *outrank.Pod) { p.Affinity.NodeAffinity = &outrank.NodeSelector{} }, ""}, // matches nothing
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
				c.LabelSelector = &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.In}}}
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

// Every list of amounts of a pod is checked, also where it is the only one.
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
	// A kubelet may report any amount (rule 26.2.1).
	for _, cs := range [][]outrank.Container{{{AllocatedResources: bad}}, {{Actual: bad}}} {
		require.NoError(t, (&outrank.Pod{Name: "p", AllocatedResources: bad, Actual: bad, Containers: cs, InitContainers: cs}).Validate())
	}
	node := &outrank.Node{Name: "n", Allocatable: bad}
	for _, err := range []error{node.Validate(), (&outrank.Cluster{Nodes: []*outrank.Node{node}}).Validate()} {
		assert.EqualError(t, err, "node n: status.allocatable.cpu: -1n is negative")
	}
}

// A nomination is odd only where a pending pod has it.
func TestWarningsOfNominations(t *testing.T) {
	c := &outrank.Cluster{
		Nodes: []*outrank.Node{roomy("n")},
		Pods: []*outrank.Pod{
			{Name: "runs", NodeName: "n", NominatedNodeName: "gone"},
			{Name: "waits", NominatedNodeName: "gone"},
			{Name: "lost", NodeName: "gone", NominatedNodeName: "gone"},
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

// kinds adds an object of each kind, called x, to a cluster.
var kinds = []struct {
	name string
	add  func(c *outrank.Cluster)
}{
	{"node x", func(c *outrank.Cluster) { c.Nodes = append(c.Nodes, &outrank.Node{Name: "x"}) }},
	{"pod default/x", func(c *outrank.Cluster) { c.Pods = append(c.Pods, &outrank.Pod{Name: "x"}) }},
	{"poddisruptionbudget default/x", func(c *outrank.Cluster) {
		c.Budgets = append(c.Budgets, &outrank.PodDisruptionBudget{Name: "x"})
	}},
	{"priorityclass x", func(c *outrank.Cluster) { c.Classes = append(c.Classes, &outrank.PriorityClass{Name: "x"}) }},
	{"namespace x", func(c *outrank.Cluster) { c.Namespaces = append(c.Namespaces, &outrank.Namespace{Name: "x"}) }},
	{"persistentvolumeclaim default/x", func(c *outrank.Cluster) {
		c.Claims = append(c.Claims, &outrank.VolumeClaim{Name: "x"})
	}},
	{"podgroup default/x", func(c *outrank.Cluster) { c.Groups = append(c.Groups, &outrank.PodGroup{Name: "x"}) }},
	{"compositepodgroup default/x", func(c *outrank.Cluster) {
		c.Composites = append(c.Composites, &outrank.CompositePodGroup{Name: "x"})
	}},
	{"workload default/x", func(c *outrank.Cluster) { c.Workloads = append(c.Workloads, &outrank.Workload{Name: "x"}) }},
}

// Names need to differ among the objects of one kind alone.
func TestSameName(t *testing.T) {
	all := &outrank.Cluster{}
	for _, kind := range kinds {
		kind.add(all)
	}
	require.NoError(t, all.Validate(), "objects of different kinds may share a name")
	for _, kind := range kinds {
		c := *all
		kind.add(&c)
		err := c.Validate()
		require.ErrorIs(t, err, outrank.ErrInvalid, kind.name)
		assert.Equal(t, kind.name+": metadata.name: there are two of this name", err.Error())
	}
}

// An empty namespace is "default", also where another object spells it out.
func TestSameNameInNamespaces(t *testing.T) {
	c := &outrank.Cluster{Pods: []*outrank.Pod{{Name: "x"}, {Name: "x", Namespace: "ops"}}}
	require.NoError(t, c.Validate())
	c.Pods = append(c.Pods, &outrank.Pod{Name: "x", Namespace: "default"})
	require.EqualError(t, c.Validate(), "pod default/x: metadata.name: there are two of this name")
}

// Ports from 0, which is none, to 65535 are ports.
func TestHostPortsInRange(t *testing.T) {
	for port, ok := range map[int32]bool{-1: false, 0: true, 1: true, 65535: true, 65536: false} {
		container := outrank.Container{Ports: []outrank.Port{{HostPort: 80}, {HostPort: port}}}
		for field, pod := range map[string]*outrank.Pod{
			"spec.containers[0]":     {Name: "p", Containers: []outrank.Container{container}},
			"spec.initContainers[0]": {Name: "p", InitContainers: []outrank.Container{container}},
		} {
			err := pod.Validate()
			inCluster := (&outrank.Cluster{Pods: []*outrank.Pod{pod}}).Validate()
			if ok {
				require.NoError(t, err, "%d", port)
				require.NoError(t, inCluster, "%d", port)
				continue
			}
			want := fmt.Sprintf("pod default/p: %s.ports[1].hostPort: %d is not between 0 and 65535", field, port)
			assert.EqualError(t, err, want)
			assert.EqualError(t, inCluster, want)
		}
	}
}

// A value that no label can have is let in by old API servers, and so is any
// selector of a spread constraint: the pod is read, and a warning says so. As a
// preemptor it is refused (see package preemption).
func TestSelectorsThatMatchNothing(t *testing.T) {
	odd := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.NotIn, Values: []string{"b c"}}}}
	bad := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: "Near"}}}
	c := &outrank.Cluster{Namespaces: []*outrank.Namespace{{Name: "default"}}, Pods: []*outrank.Pod{{
		Name:                      "p",
		Affinity:                  outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{{TopologyKey: "zone", LabelSelector: odd}}, PodAntiAffinity: []outrank.PodAffinityTerm{{TopologyKey: "zone", NamespaceSelector: odd}}},
		TopologySpreadConstraints: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", LabelSelector: bad}},
	}, nil}}
	assert.NoError(t, c.Pods[0].Validate())
	var got []string
	for _, w := range c.Warnings() {
		got = append(got, w.String())
	}
	assert.Equal(t, []string{
		`pod default/p: spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values[0]: "b c" is not a label value; the selector matches nothing`,
		`pod default/p: spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector.matchExpressions[0].values[0]: "b c" is not a label value; the selector matches nothing`,
		`pod default/p: spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].operator: "Near" is none of In, NotIn, Exists, DoesNotExist; the selector matches nothing`,
	}, got)
}

// Each part of a pod affinity term is checked by itself, in terms of both kinds
// and also behind a good one.
func TestPodTermRules(t *testing.T) {
	bad := &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: "a", Operator: outrank.Exists, Values: []string{"v"}}}}
	for _, c := range []struct {
		term outrank.PodAffinityTerm
		want string
	}{
		{outrank.PodAffinityTerm{TopologyKey: "zone", LabelSelector: bad}, "labelSelector.matchExpressions[0].operator: Exists takes no values"},
		{outrank.PodAffinityTerm{TopologyKey: "zone", NamespaceSelector: bad}, "namespaceSelector.matchExpressions[0].operator: Exists takes no values"},
		{outrank.PodAffinityTerm{}, "topologyKey: missing"},
		{outrank.PodAffinityTerm{TopologyKey: "-"}, `topologyKey: "-" is not a label key`},
		{outrank.PodAffinityTerm{TopologyKey: "A_B/zone"}, `topologyKey: "A_B/zone" has a prefix that is not a DNS subdomain`},
	} {
		terms := []outrank.PodAffinityTerm{{TopologyKey: "zone"}, c.term}
		for at, affinity := range map[string]outrank.Affinity{
			"podAffinity": {PodAffinity: terms}, "podAntiAffinity": {PodAntiAffinity: terms},
		} {
			pod := &outrank.Pod{Name: "p", Affinity: affinity}
			err := pod.Validate()
			assert.ErrorIs(t, err, outrank.ErrInvalid)
			assert.EqualError(t, err, "pod default/p: spec.affinity."+at+".requiredDuringSchedulingIgnoredDuringExecution[1]."+c.want)
		}
	}
}

// A wish weighs from 1 to 100, also behind a good one, and its term is held to what a demand is held to.
func TestWishesOfPods(t *testing.T) {
	wish := func(weight int32, key string) *outrank.Preferences {
		affinity := []outrank.WeightedPodAffinityTerm{
			{Weight: 1, PodAffinityTerm: outrank.PodAffinityTerm{TopologyKey: "zone"}}, {Weight: weight, PodAffinityTerm: outrank.PodAffinityTerm{TopologyKey: key}},
		}
		node := outrank.NodeSelectorTerm{MatchExpressions: []outrank.NodeRequirement{{Key: key, Operator: outrank.Exists}}}
		return &outrank.Preferences{
			NodeAffinity: []outrank.PreferredSchedulingTerm{{Weight: 100}, {Weight: weight, Preference: node}}, PodAffinity: affinity, PodAntiAffinity: affinity,
		}
	}
	problems := func(p *outrank.Preferences) (fields []string) {
		var wrong *outrank.InputError
		if errors.As((&outrank.Pod{Name: "p", Preferences: p}).Validate(), &wrong) {
			for _, problem := range wrong.Problems {
				fields = append(fields, problem.Field)
			}
		}
		return fields
	}
	const preferred = ".preferredDuringSchedulingIgnoredDuringExecution[1]."
	for _, weight := range []int32{1, 100} {
		assert.Empty(t, problems(wish(weight, "zone")))
	}
	for _, weight := range []int32{-1, 0, 101} {
		assert.Equal(t, []string{
			"spec.affinity.nodeAffinity" + preferred + "weight", "spec.affinity.podAffinity" + preferred + "weight", "spec.affinity.podAntiAffinity" + preferred + "weight",
		}, problems(wish(weight, "zone")), "%d", weight)
	}
	assert.Equal(t, []string{
		"spec.affinity.nodeAffinity" + preferred + "preference.matchExpressions[0]",
		"spec.affinity.podAffinity" + preferred + "podAffinityTerm.topologyKey", "spec.affinity.podAntiAffinity" + preferred + "podAffinityTerm.topologyKey",
	}, problems(wish(1, "-")))
}
