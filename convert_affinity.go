package outrank

import "github.com/outrank-go/outrank/internal/manifest"

func (cv *converter) affinity(w *manifest.Affinity) Affinity {
	var a Affinity
	if w.NodeAffinity != nil {
		a.Node = cv.nodeSelector(w.NodeAffinity.Required)
	}
	if w.PodAffinity != nil {
		a.Pods = cv.podTerms(w.PodAffinity.Required)
	}
	if w.PodAntiAffinity != nil {
		a.AntiPods = cv.podTerms(w.PodAntiAffinity.Required)
	}
	return a
}

func (cv *converter) nodeSelector(w *manifest.NodeSelector) *NodeSelector {
	if w == nil {
		return nil
	}
	s := &NodeSelector{}
	for _, t := range w.NodeSelectorTerms {
		s.Terms = append(s.Terms, NodeSelectorTerm{
			Labels: cv.nodeRequirements(t.MatchExpressions),
			Fields: cv.nodeRequirements(t.MatchFields),
		})
	}
	return s
}

func (cv *converter) nodeRequirements(rs []manifest.Requirement) []NodeRequirement {
	var out []NodeRequirement
	for _, r := range rs {
		out = append(out, NodeRequirement{cv.text(r.Key), Operator(cv.text(r.Operator)), cv.list(r.Values)})
	}
	return out
}

func (cv *converter) podTerms(ts []manifest.PodAffinityTerm) []PodAffinityTerm {
	var out []PodAffinityTerm
	for _, t := range ts {
		out = append(out, PodAffinityTerm{
			Selector:          cv.selector(t.LabelSelector),
			Namespaces:        cv.list(t.Namespaces),
			NamespaceSelector: cv.selector(t.NamespaceSelector),
			TopologyKey:       cv.text(t.TopologyKey),
			MatchLabelKeys:    cv.list(t.MatchLabelKeys),
			MismatchLabelKeys: cv.list(t.MismatchLabelKeys),
		})
	}
	return out
}

func (cv *converter) spread(w *manifest.Spread) TopologySpreadConstraint {
	c := TopologySpreadConstraint{
		MaxSkew: w.MaxSkew, TopologyKey: cv.text(w.TopologyKey),
		WhenUnsatisfiable:  UnsatisfiablePolicy(cv.text(w.WhenUnsatisfiable)),
		Selector:           cv.selector(w.LabelSelector),
		NodeAffinityPolicy: NodeInclusionPolicy(cv.text(w.NodeAffinityPolicy)),
		NodeTaintsPolicy:   NodeInclusionPolicy(cv.text(w.NodeTaintsPolicy)),
		MatchLabelKeys:     cv.list(w.MatchLabelKeys),
	}
	if w.MinDomains != nil {
		c.MinDomains = *w.MinDomains
	}
	return c
}

func (cv *converter) selector(w *manifest.LabelSelector) *LabelSelector {
	if w == nil {
		return nil
	}
	s := &LabelSelector{Labels: cv.labels(w.MatchLabels)}
	for _, r := range w.MatchExpressions {
		s.Expressions = append(s.Expressions, Requirement{cv.text(r.Key), Operator(cv.text(r.Operator)), cv.list(r.Values)})
	}
	return s
}
