package filter

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/draw"
)

var interPodAffinityEntry = Entry{
	Name:  InterPodAffinity,
	Fails: AnyFailure,
	// The pod that leaves may be one that the preemptor's affinity needs.
	Gains: func(pod *outrank.Pod, _ bool) bool { return len(pod.Affinity.PodAffinity) == 0 },
	// Unmet affinity, which is incurable, may be met by a pod that is put back.
	Conclusive: CurableFailure,
	Helped: Hints{
		EventNodeAdded:          joinsDomain,
		EventNodeUpdated:        changesDomain,
		EventAssignedPodAdded:   func(w *Waiting, c *Change) bool { return attracts(w.Pod, c.Pod) },
		EventAssignedPodUpdated: neighbourChanged,
		EventAssignedPodDeleted: func(w *Waiting, c *Change) bool { return repels(w, w.Pod, c.Pod) || repels(w, c.Pod, w.Pod) },
		EventPodUpdated: itself(func(p *outrank.Pod) []any {
			return []any{p.Labels, p.Affinity.PodAffinity, p.Affinity.PodAntiAffinity}
		}),
	},
	Draw: Draw{
		Topic:   Affinity,
		Running: drawPodTerms,
		Asking:  alike(drawPodTerms),
		Room:    true,
	},
}

// drawPodTerms gives every third pod anti-affinity, and every sixth pod affinity.
func drawPodTerms(s draw.Source, p *outrank.Pod) {
	if draw.OneIn(s, "anti-affinity", 3) {
		p.Affinity.PodAntiAffinity = draw.List(s, "terms", draw.Between(1, 2), drawPodTerm)
	}
	if draw.OneIn(s, "affinity", 6) {
		p.Affinity.PodAffinity = draw.List(s, "terms", draw.Between(1, 2), drawPodTerm)
	}
}

func drawPodTerm(s draw.Source) outrank.PodAffinityTerm {
	return outrank.PodAffinityTerm{
		LabelSelector:     draw.Selector(s),
		TopologyKey:       draw.TopologyKey(s),
		Namespaces:        draw.Pick(s, "namespaces", nil, nil, nil, []string{"default"}, []string{"team-a", "team-b"}),
		NamespaceSelector: draw.NamespaceSelector(s),
		MatchLabelKeys:    draw.LabelKeys(s),
		MismatchLabelKeys: draw.Pick(s, "mismatch label keys", nil, nil, nil, nil, []string{"tier"}),
	}
}
