package pdb

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
)

// Finder finds the budgets that cover pods, one pod after another, and remembers
// its results: pods whose labels differ in nothing that a selector of their
// namespace looks at are matched once. It is scratch memory: only one goroutine
// may use it at a time.
type Finder struct {
	budgets *Budgets
	// looked are the keys that the selectors of a namespace look at.
	looked map[string]map[string]bool
	// known are the results, by the namespace and the labels that matter, and
	// shared the same lists, by a hash of their contents.
	known  map[string][]int32
	shared map[uint64][]int32
	labels []label
	key    []byte
	found  []int32
}

// Finder returns a finder that remembers nothing yet. It costs nothing.
func (b *Budgets) Finder() *Finder {
	return &Finder{
		budgets: b, looked: map[string]map[string]bool{},
		known: map[string][]int32{}, shared: map[uint64][]int32{},
	}
}

// Covering returns what [Budgets.AppendCovering] appends, nil if no budget covers
// the pod. Pods that the same budgets cover mostly get the same slice, so that it
// must not be written. It may be kept.
//
// Time is that of the pod's labels, where the finder has met such a pod, else that
// of [Budgets.AppendCovering]; in each namespace the first pod costs that of the
// namespace's selectors in addition. Memory is linear in the different pods and in
// the different lists.
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

// writeKey writes down the namespace and the labels that matter. Every text is
// preceded by its length, so that different ones are never the same key.
func (f *Finder) writeKey(pod *outrank.Pod) {
	looked := f.lookedAt(pod.NamespaceName())
	f.labels = f.labels[:0]
	for k, v := range pod.Labels {
		if looked[k] {
			f.labels = append(f.labels, label{key: k, value: v})
		}
	}
	slices.SortFunc(f.labels, func(a, b label) int { return strings.Compare(a.key, b.key) })
	f.key = f.key[:0]
	f.write(pod.NamespaceName())
	for _, l := range f.labels {
		f.write(l.key)
		f.write(l.value)
	}
}

func (f *Finder) write(text string) {
	f.key = append(binary.AppendUvarint(f.key, uint64(len(text))), text...)
}

// lookedAt returns the keys that the selectors of a namespace look at.
func (f *Finder) lookedAt(namespace string) map[string]bool {
	keys, ok := f.looked[namespace]
	if ok {
		return keys
	}
	keys = map[string]bool{}
	seen := map[int32]bool{}
	look := func(list []int32) {
		for _, i := range list {
			if seen[i] {
				continue // it is listed under every value that it allows
			}
			seen[i] = true
			selector := f.budgets.budgets[i].Selector
			for k := range selector.MatchLabels {
				keys[k] = true
			}
			for j := range selector.MatchExpressions {
				keys[selector.MatchExpressions[j].Key] = true
			}
		}
	}
	s := f.budgets.scopes[namespace]
	look(s.rest)
	for _, list := range s.byLabel {
		look(list)
	}
	f.looked[namespace] = keys
	return keys
}

// share returns a result as a list that equal results share.
func (f *Finder) share() []int32 {
	if len(f.found) == 0 {
		return nil
	}
	sum := uint64(14695981039346656037) // FNV-1a, an index at a time
	for _, i := range f.found {
		sum = (sum ^ uint64(i)) * 1099511628211
	}
	list, ok := f.shared[sum]
	if ok && slices.Equal(list, f.found) {
		return list
	}
	list = slices.Clone(f.found)
	f.shared[sum] = list // of two lists with the same hash the later is shared
	return list
}
