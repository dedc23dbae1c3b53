package score_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

// namespaceSelectors are all, those of a team, and those that are nobody's, which a namespace without labels is.
var namespaceSelectors = []*outrank.LabelSelector{
	nil, {}, {MatchLabels: map[string]string{"of": "us"}},
	{MatchExpressions: []outrank.Requirement{{Key: "of", Operator: outrank.DoesNotExist}}},
}

// drawTerm draws a term about pods of the application a.
func drawTerm(t *rapid.T) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		TopologyKey:       rapid.SampledFrom([]string{zoneKey, hostKey}).Draw(t, "key"),
		LabelSelector:     rapid.SampledFrom(selectors).Draw(t, "selector"),
		Namespaces:        rapid.SampledFrom([][]string{nil, {"team"}}).Draw(t, "namespaces"),
		NamespaceSelector: rapid.SampledFrom(namespaceSelectors).Draw(t, "namespace selector"),
	}
}

// drawWishes gives a pod preferred terms and a required one, or none.
func drawWishes(t *rapid.T, p *outrank.Pod) {
	wishes := func(name string) (terms []outrank.WeightedPodAffinityTerm) {
		for range rapid.IntRange(0, 1).Draw(t, name) {
			terms = append(terms, outrank.WeightedPodAffinityTerm{Weight: rapid.Int32Range(1, 5).Draw(t, "weight"), PodAffinityTerm: drawTerm(t)})
		}
		return terms
	}
	p.Preferences = &outrank.Preferences{PodAffinity: wishes("likes"), PodAntiAffinity: wishes("dislikes")}
	if rapid.IntRange(0, 3).Draw(t, "requires") == 0 {
		p.Affinity.PodAffinity = []outrank.PodAffinityTerm{drawTerm(t)}
	}
}

// picksNamespace is rule 27.6.4, with rule 7.13.14 for the pod that asks. known says whether an object tells of
// the namespace.
func (s *plainScene) picksNamespace(owner *outrank.Pod, t *outrank.PodAffinityTerm, namespace string) bool {
	if t.NamespaceSelector == nil && len(t.Namespaces) == 0 {
		return namespace == owner.Namespace
	}
	if slices.Contains(t.Namespaces, namespace) {
		return true
	}
	of, known := map[string]string{"default": "", "team": "us"}[namespace]
	asks := owner == s.pod
	switch t.NamespaceSelector {
	case namespaceSelectors[0]:
		return false
	case namespaceSelectors[1]:
		return true
	case namespaceSelectors[2]:
		return of == "us"
	}
	if asks && s.cluster.Release == outrank.V1_36 {
		return true
	}
	return of == "" && (known || !asks)
}

// picks reports whether a term of the owner picks the other pod (rule 27.6.3).
func (s *plainScene) picks(owner *outrank.Pod, t *outrank.PodAffinityTerm, other *outrank.Pod) bool {
	selects := t.LabelSelector != nil && (t.LabelSelector.MatchLabels == nil || other.Labels["app"] == "a")
	return selects && s.picksNamespace(owner, t, other.Namespace)
}

// neighbour adds to the sums of the scored nodes what one pod on a node means for them (rule 27.6.1), and
// reports whether that is something.
func (s *plainScene) neighbour(p *outrank.Pod, sums []int64) (met bool) {
	i := slices.IndexFunc(s.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == p.NodeName })
	add := func(owner *outrank.Pod, t *outrank.PodAffinityTerm, other *outrank.Pod, weight int64) {
		domain := s.cluster.Nodes[i].Labels[t.TopologyKey]
		if domain == "" || !s.picks(owner, t, other) {
			return
		}
		met = true
		for j, n := range s.scored {
			if n.Labels[t.TopologyKey] == domain {
				sums[j] += weight
			}
		}
	}
	for _, pair := range [][2]*outrank.Pod{{s.pod, p}, {p, s.pod}} {
		owner, other := pair[0], pair[1]
		for _, t := range owner.Preferences.PodAffinity {
			add(owner, &t.PodAffinityTerm, other, int64(t.Weight))
		}
		for _, t := range owner.Preferences.PodAntiAffinity {
			add(owner, &t.PodAffinityTerm, other, -int64(t.Weight))
		}
	}
	for _, t := range p.Affinity.PodAffinity {
		add(p, &t, s.pod, 1)
	}
	return met
}

// Preferred pod affinity adds up, pod by pod and term by term, whoever's the terms are and whatever is known
// of the namespaces they name.
func TestPropertyNeighboursAddUpTermByTerm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScene(t)
		for _, p := range append(slices.Clone(s.cluster.Pods), s.pod) {
			drawWishes(t, p)
		}
		want, met := make([]int64, len(s.scored)), false
		for _, p := range s.cluster.Pods {
			met = s.neighbour(p, want) || met
		}
		if !met {
			want = nil
		}
		require.Equal(t, want, s.rawOf(t, preemption.InterPodAffinity).Raw)
	})
}
