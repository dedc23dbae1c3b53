package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

// A value that no label can have is let in by old API servers, and so is any
// selector of a spread constraint: the pod is read, and a warning says so. As a
// preemptor it is refused (see package preemption).
func TestSelectorsThatMatchNothing(t *testing.T) {
	odd := &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "a", Operator: outrank.NotIn, Values: []string{"b c"}}}}
	bad := &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "a", Operator: "Near"}}}
	c := &outrank.Cluster{Pods: []*outrank.Pod{{
		Name:           "p",
		Affinity:       outrank.Affinity{Pods: []outrank.PodAffinityTerm{{TopologyKey: "zone", Selector: odd}}, AntiPods: []outrank.PodAffinityTerm{{TopologyKey: "zone", NamespaceSelector: odd}}},
		TopologySpread: []outrank.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", Selector: bad}},
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

// Each part of a pod affinity term is looked at by itself, in terms of both
// kinds and also behind a good one.
func TestPodTermRules(t *testing.T) {
	bad := &outrank.LabelSelector{Expressions: []outrank.Requirement{{Key: "a", Operator: outrank.Exists, Values: []string{"v"}}}}
	for _, c := range []struct {
		term outrank.PodAffinityTerm
		want string
	}{
		{outrank.PodAffinityTerm{TopologyKey: "zone", Selector: bad}, "labelSelector.matchExpressions[0].operator: Exists takes no values"},
		{outrank.PodAffinityTerm{TopologyKey: "zone", NamespaceSelector: bad}, "namespaceSelector.matchExpressions[0].operator: Exists takes no values"},
		{outrank.PodAffinityTerm{}, "topologyKey: missing"},
		{outrank.PodAffinityTerm{TopologyKey: "-"}, `topologyKey: "-" is not a label key`},
		{outrank.PodAffinityTerm{TopologyKey: "A_B/zone"}, `topologyKey: "A_B/zone" has a prefix that is not a DNS subdomain`},
	} {
		terms := []outrank.PodAffinityTerm{{TopologyKey: "zone"}, c.term}
		for at, affinity := range map[string]outrank.Affinity{
			"podAffinity": {Pods: terms}, "podAntiAffinity": {AntiPods: terms},
		} {
			pod := &outrank.Pod{Name: "p", Affinity: affinity}
			err := pod.Validate()
			assert.ErrorIs(t, err, outrank.ErrInvalid)
			assert.EqualError(t, err, "pod default/p: spec.affinity."+at+".requiredDuringSchedulingIgnoredDuringExecution[1]."+c.want)
		}
	}
}
