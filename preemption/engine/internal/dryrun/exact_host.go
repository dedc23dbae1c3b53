package dryrun

import (
	"github.com/outrank-go/outrank/internal/exact"
	"github.com/outrank-go/outrank/preemption/engine/internal/filters"
	"github.com/outrank-go/outrank/preemption/engine/internal/state"
)

// The methods of exact.Host, by which package exact asks about the node.

// podsOf lists the pods of an item.
func (x *setSearch) podsOf(item int32) []*state.PodState {
	it := &x.q.Items[item]
	return x.possible[it.From:it.To]
}

// Leave removes the pods of an item.
func (x *setSearch) Leave(item int32) { x.w.ChangeAll(x.podsOf(item), -1) }

// Return puts the pods of an item back.
func (x *setSearch) Return(item int32) { x.w.ChangeAll(x.podsOf(item), 1) }

// Fits reports whether all filters pass in the present state.
func (x *setSearch) Fits() bool { return x.w.Check().Code == filters.Success }

// Allows reports whether all filters but NodeResourcesFit pass, in the two passes of [DryRunner.Check].
func (x *setSearch) Allows() bool {
	w := x.w
	if len(w.Nominated) > 0 {
		if w.ask(0, len(w.Filters), w.Nominated).Code != filters.Success {
			return false
		}
		if w.terms.ByVariant().FiltersOnce {
			return true
		}
	}
	return w.ask(0, len(w.Filters), nil).Code == filters.Success
}

// Score returns the score of a set of items, with the budgets charged for it alone.
func (x *setSearch) Score(set []bool) exact.Score {
	x.listed = x.listed[:0]
	for i := range x.q.Items {
		if set[i] {
			x.listed = append(x.listed, x.podsOf(int32(i))...)
		}
	}

	w := x.w
	sc := w.A.ScoreOf(x.listed, w.Budgets.ViolationsOf(x.listed))
	return exact.Score{
		Figures: exact.Figures{
			Violations: int64(sc.Violations), Top: sc.Top, Parts: int64(sc.Victims),
			Sums: [2]int64{sc.Sum, sc.Cost},
		},
		Start: exact.Instant{Sec: sc.Start.Sec, Nsec: sc.Start.Nsec},
	}
}

// Violating marks the items with a pod that violates a budget if all items leave.
func (x *setSearch) Violating(marks []bool) { x.mark(marks, x.w.violating(x.possible)) }

// Spared marks in set the items that the reprieve of chapter 9 does not put back. All items must be removed.
func (x *setSearch) Spared(set []bool) { x.mark(set, x.w.reprieved(x.possible)) }

// mark marks the items that have a marked pod.
func (x *setSearch) mark(items, pods []bool) {
	for i := range x.q.Items {
		items[i] = false
		for _, marked := range pods[x.q.Items[i].From:x.q.Items[i].To] {
			items[i] = items[i] || marked
		}
	}
}
