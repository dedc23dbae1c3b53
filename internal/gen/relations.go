package gen

import (
	"github.com/outrank-go/outrank"
	"pgregory.net/rapid"
)

// selector draws a valid label selector, among them nil, which picks nothing,
// and an empty one, which picks everything.
func selector(t *rapid.T) *outrank.LabelSelector {
	expression := func(op outrank.Operator, key string, values ...string) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchExpressions: []outrank.Requirement{{Key: key, Operator: op, Values: values}}}
	}
	return pick(t, "selector",
		&outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		&outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		&outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		&outrank.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
		&outrank.LabelSelector{MatchLabels: map[string]string{"app": "web", "tier": "front"}},
		expression(outrank.In, "tier", "front", "back"),
		expression(outrank.NotIn, "app", "db"),
		expression(outrank.Exists, "tier"),
		expression(outrank.DoesNotExist, "tier"),
		&outrank.LabelSelector{},
		nil,
	)
}

// brokenSelectors are selectors that mean nothing; a budget with one covers no
// pod.
func brokenSelectors() []*outrank.LabelSelector {
	broken := func(r outrank.Requirement) *outrank.LabelSelector {
		return &outrank.LabelSelector{MatchLabels: map[string]string{"app": "web"}, MatchExpressions: []outrank.Requirement{r}}
	}
	return []*outrank.LabelSelector{
		broken(outrank.Requirement{Key: "app", Operator: outrank.In}),
		broken(outrank.Requirement{Key: "app", Operator: outrank.Exists, Values: []string{"web"}}),
		broken(outrank.Requirement{Key: "app", Operator: "in", Values: []string{"web"}}),
		broken(outrank.Requirement{Key: "-app", Operator: outrank.Exists}),
	}
}

func topologyKey(t *rapid.T) string {
	return pick(t, "topology key", hostnameKey, zoneKey, hostnameKey, zoneKey, rackKey)
}

// podTerms draws terms for one pod in so many.
func podTerms(t *rapid.T, label string, n int) []outrank.PodAffinityTerm {
	if !oneIn(t, label, n) {
		return nil
	}
	return rapid.SliceOfN(rapid.Custom(podTerm), 1, 2).Draw(t, "terms")
}

func podTerm(t *rapid.T) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector:     selector(t),
		TopologyKey:       topologyKey(t),
		Namespaces:        pick(t, "namespaces", nil, nil, nil, []string{"default"}, []string{"team-a", "team-b"}),
		NamespaceSelector: namespaceSelector(t),
		MatchLabelKeys:    pick(t, "match label keys", nil, nil, nil, []string{"tier"}, []string{"app", "absent"}),
		MismatchLabelKeys: pick(t, "mismatch label keys", nil, nil, nil, nil, []string{"tier"}),
	}
}

func namespaceSelector(t *rapid.T) *outrank.LabelSelector {
	return pick(t, "namespace selector", nil, nil, nil,
		&outrank.LabelSelector{},
		&outrank.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
		&outrank.LabelSelector{MatchExpressions: []outrank.Requirement{
			{Key: "env", Operator: outrank.NotIn, Values: []string{"prod"}},
		}},
	)
}

// spreadConstraint draws a constraint for a pod with these labels, which mostly
// spreads the pods like it.
func spreadConstraint(t *rapid.T, own map[string]string) outrank.TopologySpreadConstraint {
	picks := &outrank.LabelSelector{MatchLabels: own}
	if oneIn(t, "spreads others", 3) {
		picks = selector(t)
	}
	return outrank.TopologySpreadConstraint{
		MaxSkew:            pick[int32](t, "max skew", 1, 1, 1, 2),
		TopologyKey:        topologyKey(t),
		WhenUnsatisfiable:  pick(t, "when unsatisfiable", outrank.DoNotSchedule, outrank.DoNotSchedule, "", outrank.ScheduleAnyway),
		LabelSelector:      picks,
		MinDomains:         pick[int32](t, "min domains", 0, 0, 1, 2, 3),
		NodeAffinityPolicy: pick(t, "affinity policy", "", outrank.NodeHonor, outrank.NodeIgnore),
		NodeTaintsPolicy:   pick(t, "taints policy", "", outrank.NodeHonor, outrank.NodeIgnore),
		MatchLabelKeys:     pick(t, "match label keys", nil, nil, nil, []string{"tier"}, []string{"app", "absent"}),
	}
}
