package outrank_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// roomy is a node that says how many pods it takes.
func roomy(name string) *outrank.Node {
	return &outrank.Node{Name: name, Allocatable: resource.MustList("pods", "10")}
}

// warningsOf returns the warnings about a valid cluster as text.
func warningsOf(t *testing.T, c *outrank.Cluster) []string {
	t.Helper()
	require.NoError(t, c.Validate())
	return textsOf(c.Warnings())
}

// What a cluster always has, and an object of one's own may lack, is told.
func TestWarningsOfWhatIsAbsent(t *testing.T) {
	one := &outrank.IntOrPercent{Value: 1}
	for _, test := range []struct {
		name string
		c    outrank.Cluster
		want []string
	}{
		{"a node without a number of pods", outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("cpu", "4")}, roomy("m")}},
			[]string{"node n: status.allocatable.pods: missing; the node takes no pod"}},
		{"a node for 0 pods says so", outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: resource.MustList("pods", "0")}}}, nil},

		{"a phase that does not exist", outrank.Cluster{Pods: []*outrank.Pod{{Name: "p", Phase: "runing"}}},
			[]string{`pod default/p: status.phase: "runing" is none of Pending, Running, Succeeded, Failed, Unknown; the pod counts as one that has not ended`}},
		{"phases that exist", outrank.Cluster{Pods: []*outrank.Pod{{Name: "p", Phase: outrank.PhasePending}, {Name: "q", Phase: "Unknown"}, {Name: "r"}}}, nil},

		{"a class without a priority", outrank.Cluster{Pods: []*outrank.Pod{{Name: "p", PriorityClassName: "high"}, {Name: "q", PriorityClassName: "high", Priority: outrank.Priority(0)}}},
			[]string{`pod default/p: spec.priority: missing, though there is the class "high"; it counts as 0 (package priority resolves it)`}},

		{"a budget without a status", outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b", MinAvailable: one}, {Name: "c", MaxUnavailable: one}}},
			[]string{
				"poddisruptionbudget default/b: status: missing; the budget allows 0 evictions (pdb.Fill computes it from the spec)",
				"poddisruptionbudget default/c: status: missing; the budget allows 0 evictions (pdb.Fill computes it from the spec)",
			}},
		{"any figure is a status", outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{
			{Name: "a", MinAvailable: one, DisruptionsAllowed: 1}, {Name: "b", MinAvailable: one, DesiredHealthy: 1}, {Name: "c", MinAvailable: one, CurrentHealthy: 1},
			{Name: "d", MinAvailable: one, DisruptedPods: map[string]time.Time{"p": {}}},
		}}, nil},
		{"a controller has counted nothing", outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b", MaxUnavailable: one, ObservedGeneration: 1}}}, nil},
		{"a budget without a spec allows nothing", outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b"}}}, nil},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, warningsOf(t, &test.c)) })
	}
}

// The priority of a group counts from v1.37 on with its gate, and is missed there alone.
func TestWarningsOfGroupsWithoutPriority(t *testing.T) {
	c := &outrank.Cluster{
		Groups:     []*outrank.PodGroup{{Name: "g", PriorityClassName: "high"}, {Name: "h", PriorityClassName: "high", Priority: outrank.Priority(1)}},
		Composites: []*outrank.CompositePodGroup{{Name: "g", PriorityClassName: "high"}, {Name: "h"}},
	}
	assert.Empty(t, warningsOf(t, c))

	var err error
	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
	require.NoError(t, err)
	pods := `podgroup default/g: spec.priority: missing, though there is the class "high"; it counts as 0 (package priority resolves it)`
	assert.Equal(t, []string{pods}, warningsOf(t, c))

	c.Release, err = outrank.V1_37.With(map[string]bool{"GenericWorkload": true, "CompositePodGroup": true})
	require.NoError(t, err)
	assert.Equal(t, []string{pods, "composite" + pods}, warningsOf(t, c))
}

// A claim that is nowhere keeps a pod from no node, though a cluster would not schedule the pod.
func TestWarningsOfClaims(t *testing.T) {
	using := func(name string, vs ...outrank.Volume) *outrank.Pod { return &outrank.Pod{Name: name, Volumes: vs} }
	c := &outrank.Cluster{Pods: []*outrank.Pod{
		using("p", outrank.Volume{Claim: "there"}, outrank.Volume{Claim: "gone"}), using("q", outrank.Volume{Claim: "there"}), nil,
		using("ephemeral", outrank.Volume{Claim: "ephemeral-v", Ephemeral: true}), using("disk", outrank.Volume{Disk: outrank.Disk{Kind: outrank.ISCSI, ID: "x"}}),
		using("resolved", outrank.Volume{Claim: "gone", Driver: "d"}), {Name: "ended", Phase: outrank.PhaseFailed, Volumes: []outrank.Volume{{Claim: "gone"}}},
	}}
	assert.Equal(t, []string{"cluster: Claims: there are none, and the claims of 2 pods, such as default/p, keep them from no node"}, textsOf(c.Warnings()))

	c.Claims = []*outrank.VolumeClaim{{Name: "there"}, nil, {Name: "gone", Namespace: "other"}}
	assert.Equal(t, []string{`pod default/p: spec.volumes: no claim "gone"; it keeps the pod from no node, and a cluster without it schedules no such pod`}, textsOf(c.Warnings()))
}

// The labels of namespaces are missed where a pod selects by them.
func TestWarningsOfNamespaces(t *testing.T) {
	selecting := func(s *outrank.LabelSelector) outrank.PodAffinityTerm {
		return outrank.PodAffinityTerm{TopologyKey: "zone", LabelSelector: s, NamespaceSelector: s}
	}
	team := &outrank.LabelSelector{MatchLabels: map[string]string{"team": "a"}}
	const want = "namespace shop: metadata.labels: the namespace is not in the cluster; it counts as having no labels, and pods select namespaces by them"
	for _, test := range []struct {
		name string
		pod  outrank.Pod
		want []string
	}{
		{"no term", outrank.Pod{}, nil},
		{"an empty selector needs no labels", outrank.Pod{Affinity: outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{selecting(&outrank.LabelSelector{})}}}, nil},
		{"affinity", outrank.Pod{Affinity: outrank.Affinity{PodAffinity: []outrank.PodAffinityTerm{selecting(team)}}}, []string{want}},
		{"anti-affinity", outrank.Pod{Affinity: outrank.Affinity{PodAntiAffinity: []outrank.PodAffinityTerm{selecting(team)}}}, []string{want}},
		{"preferred", outrank.Pod{Preferences: &outrank.Preferences{PodAffinity: []outrank.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: selecting(team)}}}}, []string{want}},
		{"preferred apart", outrank.Pod{Preferences: &outrank.Preferences{PodAntiAffinity: []outrank.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: selecting(team)}}}}, []string{want}},
	} {
		t.Run(test.name, func(t *testing.T) {
			pod := test.pod
			pod.Name = "p"
			c := &outrank.Cluster{Pods: []*outrank.Pod{&pod, {Name: "a", Namespace: "shop"}, {Name: "b", Namespace: "shop"}}, Namespaces: []*outrank.Namespace{nil, {Name: "default"}}}
			assert.Equal(t, test.want, textsOf(c.Warnings()))
		})
	}
}

// What the reader of a dump did not follow is told with the rest.
func TestWarningsOfUnreadFields(t *testing.T) {
	c := &outrank.Cluster{Unread: []outrank.Problem{{Object: "node n", Field: "spec.new", Text: "not followed"}}}
	assert.Equal(t, []string{"node n: spec.new: not followed"}, textsOf(c.Warnings()))
}

// textsOf returns problems as text.
func textsOf(ps []outrank.Problem) (texts []string) {
	for _, p := range ps {
		texts = append(texts, p.String())
	}
	return texts
}

// An API server lets in one figure at most, and no more than all pods.
func TestFiguresOfBudgets(t *testing.T) {
	number := func(n int32) *outrank.IntOrPercent { return &outrank.IntOrPercent{Value: n} }
	percent := func(n int32) *outrank.IntOrPercent { return &outrank.IntOrPercent{Value: n, Percent: true} }
	for _, test := range []struct {
		name     string
		min, max *outrank.IntOrPercent
		want     string
	}{
		{"neither", nil, nil, ""},
		{"none has to stay", number(0), nil, ""},
		{"all may go", nil, percent(100), ""},
		{"more than there are", number(101), nil, ""},
		{"both", number(1), number(1), "poddisruptionbudget default/b: spec: minAvailable and maxUnavailable are both set"},
		{"a negative number", number(-1), nil, "poddisruptionbudget default/b: spec.minAvailable: -1 is negative"},
		{"a negative share", nil, percent(-1), "poddisruptionbudget default/b: spec.maxUnavailable: -1 is negative"},
		{"more than all", nil, percent(101), "poddisruptionbudget default/b: spec.maxUnavailable: 101% is more than 100%"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := (&outrank.Cluster{Budgets: []*outrank.PodDisruptionBudget{{Name: "b", MinAvailable: test.min, MaxUnavailable: test.max}}}).Validate()
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.want)
			}
		})
	}
}
