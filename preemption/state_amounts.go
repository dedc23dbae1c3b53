package preemption

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// named is an amount of a resource that has no column.
type named struct {
	name  resource.Name
	value int64
}

// amounts are whole counted units: millicores of cpu, units of all else. None
// is negative.
type amounts struct {
	std   amountRow
	extra *[]named // by name, none zero; nil for most pods
}

// more lists the resources without a column.
func (a *amounts) more() []named {
	if a.extra == nil {
		return nil
	}
	return *a.extra
}

// counted turns a resource list into amounts. It leaves out resources that no
// node accounts for.
func (c *columns) counted(l resource.List) amounts {
	var a amounts
	var extra []named
	for name, q := range l {
		i := c.of(name)
		if i >= 0 {
			a.std[i] = max(0, resource.Amount(name, q))
			continue
		}
		if v := resource.Amount(name, q); name.Counted() && v > 0 {
			extra = append(extra, named{name, v})
		}
	}
	if len(extra) > 0 {
		slices.SortFunc(extra, func(x, y named) int { return compareStrings(x.name, y.name) })
		a.extra = &extra
	}
	return a
}

func compareStrings[S ~string](x, y S) int {
	if x < y {
		return -1
	}
	if x > y {
		return 1
	}
	return 0
}

// of returns the amount of a resource without a column.
func (a *amounts) of(name resource.Name) int64 {
	for _, e := range a.more() {
		if e.name == name {
			return e.value
		}
	}
	return 0
}

// total is a sum of amounts. It is exact, so that subtracting an amount that
// was added restores the sum: 128 bits hold 2^64 amounts of any size.
type total struct{ hi, lo uint64 }

func (t *total) add(v int64) {
	var carry uint64
	t.lo, carry = bits.Add64(t.lo, uint64(v), 0)
	t.hi += carry
}

func (t *total) sub(v int64) {
	var borrow uint64
	t.lo, borrow = bits.Sub64(t.lo, uint64(v), 0)
	t.hi -= borrow
}

// leaves reports whether need more fits under limit.
func (t total) leaves(need, limit int64) bool {
	t.add(need)
	return t.hi == 0 && t.lo <= uint64(max(0, limit))
}

// saturated returns the sum as an int64, the largest one if it does not fit.
func (t total) saturated() int64 {
	if t.hi != 0 || t.lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(t.lo)
}

// usage is what the pods on a node take together.
type usage struct {
	std   [numColumns]total
	extra []namedTotal // by name, none zero
}

type namedTotal struct {
	name resource.Name
	total
}

func (u *usage) add(a *amounts) {
	for i, v := range a.std {
		u.std[i].add(v)
	}
	for _, e := range a.more() {
		i, ok := u.find(e.name)
		if !ok {
			u.extra = slices.Insert(u.extra, i, namedTotal{name: e.name})
		}
		u.extra[i].add(e.value)
	}
}

func (u *usage) sub(a *amounts) {
	for i, v := range a.std {
		u.std[i].sub(v)
	}
	for _, e := range a.more() {
		i, ok := u.find(e.name)
		if !ok {
			continue
		}
		u.extra[i].sub(e.value)
		if u.extra[i].total == (total{}) {
			u.extra = slices.Delete(u.extra, i, i+1)
		}
	}
}

func (u *usage) find(name resource.Name) (int, bool) {
	return slices.BinarySearchFunc(u.extra, name, func(t namedTotal, n resource.Name) int {
		return compareStrings(t.name, n)
	})
}

// of returns the sum of a resource without a column.
func (u *usage) of(name resource.Name) total {
	if i, ok := u.find(name); ok {
		return u.extra[i].total
	}
	return total{}
}

// amountsOf counts a pod's requests. The function of returns one resource of
// the pod, and all the whole list. The list is built only for pods that ask for
// a resource without a column.
func (c *columns) amountsOf(p *outrank.Pod, of func(*outrank.Pod, resource.Name) resource.Quantity, all func(*outrank.Pod) resource.List) amounts {
	if c.askedForMore(p) {
		return c.counted(all(p))
	}
	var a amounts
	for i, name := range c.names {
		a.std[i] = max(0, resource.Amount(name, of(p, name)))
	}
	return a
}

// pending returns what a pod to be placed asks for. running returns what a pod
// takes of the node that it runs on.
func (c *columns) pending(p *outrank.Pod) amounts {
	return c.amountsOf(p, (*outrank.Pod).RequestOf, (*outrank.Pod).Requests)
}

func (c *columns) running(p *outrank.Pod, r outrank.Release) amounts {
	return c.amountsOf(p, func(p *outrank.Pod, name resource.Name) resource.Quantity {
		return p.RunningRequestOfIn(r, name)
	}, func(p *outrank.Pod) resource.List { return p.RunningRequestsIn(r) })
}

// askedForMore reports whether any list of a pod names a resource that has no
// column.
func (c *columns) askedForMore(p *outrank.Pod) bool {
	if c.lack(p.Overhead) || c.lack(p.Allocated) || c.lack(p.Actual) || p.Resources != nil && c.lack(p.Resources.Requests) {
		return true
	}
	return c.lackFor(p.Containers) || c.lackFor(p.InitContainers)
}

func (c *columns) lackFor(cs []outrank.Container) bool {
	for i := range cs {
		if x := &cs[i]; c.lack(x.Requests) || c.lack(x.Allocated) || c.lack(x.Actual) {
			return true
		}
	}
	return false
}

// lack reports whether a list names more than what has a column.
func (c *columns) lack(l resource.List) bool {
	known := 0
	for _, name := range c.names {
		if len(l) == known {
			return false
		}
		if _, ok := l[name]; ok {
			known++
		}
	}
	return len(l) > known
}
