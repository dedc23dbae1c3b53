package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// List holds amounts by name. A missing name means 0, and nil is the empty
// list. The functions here never change a list.
type List map[Name]Quantity

// Requirements are the needs of a container, or of a pod as a whole.
type Requirements struct {
	// Requests are reserved for it. Scheduling uses them alone.
	Requests List `json:"requests,omitempty"`
	// Limits are the most that it may use. With Requests they decide the QoS class.
	Limits List `json:"limits,omitempty"`
}

// Amount returns q in the unit in which n is counted: thousandths for cpu, whole
// units for everything else. It is rounded away from zero and saturates.
func Amount(n Name, q Quantity) int64 {
	if n == CPU {
		return q.MilliValue()
	}
	return q.Value()
}

// Amount returns the amount of n in the list as [Amount] counts it, and 0
// if it is missing.
func (l List) Amount(n Name) int64 { return Amount(n, l[n]) }

// Names returns the names in the list, sorted. The slice is the caller's.
func (l List) Names() []Name { return slices.Sorted(maps.Keys(l)) }

// Clone returns a copy, and nil for nil.
func (l List) Clone() List { return maps.Clone(l) }

// Plus returns a new list with the sums, by name, of l and o. Neither is
// changed, and the result is never nil. A name in one of them keeps its amount.
func (l List) Plus(o List) List {
	return l.merge(o, Quantity.Add)
}

// Max returns a new list with the larger amount, by name, of l and o. Neither
// is changed, and the result is never nil. A name in one of them keeps its
// amount, a negative one too. Of two equal amounts it has that of l, with its
// format.
func (l List) Max(o List) List {
	return l.merge(o, func(a, b Quantity) Quantity {
		if a.Cmp(b) < 0 {
			return b
		}
		return a
	})
}

// merge returns the union of the lists, with combine for names in both.
func (l List) merge(o List, combine func(a, b Quantity) Quantity) List {
	out := make(List, max(len(l), len(o)))
	maps.Copy(out, l)
	for n, q := range o {
		if have, ok := out[n]; ok {
			q = combine(have, q)
		}
		out[n] = q
	}
	return out
}

// Equal reports whether every name has the same amount in l and o. A missing
// name and one with the amount 0 are the same, and formats do not matter.
func (l List) Equal(o List) bool {
	for n, q := range l {
		if !q.Equal(o[n]) {
			return false
		}
	}
	for n, q := range o {
		if _, both := l[n]; !both && !q.IsZero() {
			return false
		}
	}
	return true
}

// String returns the amounts sorted by name: "cpu: 500m, memory: 1Gi". The
// empty list is the empty text.
func (l List) String() string {
	parts := make([]string, 0, len(l))
	for _, n := range l.Names() {
		parts = append(parts, string(n)+": "+l[n].String())
	}
	return strings.Join(parts, ", ")
}

// MustList builds a list from names and quantities in turn:
//
//	resource.MustList("cpu", "500m", "memory", "1Gi")
//
// It is for literals and tests, and panics on a quantity that does not parse,
// on a name given twice and on an odd number of arguments.
func MustList(pairs ...string) List {
	if len(pairs)%2 != 0 {
		panic(fmt.Sprintf("resource: MustList: %q has no quantity", pairs[len(pairs)-1]))
	}
	l := make(List, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		n := Name(pair[0])
		if _, twice := l[n]; twice {
			panic(fmt.Sprintf("resource: MustList: %q is given twice", n))
		}
		l[n] = MustParse(pair[1])
	}
	return l
}
