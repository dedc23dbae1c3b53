package preemption

import "github.com/outrank-go/outrank/internal/exact"

// The answers of a node to its search (exact.Host).

func (x *setSearch) podsOf(item int32) []*podState {
	it := &x.q.Items[item]
	return x.possible[it.From:it.To]
}

// Leave takes an item away.
func (x *setSearch) Leave(item int32) { x.w.changeAll(x.podsOf(item), -1) }

// Return puts an item back.
func (x *setSearch) Return(item int32) { x.w.changeAll(x.podsOf(item), 1) }

// Fits asks all filters.
func (x *setSearch) Fits() bool { return x.w.check().code == Success }

// Allows asks all filters but NodeResourcesFit.
func (x *setSearch) Allows() bool {
	w := x.w
	if len(w.nominated) > 0 {
		if w.ask(0, len(w.filters), w.nominated).code != Success {
			return false
		}
		if w.a.config.variant().filtersOnce {
			return true
		}
	}
	return w.ask(0, len(w.filters), nil).code == Success
}

// Score returns the score of a set.
func (x *setSearch) Score(set []bool) exact.Score {
	w := x.w
	x.listed = x.listed[:0]
	for i := range x.q.Items {
		if set[i] {
			x.listed = append(x.listed, x.podsOf(int32(i))...)
		}
	}
	violations := 0
	for _, p := range x.listed {
		violations += w.a.config.violations(len(w.charge(p)))
	}
	w.ledger.Reset()
	sc := w.a.scoreOf(x.listed, violations)
	start := instantOf(sc.Start)
	return exact.Score{
		Figures: exact.Figures{
			Violations: int64(sc.Violations), Top: sc.TopPriority, Parts: int64(sc.Victims),
			Sums: [2]int64{sc.PrioritySum, sc.Cost},
		},
		Start: exact.Instant{Sec: start.sec, Nsec: start.nsec},
	}
}

// publicScore returns the score of a set, or a bound, as callers see it.
func publicScore(sc *exact.Score) Score {
	return Score{
		Violations: int(sc.Violations), TopPriority: sc.Top, PrioritySum: sc.Sums[0], Victims: int(sc.Parts),
		Cost: sc.Sums[1], Start: instant{sc.Start.Sec, sc.Start.Nsec}.time(),
	}
}

// Violating marks the items with a pod that violates a budget if all leave.
func (x *setSearch) Violating(marks []bool) { x.mark(marks, x.w.violating(x.possible)) }

// Spared takes out of the set the items that the reprieve spares. All are away.
func (x *setSearch) Spared(set []bool) { x.mark(set, x.w.reprieved(x.possible)) }

// mark marks the items of which a pod is marked.
func (x *setSearch) mark(items, pods []bool) {
	for i := range x.q.Items {
		items[i] = false
		for _, marked := range pods[x.q.Items[i].From:x.q.Items[i].To] {
			items[i] = items[i] || marked
		}
	}
}

// release drops what belongs to the caller.
func (x *setSearch) release() {
	x.search.Release()
	x.w, x.possible, x.found, x.best = nil, nil, foundSet{}, foundSet{victim: x.best.victim}
	clear(x.listed[:cap(x.listed)])
}

// foundSet is what a search has found on a node.
type foundSet struct {
	n      *nodeState
	victim []bool // by possible victim
	score  Score
	// bound is a score that no set beats, where the limit ended the search (open).
	bound Score
	steps int
	open  bool
}

// end notes what the search came to.
func (x *setSearch) end() {
	x.found = foundSet{n: x.w.n, steps: x.search.Steps()}
	if bound, open := x.search.Open(); open {
		x.found.bound, x.found.open = publicScore(&bound), true
	}
}

// remember keeps the set that was found, if it is the best one of the attempt, which is wanted
// once more in the end.
func (x *setSearch) remember(victim []bool, score Score) {
	if x.best.n != nil {
		if order, _ := score.compareBy(&x.best.score, x.w.a.ranks); order >= 0 {
			return
		}
	}
	victim = append(x.best.victim[:0], victim...)
	x.best = x.found
	x.best.victim, x.best.score = victim, score
}

// recall marks the victims that were found on the node before, if it is remembered.
func (x *setSearch) recall(n *nodeState, victim []bool) bool {
	if x.best.n != n {
		return false
	}
	copy(victim, x.best.victim)
	x.found = x.best
	x.found.victim = nil
	return true
}
