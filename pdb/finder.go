package pdb

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// Finder finds the budgets that cover one pod after another, and remembers its
// results. Pods of a namespace that agree in all labels that its selectors look at
// are matched only once. It is scratch memory: only one goroutine may use it at a
// time.
type Finder struct {
	budgets *Budgets
	// keys has, for each namespace that was asked about, the label keys that the
	// selectors of its budgets look at.
	keys map[string]map[string]bool
	// known has the results, by the namespace and the labels that matter.
	known map[string][]int32
	// shared has the lists of known, each once, by a hash of its contents.
	shared map[uint64][]int32
	// labels, key and found are scratch memory: for the labels of a pod that matter, for
	// the key of its result in known, and for the result itself.
	labels []label
	key    []byte
	found  []int32
}

// Finder returns a finder that remembers nothing yet. It costs nothing.
func (b *Budgets) Finder() *Finder {
	return &Finder{
		budgets: b, keys: map[string]map[string]bool{},
		known: map[string][]int32{}, shared: map[uint64][]int32{},
	}
}

// Covering returns what [Budgets.AppendCovering] appends, nil if no budget covers
// the pod. Pods that the same budgets cover mostly get the same slice, so that it
// must not be written. It may be kept.
//
// Time is linear in the pod's labels if the finder has met such a pod before;
// otherwise [Budgets.AppendCovering] decides it. For the first pod of a namespace all
// of the namespace's selectors are read in addition. Memory is linear in the number of
// different pods and of different lists.
func (f *Finder) Covering(pod *outrank.Pod) []int32 {
	if f.budgets == nil || pod == nil || len(pod.Labels) == 0 || f.budgets.scopes[pod.NamespaceName()] == nil {
		return nil
	}

	f.writeKey(pod)
	if list, ok := f.known[string(f.key)]; ok {
		return list
	}

	f.found = f.budgets.AppendCovering(f.found[:0], pod)
	list := f.share()
	f.known[string(f.key)] = list
	return list
}

// writeKey sets f.key to the namespace and the labels that matter. Pods with the
// same key are covered by the same budgets. Each text follows its length, so that
// different lists of texts never give the same key.
func (f *Finder) writeKey(pod *outrank.Pod) {
	keys := f.keysIn(pod.NamespaceName())
	f.labels = f.labels[:0]
	for k, v := range pod.Labels {
		if keys[k] {
			f.labels = append(f.labels, label{key: k, value: v})
		}
	}

	// A map yields its entries in any order.
	slices.SortFunc(f.labels, func(a, b label) int { return strings.Compare(a.key, b.key) })

	f.key = f.key[:0]
	f.write(pod.NamespaceName())
	for _, l := range f.labels {
		f.write(l.key)
		f.write(l.value)
	}
}

// write appends a text to f.key, behind its length.
func (f *Finder) write(text string) {
	f.key = append(binary.AppendUvarint(f.key, uint64(len(text))), text...)
}

// keysIn returns the label keys that the selectors of a namespace look at. The
// namespace has budgets that cover something.
func (f *Finder) keysIn(namespace string) map[string]bool {
	keys, ok := f.keys[namespace]
	if ok {
		return keys
	}

	keys = map[string]bool{}
	seen := map[int32]bool{}
	collect := func(list []int32) {
		for _, i := range list {
			if seen[i] {
				continue // a budget is listed under each value of its anchor
			}
			seen[i] = true
			collectKeys(keys, f.budgets.budgets[i].Selector)
		}
	}

	s := f.budgets.scopes[namespace]
	collect(s.rest)
	for _, list := range s.byLabel {
		collect(list)
	}
	f.keys[namespace] = keys
	return keys
}

// collectKeys adds the label keys that a selector looks at.
func collectKeys(keys map[string]bool, selector *outrank.LabelSelector) {
	for k := range selector.MatchLabels {
		keys[k] = true
	}
	for i := range selector.MatchExpressions {
		keys[selector.MatchExpressions[i].Key] = true
	}
}

// share returns f.found as a list that may be kept, and that equal results mostly share.
func (f *Finder) share() []int32 {
	if len(f.found) == 0 {
		return nil
	}

	hash := uint64(14695981039346656037) // FNV-1a, an index at a time
	for _, i := range f.found {
		hash = (hash ^ uint64(i)) * 1099511628211
	}
	if list, ok := f.shared[hash]; ok && slices.Equal(list, f.found) {
		return list
	}

	// If another list has this hash, it gives way: from now on this one is shared.
	list := slices.Clone(f.found)
	f.shared[hash] = list
	return list
}
