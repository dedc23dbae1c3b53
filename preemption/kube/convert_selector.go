package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// selector converts a label selector. Nil stays nil, because it means something else than an empty selector.
func (cv *converter) selector(w *manifest.LabelSelector) *outrank.LabelSelector {
	if w == nil {
		return nil
	}
	s := &outrank.LabelSelector{MatchLabels: cv.labels(w.MatchLabels)}
	for _, r := range w.MatchExpressions {
		s.MatchExpressions = append(s.MatchExpressions, outrank.Requirement{Key: cv.text(r.Key), Operator: outrank.Operator(cv.text(r.Operator)), Values: cv.list(r.Values)})
	}
	return s
}

// nodeSelector converts the required terms of a node affinity.
func (cv *converter) nodeSelector(w *manifest.NodeSelector) *outrank.NodeSelector {
	if w == nil {
		return nil
	}
	s := &outrank.NodeSelector{}
	for _, t := range w.NodeSelectorTerms {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, cv.nodeTerm(&t))
	}
	return s
}

// nodeTerm converts a term of a node affinity.
func (cv *converter) nodeTerm(w *manifest.NodeSelectorTerm) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchExpressions: cv.nodeRequirements(w.MatchExpressions), MatchFields: cv.nodeRequirements(w.MatchFields)}
}

// nodeRequirements converts requirements on the labels or fields of nodes.
func (cv *converter) nodeRequirements(rs []manifest.Requirement) []outrank.NodeRequirement {
	var out []outrank.NodeRequirement
	for _, r := range rs {
		out = append(out, outrank.NodeRequirement{Key: cv.text(r.Key), Operator: outrank.Operator(cv.text(r.Operator)), Values: cv.list(r.Values)})
	}
	return out
}

// affinity converts the required terms. The method preferences converts the preferred ones.
func (cv *converter) affinity(w *manifest.Affinity) outrank.Affinity {
	var a outrank.Affinity
	if w.NodeAffinity != nil {
		a.NodeAffinity = cv.nodeSelector(w.NodeAffinity.Required)
	}
	if w.PodAffinity != nil {
		a.PodAffinity = cv.podTerms(w.PodAffinity.Required)
	}
	if w.PodAntiAffinity != nil {
		a.PodAntiAffinity = cv.podTerms(w.PodAntiAffinity.Required)
	}
	return a
}

// podTerms converts the required terms of a pod affinity or anti-affinity.
func (cv *converter) podTerms(ts []manifest.PodAffinityTerm) []outrank.PodAffinityTerm {
	var out []outrank.PodAffinityTerm
	for i := range ts {
		out = append(out, cv.podTerm(&ts[i]))
	}
	return out
}

// podTerm converts a term of a pod affinity or anti-affinity.
func (cv *converter) podTerm(w *manifest.PodAffinityTerm) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector:     cv.selector(w.LabelSelector),
		Namespaces:        cv.list(w.Namespaces),
		NamespaceSelector: cv.selector(w.NamespaceSelector),
		TopologyKey:       cv.text(w.TopologyKey),
		MatchLabelKeys:    cv.list(w.MatchLabelKeys),
		MismatchLabelKeys: cv.list(w.MismatchLabelKeys),
	}
}

// spread converts a topology spread constraint.
func (cv *converter) spread(w *manifest.Spread) outrank.TopologySpreadConstraint {
	c := outrank.TopologySpreadConstraint{
		MaxSkew: w.MaxSkew, TopologyKey: cv.text(w.TopologyKey),
		WhenUnsatisfiable:  outrank.UnsatisfiablePolicy(cv.text(w.WhenUnsatisfiable)),
		LabelSelector:      cv.selector(w.LabelSelector),
		NodeAffinityPolicy: outrank.NodeInclusionPolicy(cv.text(w.NodeAffinityPolicy)),
		NodeTaintsPolicy:   outrank.NodeInclusionPolicy(cv.text(w.NodeTaintsPolicy)),
		MatchLabelKeys:     cv.list(w.MatchLabelKeys),
	}
	if w.MinDomains != nil {
		c.MinDomains = *w.MinDomains
	}
	return c
}
