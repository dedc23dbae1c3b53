package outrank_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

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
