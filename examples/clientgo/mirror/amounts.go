package mirror

import (
	"hash/maphash"
	"maps"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// mostAmounts is the number of different lists of amounts that a mirror knows at a time. A cluster has as many as it has
// templates of pods; where pods have amounts of their own, the limit bounds what is known in vain.
const mostAmounts = 1 << 14

// amounts knows lists of amounts, so that equal ones are one map: pods of a template have the same requests and limits,
// and what a pod's status reports mostly equals its requests. Without that these maps are half of a mirror's memory.
// Lists in a snapshot are read only, so that nobody notices.
type amounts struct {
	seed maphash.Seed
	// known has the lists by a sum over their entries, which does not depend on an order. Two lists with one sum are
	// compared, so that the seed decides nothing but which of them is known.
	known map[uint64]resource.List
}

func newAmounts() amounts {
	return amounts{maphash.MakeSeed(), map[uint64]resource.List{}}
}

// entry is an amount of a list.
type entry struct {
	name  resource.Name
	value resource.Quantity
}

// one returns the list that is known and equal to a list, or the list itself, which is known then. Equal are lists that
// are also written alike: 1Gi is not 1024Mi here, where formats differ.
func (a *amounts) one(l resource.List) resource.List {
	if len(l) == 0 {
		return l // an empty list is not nil, and takes no memory
	}
	var sum uint64
	for name, value := range l {
		sum += maphash.Comparable(a.seed, entry{name, value})
	}

	if known, ok := a.known[sum]; ok && maps.Equal(known, l) {
		return known
	}
	if len(a.known) >= mostAmounts {
		clear(a.known) // what pods share already they go on sharing
	}
	a.known[sum] = l
	return l
}

// share lets a pod that is new, and nobody else's yet, share its amounts with others.
func (a *amounts) share(p *outrank.Pod) {
	p.Overhead, p.AllocatedResources, p.Actual = a.one(p.Overhead), a.one(p.AllocatedResources), a.one(p.Actual)
	if r := p.Resources; r != nil {
		r.Requests, r.Limits = a.one(r.Requests), a.one(r.Limits)
	}
	for _, list := range [][]outrank.Container{p.Containers, p.InitContainers} {
		for i := range list {
			c := &list[i]
			c.Requests, c.Limits = a.one(c.Requests), a.one(c.Limits)
			c.AllocatedResources, c.Actual = a.one(c.AllocatedResources), a.one(c.Actual)
		}
	}
}
