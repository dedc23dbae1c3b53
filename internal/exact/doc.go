// Package exact answers: which items leave so that there is room, if no other set may
// be better?
//
// An item holds amounts of what is short, one column for each shortage. A set makes room if
// it holds enough of every column, and if the asker agrees, where the question says so. Of these sets
// the best one is wanted. Measures compare sets one after the other (see [Measure]). Items have
// parts that leave together, and a part takes from a budget. Parts beyond what a budget has left
// are violations, so how many an item adds depends on the others.
//
// The asker fills in a [Question] before the search, as tables. While the search goes from set
// to set it reads these alone; the asker ([Host]) is asked about whole sets that hold enough.
// The search is branch and bound. It ends after a number of steps, and then says which [Score] no
// set beats. The same question has the same answer in the same number of steps.
//
// The package knows nothing of pods, nodes and disruption budgets. The proofs of its bounds are in
// preemption/engine/ENGINE.md, under "Exact victims", and for comparisons by tiers in tiers.go.
package exact
