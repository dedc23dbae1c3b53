package invariants

import (
	"math"
	"slices"
)

// drawRules draws the caller's rules, but for the guard, which is drawn before the pods that it looks at. Most worlds have
// none.
func (w *World) drawRules(n numbers, group bool) {
	w.MostOfA = -1
	if n.oneIn("filter of the caller", 4) {
		w.MostOfA, w.Concerns = int(n.upTo("most", 0, 3)), n.oneIn("concerns", 2)
	}
	if n.oneIn("spared", 6) {
		w.Spared = n.of("spared app", "a", "b")
	} else if n.oneIn("taken", 6) {
		w.Taken = n.of("taken app", "a", "b")
	}
	w.ByCPU = n.oneIn("importance by cpu", 10)

	// A group asks by the rules of today's scheduler alone.
	if !group && n.oneIn("policy", 3) {
		w.Policy = n.of("which policy", v113, simplified, exact, strict, victimsAlone, disabled)
	}
	if w.Policy == exact || w.Policy == strict {
		w.MostAway = -1 // a guard does not go with these
	}
	if group {
		return
	}
	w.Refuses = n.oneIn("refuses", 6)
	if n.oneIn("ranks of the caller", 4) {
		w.drawRanks(n)
	}
	if n.oneIn("found elsewhere", 8) {
		for i := range w.Nodes {
			w.Nodes[i].Found = n.of("found", "unschedulable", "unschedulable", "unresolvable", "unasked", "fits")
		}
	}
}

// drawRanks draws ranks: some of the usual ones in any order, costs, and a figure of whole candidates. A search for the
// best victims goes by one cost and no figure (rule 13.4.9).
func (w *World) drawRanks(n numbers) {
	each := func(label string) int64 { return n.oneOf(label, 1, 2, -1, math.MaxInt64, math.MaxInt64-1) }
	all := []Rank{
		{Name: rankViolations}, {Name: rankTop}, {Name: rankSum}, {Name: rankVictims}, {Name: rankStart},
		{Name: "cost-of-a", Each: each("each of a"), Of: "a"},
	}
	if w.Policy != exact {
		all = append(all,
			Rank{Name: "cost-of-b", Each: each("each of b"), Of: "b"},
			Rank{Name: "place", Prefers: n.of("preferred", "n1", "n2")})
	}
	for range n.oneOf("number of ranks", 2, 1, 3, 4) {
		i := n.upTo("rank", 0, int64(len(all)-1))
		w.Ranks = append(w.Ranks, all[i])
		all = slices.Delete(all, int(i), int(i)+1)
	}
}
