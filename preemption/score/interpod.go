package score

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/release"
)

// podTerm is a pod affinity term that is ready for matching.
type podTerm struct {
	weight     int64 // negative for anti-affinity
	key        string
	matcher    outrank.Matcher
	namespaces []string
	selector   *outrank.LabelSelector // of namespaces
	own        bool                   // of the pod that is scored
}

func termOf(owner *outrank.Pod, t *outrank.PodAffinityTerm, weight int64) podTerm {
	out := podTerm{
		weight: weight, key: t.TopologyKey, namespaces: t.Namespaces, selector: t.NamespaceSelector,
		matcher: fit.Narrowed(t.LabelSelector, owner.Labels, t.MatchLabelKeys, t.MismatchLabelKeys),
	}
	if len(t.Namespaces) == 0 && t.NamespaceSelector == nil {
		out.namespaces = []string{owner.NamespaceName()}
	}
	return out
}

// termsOf are the preferred terms of a pod.
func termsOf(p *outrank.Pod) []podTerm {
	if p.Preferences == nil {
		return nil
	}
	var out []podTerm
	for i := range p.Preferences.PodAffinity {
		t := &p.Preferences.PodAffinity[i]
		out = append(out, termOf(p, &t.PodAffinityTerm, int64(t.Weight)))
	}
	for i := range p.Preferences.PodAntiAffinity {
		t := &p.Preferences.PodAntiAffinity[i]
		out = append(out, termOf(p, &t.PodAffinityTerm, -int64(t.Weight)))
	}
	return out
}

// neighbours sums weights by topology key and value.
type neighbours struct {
	*question
	sums map[string]map[string]int64
	// labels are those of namespaces, nil as long as nothing has asked for them.
	labels map[string]map[string]string
}

// interPod sums the weights of terms that the pod and the pods near each node meet (group
// 27.6).
func (q *question) interPod() ([]int64, error) {
	own := termsOf(q.pod)
	if q.config.IgnorePreferredTermsOfExistingPods && len(own) == 0 {
		return nil, nil
	}
	for i := range own {
		own[i].own = true
	}
	hard := int64(1)
	if w := q.config.HardPodAffinityWeight; w != nil {
		hard = int64(*w)
	}
	x := &neighbours{question: q, sums: map[string]map[string]int64{}}
	for _, k := range q.counts.classes {
		for i := range own {
			if x.means(&own[i], k.like) {
				x.add(k, &own[i])
			}
		}
		theirs := termsOf(k.like)
		for i := range k.like.Affinity.PodAffinity {
			if hard > 0 {
				theirs = append(theirs, termOf(k.like, &k.like.Affinity.PodAffinity[i], hard))
			}
		}
		for i := range theirs {
			if x.means(&theirs[i], q.pod) {
				x.add(k, &theirs[i])
			}
		}
	}
	if len(x.sums) == 0 {
		return nil, nil
	}
	raw := make([]int64, len(q.nodes))
	for key, sums := range x.sums {
		for i, n := range q.nodes {
			if value, ok := n.Labels[key]; ok {
				raw[i] += sums[value]
			}
		}
	}
	return raw, nil
}

// add adds a term's weight to the domains of the pods of a class.
func (x *neighbours) add(k *class, t *podTerm) {
	for node, count := range k.on {
		n, ok := x.snap.Node(node)
		if !ok {
			continue
		}
		if value, ok := n.Labels[t.key]; ok {
			if x.sums[t.key] == nil {
				x.sums[t.key] = map[string]int64{}
			}
			x.sums[t.key][value] += t.weight * count
		}
	}
}

// means reports whether a term picks a pod (rules 27.6.3 and 27.6.4).
func (x *neighbours) means(t *podTerm, p *outrank.Pod) bool {
	return t.matcher.Matches(p.Labels) && x.inNamespace(t, p.NamespaceName())
}

func (x *neighbours) inNamespace(t *podTerm, name string) bool {
	if slices.Contains(t.namespaces, name) {
		return true
	}
	if t.selector == nil {
		return false
	}
	if t.selector.Empty() || t.own && !x.rules().NamespacesReplaceSelector && t.selector.Matches(nil) {
		return true
	}
	if x.labels == nil {
		x.labels = map[string]map[string]string{}
		for ns := range x.snap.Namespaces() {
			x.labels[ns.Name] = ns.Labels
		}
	}
	labels, listed := x.labels[name]
	return (listed || !t.own) && t.selector.Matches(labels)
}

// rules are those of the snapshot's release.
func (q *question) rules() release.Rules { return release.Of(release.Release(q.counts.release)) }
