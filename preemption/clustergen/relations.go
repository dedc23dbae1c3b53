package clustergen

import (
	"math/rand/v2"

	"github.com/outrank-go/outrank"
)

// selector draws a valid label selector, among them nil, which picks nothing,
// and an empty one, which picks everything.
func selector(r *rand.Rand) *outrank.LabelSelector {
	labels := func(set map[string]string) *outrank.LabelSelector { return &outrank.LabelSelector{MatchLabels: set} }
	expression := func(key string, op outrank.Operator, values ...string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
	}
	switch r.IntN(11) {
	case 0, 1, 2:
		return labels(map[string]string{"app": "web"})
	case 3:
		return labels(map[string]string{"app": "db"})
	case 4:
		return labels(map[string]string{"app": "web", "tier": "front"})
	case 5:
		return expression("tier", outrank.In, "front", "back")
	case 6:
		return expression("app", outrank.NotIn, "db")
	case 7:
		return expression("tier", outrank.Exists)
	case 8:
		return expression("tier", outrank.DoesNotExist)
	case 9:
		return &outrank.LabelSelector{}
	}
	return nil
}

// brokenSelector draws a selector that means nothing; a budget with it covers no
// pod.
func brokenSelector(r *rand.Rand) *outrank.LabelSelector {
	return &outrank.LabelSelector{
		MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []outrank.Requirement{pick(r,
			outrank.Requirement{Key: "app", Operator: outrank.In},
			outrank.Requirement{Key: "app", Operator: outrank.Exists, Values: []string{"web"}},
			outrank.Requirement{Key: "app", Operator: "in", Values: []string{"web"}},
			outrank.Requirement{Key: "-app", Operator: outrank.Exists},
		)},
	}
}

func topologyKey(r *rand.Rand) string {
	return pick(r, hostnameKey, zoneKey, hostnameKey, zoneKey, rackKey)
}

// addPodTerms gives every third pod anti-affinity, and every sixth affinity.
func addPodTerms(r *rand.Rand, p *outrank.Pod) {
	if oneIn(r, 3) {
		p.Affinity.PodAntiAffinity = several(r, 1, 2, podTerm)
	}
	if oneIn(r, 6) {
		p.Affinity.PodAffinity = several(r, 1, 2, podTerm)
	}
}

func podTerm(r *rand.Rand) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector:     selector(r),
		TopologyKey:       topologyKey(r),
		Namespaces:        pick(r, nil, nil, nil, []string{"default"}, []string{"team-a", "team-b"}),
		NamespaceSelector: namespaceSelector(r),
		MatchLabelKeys:    labelKeys(r),
		MismatchLabelKeys: pick(r, nil, nil, nil, nil, []string{"tier"}),
	}
}

func namespaceSelector(r *rand.Rand) *outrank.LabelSelector {
	return pick(r, nil, nil, nil,
		&outrank.LabelSelector{},
		&outrank.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
		&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{
			{Key: "env", Operator: outrank.NotIn, Values: []string{"prod"}},
		}},
	)
}

// labelKeys are mostly none.
func labelKeys(r *rand.Rand) []string {
	return pick(r, nil, nil, nil, []string{"tier"}, []string{"app", "absent"})
}

// spreadConstraint draws a constraint for a pod with these labels, which mostly
// spreads the pods like it.
func spreadConstraint(r *rand.Rand, own map[string]string) outrank.TopologySpreadConstraint {
	picks := &outrank.LabelSelector{MatchLabels: own}
	if oneIn(r, 3) {
		picks = selector(r)
	}
	return outrank.TopologySpreadConstraint{
		MaxSkew:            pick[int32](r, 1, 1, 1, 2),
		TopologyKey:        topologyKey(r),
		WhenUnsatisfiable:  pick(r, outrank.DoNotSchedule, outrank.DoNotSchedule, "", outrank.ScheduleAnyway),
		LabelSelector:      picks,
		MinDomains:         pick[int32](r, 0, 0, 1, 2, 3),
		NodeAffinityPolicy: pick(r, "", outrank.NodeHonor, outrank.NodeIgnore),
		NodeTaintsPolicy:   pick(r, "", outrank.NodeHonor, outrank.NodeIgnore),
		MatchLabelKeys:     labelKeys(r),
	}
}
