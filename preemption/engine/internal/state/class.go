package state

import (
	"hash/fnv"

	"github.com/outrank-go/outrank"
)

// PodClass stands for pods that no selector and no budget can tell apart, mostly the replicas of one
// deployment. A selector is asked once per class instead of once per pod. A class never changes, and
// snapshots share it.
type PodClass struct {
	// Key identifies the class (classKey). Two classes with the same key differ at most in Covering, and are
	// never in the same snapshot.
	Key       string
	Namespace string
	// Group is the key of the pod group that these pods name. It is empty if the release has no units of
	// victims.
	Group  string
	Labels map[string]string
	// antiAffinity has the required anti-affinity terms of these pods.
	antiAffinity []Term
	// Terminating says that these pods are being deleted. They do not count for a spread at the
	// start of an attempt (rule 7.12.5).
	Terminating bool
	// Hash is a hash of the key, the same in every run. Several classes may have the same.
	Hash uint32
	// Covering lists the indexes of the budgets that cover these pods. Several classes may share the list, so
	// that it is never written.
	Covering []int32
}

// classHash returns the hash of a key.
func classHash(key []byte) uint32 {
	h := fnv.New32a()
	h.Write(key)
	return h.Sum32()
}

// classKey encodes everything that makes a class. The group is a part of it only if the release has units of
// victims.
func classKey(p *outrank.Pod, units bool) []byte {
	b := KeyWriter(make([]byte, 0, 128))

	// All selectors, including those of budgets, look only at these two.
	b.Text(p.NamespaceName())
	b.Labels(p.Labels)

	// Filters look at these of a running pod (rules 7.12.5 and 7.13.4), and the group decides with whom it
	// leaves (rule 12.6.3).
	b.Flag(p.Terminating())
	if units {
		b.Text(p.Group)
	}
	b.Terms(p.Affinity.PodAntiAffinity)
	return b
}
