package explain

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// indexNeighbours builds the index of the pods that affinity terms are about, in one pass over all pods on nodes.
// The index is incomplete if the context has ended.
func (f *finder) indexNeighbours() *neighbourIndex {
	x := &neighbourIndex{
		namespaces: map[string]map[string]string{}, near: map[domain][]placed{}, others: map[domain][]placed{},
		own: termsOf(f.pod, f.pod.Affinity.PodAffinity), anti: termsOf(f.pod, f.pod.Affinity.PodAntiAffinity),
		bareSelectsAll: !release.Of(release.Release(f.snap.Release())).NamespacesReplaceSelector,
	}
	for ns := range f.snap.Namespaces() {
		x.namespaces[ns.Name] = ns.Labels
	}
	x.away = make([]map[domain][]placed, len(x.anti))
	for i := range x.away {
		x.away[i] = map[domain][]placed{}
	}

	seen := 0
	for n := range f.snap.Nodes() {
		if seen++; seen%nodesPerLook == 0 && f.ctx.Err() != nil {
			break
		}
		for _, p := range f.snap.PodsOn(n.Name) {
			x.add(f.pod, p, n)
		}
	}
	return x
}

// nodesPerLook is the number of nodes whose pods are processed between two checks of the context.
const nodesPerLook = 64

// add adds a pod p on a node to the index: for the terms of pod, the preemptor, that it matches, and for its own
// anti-affinity terms that the preemptor matches.
func (x *neighbourIndex) add(pod, p *outrank.Pod, n *outrank.Node) {
	// A node without the topology key is in no domain, and nothing on it counts.
	put := func(in map[domain][]placed, key string, t *podTerm) {
		if value, ok := n.Labels[key]; ok {
			in[domain{key, value}] = append(in[domain{key, value}], placed{p, n.Name, t})
		}
	}

	if len(x.own) > 0 && x.matchesAffinity(p) {
		for i := range x.own {
			put(x.near, x.own[i].key, nil)
		}
	}
	for i := range x.anti {
		if x.matches(&x.anti[i], p, true) {
			put(x.away[i], x.anti[i].key, nil)
		}
	}
	for i := range p.Affinity.PodAntiAffinity {
		if t := termOf(p, &p.Affinity.PodAntiAffinity[i]); x.matches(&t, pod, false) {
			put(x.others, t.key, &t)
		}
	}
}

// matchesAffinity reports whether a pod matches all affinity terms of the preemptor. A pod that does not match all
// of them counts for none (rule 7.13.5).
func (x *neighbourIndex) matchesAffinity(p *outrank.Pod) bool {
	for i := range x.own {
		if !x.matches(&x.own[i], p, true) {
			return false
		}
	}
	return true
}

// firstPresent returns the first of the pods that is not gone.
func firstPresent(list []placed, at *place) (placed, bool) {
	i := slices.IndexFunc(list, func(p placed) bool { return !at.isGone(p.pod) })
	if i < 0 {
		return placed{}, false
	}
	return list[i], true
}

// nameNeighbours finds the affinity terms that keep the preemptor out. Like the filter, it stops at the first side
// that fails, in the order of rule 7.13.1.
func (f *finder) nameNeighbours(o *Obstacle, at *place) {
	if f.neighbours == nil {
		f.neighbours = f.indexNeighbours()
	}
	for _, find := range []func(*place) []Neighbour{f.unmetAffinity, f.violatedOwn, f.violatedOthers} {
		if o.Neighbours = find(at); len(o.Neighbours) > 0 {
			return
		}
	}
}

// neighbourOf describes a term that is not met on the node. The caller sets Pod.
func neighbourOf(side string, t *podTerm, node *outrank.Node) Neighbour {
	n := Neighbour{Side: side, Topology: Topology{TopologyKey: t.key, Selector: selectorText(t.selector)}}
	if value, ok := node.Labels[t.key]; ok {
		n.Domain = &value
	}
	return n
}

// unmetAffinity lists the preemptor's affinity terms that are not met (rules 7.13.2 and 7.13.6).
func (f *finder) unmetAffinity(at *place) []Neighbour {
	x := f.neighbours
	var out []Neighbour
	keyMissing := false
	for i := range x.own {
		n := neighbourOf(ownAffinity, &x.own[i], at.node)
		_, there := firstPresent(x.near[domain{n.TopologyKey, orEmpty(n.Domain)}], at)
		if n.Domain == nil {
			keyMissing = true
		}
		if n.Domain == nil || !there {
			out = append(out, n)
		}
	}

	// A pod that matches its own affinity may be the first of its kind (rule 7.13.6), but not on a node that lacks a
	// topology key (rule 7.13.8).
	if !keyMissing && len(out) > 0 && x.matchesAffinity(f.pod) && !f.anyNear(at) {
		return nil
	}
	return out
}

// anyNear reports whether any pod that is not gone matches the preemptor's affinity, wherever it is (rule
// 7.13.7).
func (f *finder) anyNear(at *place) bool {
	for _, list := range f.neighbours.near {
		if _, ok := firstPresent(list, at); ok {
			return true
		}
	}
	return false
}

// violatedOwn lists the preemptor's anti-affinity terms that a pod in the node's domain matches. A term whose
// key the node lacks is ignored (rule 7.13.9).
func (f *finder) violatedOwn(at *place) []Neighbour {
	x := f.neighbours
	var out []Neighbour
	for i := range x.anti {
		n := neighbourOf(ownAntiAffinity, &x.anti[i], at.node)
		if n.Domain == nil {
			continue
		}

		if p, ok := firstPresent(x.away[i][domain{n.TopologyKey, *n.Domain}], at); ok {
			n.Pod = f.ref(p.pod, p.node)
			out = append(out, n)
		} else if p := f.nominee(at, func(q *outrank.Pod) bool { return x.matches(&x.anti[i], q, true) }); p != nil {
			n.Pod = f.ref(p, at.node.Name)
			out = append(out, n)
		}
	}
	return out
}

// violatedOthers lists the anti-affinity terms of other pods that match the preemptor. It lists one term of a running
// pod for each domain of the node. If there is none, it lists the terms of pods that are nominated to the node.
func (f *finder) violatedOthers(at *place) []Neighbour {
	x := f.neighbours
	var out []Neighbour
	for _, key := range sortedKeys(at.node.Labels) {
		if p, ok := firstPresent(x.others[domain{key, at.node.Labels[key]}], at); ok {
			n := neighbourOf(othersAntiAffinity, p.term, at.node)
			n.Pod = f.ref(p.pod, p.node)
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		return out
	}

	for _, p := range f.nominated(at) {
		for i := range p.Affinity.PodAntiAffinity {
			t := termOf(p, &p.Affinity.PodAntiAffinity[i])
			if n := neighbourOf(othersAntiAffinity, &t, at.node); n.Domain != nil && x.matches(&t, f.pod, false) {
				n.Pod = f.ref(p, at.node.Name)
				out = append(out, n)
			}
		}
	}
	return out
}

// nominee returns the first pod nominated to the node for which is returns true, or nil.
func (f *finder) nominee(at *place, is func(*outrank.Pod) bool) *outrank.Pod {
	for _, p := range f.nominated(at) {
		if is(p) {
			return p
		}
	}
	return nil
}

// matches reports whether a term matches a pod, by its labels and its namespace (rules 7.13.11 to 7.13.18).
// own is set for the terms of the preemptor.
func (x *neighbourIndex) matches(t *podTerm, p *outrank.Pod, own bool) bool {
	return t.matcher.Matches(p.Labels) && x.inNamespace(t, p.NamespaceName(), own)
}

// inNamespace reports whether a term selects pods of a namespace.
func (x *neighbourIndex) inNamespace(t *podTerm, name string, own bool) bool {
	switch {
	case slices.Contains(t.namespaces, name):
		return true
	case t.inLabels == nil:
		return false
	case own && x.bareSelectsAll && t.inLabels.Matches(nil):
		return true
	}

	// The labels of a namespace may be unknown. What that means depends on whose term it is (rule 7.13.18).
	labels, known := x.namespaces[name]
	if own && !known && !t.inLabels.Empty() {
		return false
	}
	return t.inLabels.Matches(labels)
}
