package score

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/internal/release"
)

// podTerm is a pod affinity term that is ready for matching.
type podTerm struct {
	// weight is what a match adds to a node's score, negative for anti-affinity.
	weight  int64
	key     string
	matcher outrank.Matcher
	// The term looks at pods in these namespaces, and in the namespaces that selector selects by their
	// labels. selector may be nil.
	namespaces []string
	selector   *outrank.LabelSelector
	// own says that the term belongs to the pod that nodes are scored for.
	own bool
}

// termOf prepares a term of its owner for matching. A term without namespaces and a selector looks at the
// owner's own namespace.
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

// termsOf returns the preferred terms of a pod.
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

// requiredOf returns the required affinity terms of a pod. Their weight is not used; it comes from
// Config.HardPodAffinityWeight.
func requiredOf(p *outrank.Pod) []podTerm {
	var out []podTerm
	for i := range p.Affinity.PodAffinity {
		out = append(out, termOf(p, &p.Affinity.PodAffinity[i], 1))
	}
	return out
}

// neighbours sums weights by topology key and value.
type neighbours struct {
	*question
	// sums has, for each topology key, the sum of each value of the key, by the value's number in the table.
	sums map[string][]int64
	// labels has the labels of the namespaces by their name. It is nil until they are needed.
	labels map[string]map[string]string
}

// interPod scores each node by the affinity terms between the pod and the pods near the node: it adds up the
// weights of terms that match (group 27.6). The result is nil if no term matches.
func (q *question) interPod() ([]int64, error) {
	own := termsOf(q.pod)
	if q.config.IgnorePreferredTermsOfExistingPods && len(own) == 0 {
		return nil, nil
	}
	for i := range own {
		own[i].own = true
	}

	x := &neighbours{question: q, sums: map[string][]int64{}}
	for _, k := range q.counts.classes {
		if q.Ended(1 + len(own) + len(k.preferred) + len(k.required)) {
			return nil, nil
		}
		x.addClass(own, k)
	}
	if len(x.sums) == 0 {
		return nil, nil
	}

	// A node gets the sums of all domains that it is in, one for each topology key.
	raw := make([]int64, len(q.nodes))
	for key, sums := range x.sums {
		column := q.table.label(key)
		for i, at := range q.at {
			if q.Ended(1) {
				return nil, nil
			}
			if column.has[at] {
				raw[i] += sums[column.ids[at]]
			}
		}
	}
	return raw, nil
}

// addClass adds the weights of the pod's own terms that match a class, and of the class's terms that match the
// pod.
func (x *neighbours) addClass(own []podTerm, k *class) {
	for i := range own {
		if x.means(&own[i], k.like) {
			x.add(k, own[i].key, own[i].weight)
		}
	}

	for i := range k.preferred {
		if t := &k.preferred[i]; x.means(t, x.pod) {
			x.add(k, t.key, t.weight)
		}
	}

	// Each required term of a pod in the cluster counts with the configuration's weight. Required terms of
	// the pod itself do not count: all nodes that are scored have passed the filter, and meet them.
	hard := int64(1)
	if w := x.config.HardPodAffinityWeight; w != nil {
		hard = int64(*w)
	}
	for i := range k.required {
		if t := &k.required[i]; hard > 0 && x.means(t, x.pod) {
			x.add(k, t.key, hard)
		}
	}
}

// add adds a term's weight, once for each pod of a class, to the domain that the pod is in.
func (x *neighbours) add(k *class, key string, weight int64) {
	column := x.table.label(key)
	for node, count := range k.on {
		if x.Ended(1) {
			return
		}
		at, ok := x.table.at[node]
		if !ok || !column.has[at] {
			continue
		}
		if x.sums[key] == nil {
			x.sums[key] = make([]int64, column.size)
		}
		x.sums[key][column.ids[at]] += weight * count
	}
}

// means reports whether a term matches a pod, in labels and in namespace (rules 27.6.3 and 27.6.4).
func (x *neighbours) means(t *podTerm, p *outrank.Pod) bool {
	return t.matcher.Matches(p.Labels) && x.inNamespace(t, p.NamespaceName())
}

// inNamespace reports whether a term looks at the pods of a namespace (rule 27.6.4).
func (x *neighbours) inNamespace(t *podTerm, name string) bool {
	if slices.Contains(t.namespaces, name) {
		return true
	}
	if t.selector == nil {
		return false
	}

	// In releases in which namespaces do not yet replace the selector, the pod's own term looks at every
	// namespace if its selector matches a namespace without labels.
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

// rules returns the rules of the snapshot's release.
func (q *question) rules() release.Rules { return release.Of(release.Release(q.counts.release)) }
