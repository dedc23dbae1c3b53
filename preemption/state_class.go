package preemption

import (
	"hash/fnv"

	"github.com/outrank-go/outrank"
)

// podClass is what pods have in common that no selector and no budget tells
// apart: mostly the replicas of one deployment. So a selector is asked once per
// class and not once per pod. A class never changes; snapshots share it.
type podClass struct {
	key       string // of everything below
	namespace string
	labels    map[string]string
	// antiAffinity are the required anti-affinity terms of these pods.
	antiAffinity []term
	// terminating pods are not counted when a spread is worked out.
	terminating bool
	// bit is one of 64, for masks of classes.
	bit uint64
	// covering are the budgets that cover these pods, by index.
	covering []int32
}

// bitOf picks a bit at random, the same for the same key.
func bitOf(key []byte) uint64 {
	h := fnv.New32a()
	h.Write(key)
	return 1 << (h.Sum32() % 64)
}

// classKey writes down everything that makes a class.
func classKey(p *outrank.Pod) []byte {
	b := keyWriter(make([]byte, 0, 128))
	b.text(p.NamespaceName())
	b.labels(p.Labels)
	b.flag(p.Terminating())
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
