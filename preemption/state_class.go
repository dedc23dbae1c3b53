package preemption

import (
	"hash/fnv"

	"github.com/outrank-go/outrank"
)

// podClass is what pods have in common that no selector and no budget can tell
// apart: mostly the replicas of one deployment. A selector is asked once per
// class instead of once per pod. A class never changes, and snapshots share it.
type podClass struct {
	key       string // of everything below
	namespace string
	// group is the key of the pod group that these pods name, where the release has
	// units of victims; else empty.
	group  string
	labels map[string]string
	// antiAffinity has the required anti-affinity terms of these pods.
	antiAffinity []term
	// terminating pods do not count for a spread at the start of an attempt
	// (rule 7.12.5).
	terminating bool
	// bit is one of 64, for masks of classes.
	bit uint64
	// covering lists the budgets that cover these pods, by index. Classes share it
	// where the same budgets cover them.
	covering []int32
}

// bitOf returns one of 64 bits by a hash of the key.
func bitOf(key []byte) uint64 {
	h := fnv.New32a()
	h.Write(key)
	return 1 << (h.Sum32() % 64)
}

// classKey writes down everything that makes a class: with the group, where units of
// victims matter.
func classKey(p *outrank.Pod, units bool) []byte {
	b := keyWriter(make([]byte, 0, 128))
	b.text(p.NamespaceName())
	b.labels(p.Labels)
	b.flag(p.Terminating())
	if units {
		b.text(p.Group)
	}
	for i := range p.Affinity.AntiPods {
		t := &p.Affinity.AntiPods[i]
		b.text(t.TopologyKey)
		b.selector(t.Selector)
		b.texts(t.Namespaces)
		b.selector(t.NamespaceSelector)
		b.texts(t.MatchLabelKeys)
		b.texts(t.MismatchLabelKeys)
	}
	return b
}
