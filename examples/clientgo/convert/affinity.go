package convert

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// affinity converts the required terms. Preferred terms become part of [outrank.Preferences].
func affinity(a *corev1.Affinity) outrank.Affinity {
	var out outrank.Affinity
	if a == nil {
		return out
	}
	if n := a.NodeAffinity; n != nil {
		out.NodeAffinity = nodeSelector(n.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if n := a.PodAffinity; n != nil {
		out.PodAffinity = podTerms(n.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	if n := a.PodAntiAffinity; n != nil {
		out.PodAntiAffinity = podTerms(n.RequiredDuringSchedulingIgnoredDuringExecution)
	}
	return out
}

func nodeSelector(s *corev1.NodeSelector) *outrank.NodeSelector {
	if s == nil {
		return nil
	}
	out := &outrank.NodeSelector{}
	for i := range s.NodeSelectorTerms {
		out.NodeSelectorTerms = append(out.NodeSelectorTerms, nodeTerm(&s.NodeSelectorTerms[i]))
	}
	return out
}

func nodeTerm(t *corev1.NodeSelectorTerm) outrank.NodeSelectorTerm {
	return outrank.NodeSelectorTerm{MatchExpressions: nodeRequirements(t.MatchExpressions), MatchFields: nodeRequirements(t.MatchFields)}
}

func nodeRequirements(rs []corev1.NodeSelectorRequirement) []outrank.NodeRequirement {
	if len(rs) == 0 {
		return nil
	}
	out := make([]outrank.NodeRequirement, len(rs))
	for i := range rs {
		out[i] = outrank.NodeRequirement{Key: rs[i].Key, Operator: outrank.Operator(rs[i].Operator), Values: list(rs[i].Values)}
	}
	return out
}

func podTerms(ts []corev1.PodAffinityTerm) []outrank.PodAffinityTerm {
	if len(ts) == 0 {
		return nil
	}
	out := make([]outrank.PodAffinityTerm, len(ts))
	for i := range ts {
		out[i] = podTerm(&ts[i])
	}
	return out
}

func podTerm(t *corev1.PodAffinityTerm) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector: labelSelector(t.LabelSelector), Namespaces: list(t.Namespaces),
		NamespaceSelector: labelSelector(t.NamespaceSelector), TopologyKey: t.TopologyKey,
		MatchLabelKeys: list(t.MatchLabelKeys), MismatchLabelKeys: list(t.MismatchLabelKeys),
	}
}

func spreads(cs []corev1.TopologySpreadConstraint) []outrank.TopologySpreadConstraint {
	if len(cs) == 0 {
		return nil
	}
	out := make([]outrank.TopologySpreadConstraint, len(cs))
	for i := range cs {
		c := &cs[i]
		out[i] = outrank.TopologySpreadConstraint{
			MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey,
			WhenUnsatisfiable:  outrank.UnsatisfiablePolicy(c.WhenUnsatisfiable),
			LabelSelector:      labelSelector(c.LabelSelector),
			MinDomains:         valueOf(c.MinDomains),
			NodeAffinityPolicy: outrank.NodeInclusionPolicy(valueOf(c.NodeAffinityPolicy)),
			NodeTaintsPolicy:   outrank.NodeInclusionPolicy(valueOf(c.NodeTaintsPolicy)),
			MatchLabelKeys:     list(c.MatchLabelKeys),
		}
	}
	return out
}

func labelSelector(s *metav1.LabelSelector) *outrank.LabelSelector {
	if s == nil {
		return nil
	}
	out := &outrank.LabelSelector{MatchLabels: texts(s.MatchLabels)}
	for i := range s.MatchExpressions {
		r := &s.MatchExpressions[i]
		out.MatchExpressions = append(out.MatchExpressions, outrank.Requirement{Key: r.Key, Operator: outrank.Operator(r.Operator), Values: list(r.Values)})
	}
	return out
}
