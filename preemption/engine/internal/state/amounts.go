package state

import (
	"math"
	"math/bits"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// named is an amount of a resource without a column.
type named struct {
	Name  resource.Name
	Value int64
}

// Amounts has an amount for each resource: millicores of cpu, whole units of all else. None is negative.
type Amounts struct {
	// Std has the amounts of the resources with a column.
	Std AmountRow
	// extra lists the other amounts, sorted by name, without zeros. It is nil for most pods. It is a pointer
	// so that Amounts is comparable.
	extra *[]named
}

// More lists the amounts of resources without a column, sorted by name. None is zero.
func (a *Amounts) More() []named {
	if a.extra == nil {
		return nil
	}
	return *a.extra
}

// counted turns a resource list into amounts. It leaves out resources that no
// node accounts for.
func (c *Columns) counted(l resource.List) Amounts {
	var a Amounts
	var extra []named
	for name, q := range l {
		i := c.Of(name)
		if i >= 0 {
			a.Std[i] = max(0, resource.Amount(name, q))
			continue
		}

		if v := resource.Amount(name, q); name.Counted() && v > 0 {
			extra = append(extra, named{name, v})
		}
	}

	// Map order is random.
	if len(extra) > 0 {
		slices.SortFunc(extra, func(x, y named) int { return compareStrings(x.Name, y.Name) })
		a.extra = &extra
	}
	return a
}

// compareStrings is cmp.Compare for strings.
func compareStrings[S ~string](x, y S) int {
	if x < y {
		return -1
	}
	if x > y {
		return 1
	}
	return 0
}

// Of returns the amount of a resource without a column.
func (a *Amounts) Of(name resource.Name) int64 {
	for _, e := range a.More() {
		if e.Name == name {
			return e.Value
		}
	}
	return 0
}

// Total is an exact sum of amounts: 128 bits hold 2^64 amounts of any size. So subtracting an amount that was
// added restores the sum.
type Total struct{ Hi, Lo uint64 }

// Add adds an amount, which must not be negative.
func (t *Total) Add(v int64) {
	var carry uint64
	t.Lo, carry = bits.Add64(t.Lo, uint64(v), 0)
	t.Hi += carry
}

// Sub subtracts an amount that was added before.
func (t *Total) Sub(v int64) {
	var borrow uint64
	t.Lo, borrow = bits.Sub64(t.Lo, uint64(v), 0)
	t.Hi -= borrow
}

// Leaves reports whether the sum leaves room for need below limit: the two together do not exceed it. need
// must not be negative, and a negative limit counts as 0.
func (t Total) Leaves(need, limit int64) bool {
	t.Add(need)
	return t.Hi == 0 && t.Lo <= uint64(max(0, limit))
}

// Saturated returns the sum as an int64, the largest one if it does not fit.
func (t Total) Saturated() int64 {
	if t.Hi != 0 || t.Lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(t.Lo)
}

// Usage is what the pods on a node take together.
type Usage struct {
	// Std has the sums of the resources with a column.
	Std [NumColumns]Total
	// Extra lists the other sums, sorted by name, without zeros.
	Extra []namedTotal
}

// namedTotal is the sum of a resource without a column.
type namedTotal struct {
	name resource.Name
	Total
}

// Add adds the amounts of a pod.
func (u *Usage) Add(a *Amounts) {
	for i, v := range a.Std {
		u.Std[i].Add(v)
	}
	for _, e := range a.More() {
		i, ok := u.find(e.Name)
		if !ok {
			u.Extra = slices.Insert(u.Extra, i, namedTotal{name: e.Name})
		}
		u.Extra[i].Add(e.Value)
	}
}

// Sub subtracts the amounts of a pod that was added before.
func (u *Usage) Sub(a *Amounts) {
	for i, v := range a.Std {
		u.Std[i].Sub(v)
	}
	for _, e := range a.More() {
		i, ok := u.find(e.Name)
		if !ok {
			continue
		}

		// Sums are exact, so that at 0 no pod takes the resource any longer.
		u.Extra[i].Sub(e.Value)
		if u.Extra[i].Total == (Total{}) {
			u.Extra = slices.Delete(u.Extra, i, i+1)
		}
	}
}

// find returns the index of a resource in Extra, or where it belongs and false.
func (u *Usage) find(name resource.Name) (int, bool) {
	return slices.BinarySearchFunc(u.Extra, name, func(t namedTotal, n resource.Name) int {
		return compareStrings(t.name, n)
	})
}

// Of returns the sum of a resource without a column.
func (u *Usage) Of(name resource.Name) Total {
	if i, ok := u.find(name); ok {
		return u.Extra[i].Total
	}
	return Total{}
}

// amountsOf converts a pod's requests to amounts. request returns the pod's request of one resource, and all
// returns the whole list, which is costly and needed only for a pod that asks for a resource without a
// column.
func (c *Columns) amountsOf(p *outrank.Pod, request func(*outrank.Pod, resource.Name) resource.Quantity, all func(*outrank.Pod) resource.List) Amounts {
	if c.askedForMore(p) {
		return c.counted(all(p))
	}
	var a Amounts
	for i, name := range c.Names {
		a.Std[i] = max(0, resource.Amount(name, request(p, name)))
	}
	return a
}

// Pending returns the requests of a pod that is to be placed.
func (c *Columns) Pending(p *outrank.Pod) Amounts {
	return c.amountsOf(p, (*outrank.Pod).RequestOf, (*outrank.Pod).Requests)
}

// Running returns what a pod takes of the node that it runs on, by the rules of a release.
func (c *Columns) Running(p *outrank.Pod, r outrank.Release) Amounts {
	return c.amountsOf(p, func(p *outrank.Pod, name resource.Name) resource.Quantity {
		return p.RunningRequestOf(r, name)
	}, func(p *outrank.Pod) resource.List { return p.RunningRequests(r) })
}

// reportsRequests reports whether the status of a pod may change what the pod takes of its node
// (outrank.Pod.RunningRequests). Any other pod takes exactly its pending requests.
func reportsRequests(p *outrank.Pod) bool {
	return p.Reported || p.AllocatedResources != nil || p.Actual != nil || p.ResizeInfeasible ||
		reportRequests(p.Containers) || reportRequests(p.InitContainers)
}

// reportRequests is reportsRequests for the containers of a pod.
func reportRequests(cs []outrank.Container) bool {
	for i := range cs {
		if c := &cs[i]; c.Reported || c.AllocatedResources != nil || c.Actual != nil {
			return true
		}
	}
	return false
}

// askedForMore reports whether any request of a pod is for a resource without a column.
func (c *Columns) askedForMore(p *outrank.Pod) bool {
	if c.lack(p.Overhead) || c.lack(p.AllocatedResources) || c.lack(p.Actual) || p.Resources != nil && c.lack(p.Resources.Requests) {
		return true
	}
	return c.lackFor(p.Containers) || c.lackFor(p.InitContainers)
}

// lackFor is askedForMore for some containers of a pod.
func (c *Columns) lackFor(cs []outrank.Container) bool {
	for i := range cs {
		if x := &cs[i]; c.lack(x.Requests) || c.lack(x.AllocatedResources) || c.lack(x.Actual) {
			return true
		}
	}
	return false
}

// lack reports whether a list names a resource without a column. It counts those with one, which is faster
// than iterating over the map.
func (c *Columns) lack(l resource.List) bool {
	known := 0
	for _, name := range c.Names {
		if len(l) == known {
			return false // every name in the list has a column
		}
		if _, ok := l[name]; ok {
			known++
		}
	}
	return len(l) > known
}

// Change adds an amount if by is above 0, and otherwise subtracts it.
func (t *Total) Change(v int64, by int32) {
	if by > 0 {
		t.Add(v)
	} else {
		t.Sub(v)
	}
}
