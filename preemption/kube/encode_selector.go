package kube

import (
	"cmp"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// wireSelector returns the wire form of a label selector; nil stays nil.
func wireSelector(s *outrank.LabelSelector) *manifest.LabelSelector {
	if s == nil {
		return nil
	}
	w := &manifest.LabelSelector{MatchLabels: s.MatchLabels}
	for _, r := range s.MatchExpressions {
		w.MatchExpressions = append(w.MatchExpressions, manifest.Requirement{Key: r.Key, Operator: string(r.Operator), Values: r.Values})
	}
	return w
}

// wireNodeSelector returns the wire form of the required terms of a node affinity; nil stays nil.
func wireNodeSelector(s *outrank.NodeSelector) *manifest.NodeSelector {
	if s == nil {
		return nil
	}
	w := &manifest.NodeSelector{}
	for i := range s.NodeSelectorTerms {
		w.NodeSelectorTerms = append(w.NodeSelectorTerms, wireNodeTerm(&s.NodeSelectorTerms[i]))
	}
	return w
}

// wireNodeTerm returns the wire form of a term of a node affinity.
func wireNodeTerm(t *outrank.NodeSelectorTerm) manifest.NodeSelectorTerm {
	return manifest.NodeSelectorTerm{MatchExpressions: wireNodeRequirements(t.MatchExpressions), MatchFields: wireNodeRequirements(t.MatchFields)}
}

// wireNodeRequirements returns the wire form of requirements on the labels or fields of nodes. Empty values become nil.
func wireNodeRequirements(rs []outrank.NodeRequirement) []manifest.Requirement {
	var out []manifest.Requirement
	for _, r := range rs {
		w := manifest.Requirement{Key: r.Key, Operator: string(r.Operator)}
		if len(r.Values) > 0 {
			w.Values = r.Values
		}
		out = append(out, w)
	}
	return out
}

// affinity returns the wire form of an affinity that is encoded by itself. It is never nil.
func (e *encoder) affinity(a *outrank.Affinity) *manifest.Affinity {
	e.subject = "affinity"
	if w := wireAffinity(a); w != nil {
		return w
	}
	return &manifest.Affinity{}
}

// wireAffinity returns the wire form of the required terms of an affinity, or nil if there are none.
func wireAffinity(a *outrank.Affinity) *manifest.Affinity {
	var w manifest.Affinity
	if a.NodeAffinity != nil {
		w.NodeAffinity = &manifest.NodeAffinity{Required: wireNodeSelector(a.NodeAffinity)}
	}
	if len(a.PodAffinity) > 0 {
		w.PodAffinity = &manifest.PodAffinity{Required: wirePodTerms(a.PodAffinity)}
	}
	if len(a.PodAntiAffinity) > 0 {
		w.PodAntiAffinity = &manifest.PodAffinity{Required: wirePodTerms(a.PodAntiAffinity)}
	}
	if w == (manifest.Affinity{}) {
		return nil
	}
	return &w
}

// wirePodTerms returns the wire form of the terms of a pod affinity or anti-affinity.
func wirePodTerms(ts []outrank.PodAffinityTerm) []manifest.PodAffinityTerm {
	out := make([]manifest.PodAffinityTerm, len(ts))
	for i := range ts {
		out[i] = wirePodTerm(&ts[i])
	}
	return out
}

// wirePodTerm returns the wire form of a term of a pod affinity or anti-affinity.
func wirePodTerm(t *outrank.PodAffinityTerm) manifest.PodAffinityTerm {
	return manifest.PodAffinityTerm{
		LabelSelector: wireSelector(t.LabelSelector),
		Namespaces:    t.Namespaces, NamespaceSelector: wireSelector(t.NamespaceSelector),
		TopologyKey:    t.TopologyKey,
		MatchLabelKeys: t.MatchLabelKeys, MismatchLabelKeys: t.MismatchLabelKeys,
	}
}

// wireSpread returns the wire form of a topology spread constraint. An empty WhenUnsatisfiable means DoNotSchedule, and
// is written like that: an API server rejects a constraint without the field, and kube-scheduler ignores it.
func wireSpread(c *outrank.TopologySpreadConstraint) manifest.Spread {
	w := manifest.Spread{
		MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, WhenUnsatisfiable: string(cmp.Or(c.WhenUnsatisfiable, outrank.DoNotSchedule)),
		LabelSelector:      wireSelector(c.LabelSelector),
		NodeAffinityPolicy: string(c.NodeAffinityPolicy), NodeTaintsPolicy: string(c.NodeTaintsPolicy),
		MatchLabelKeys: c.MatchLabelKeys,
	}
	if c.MinDomains != 0 {
		w.MinDomains = &c.MinDomains
	}
	return w
}
