// Package exact answers: which items have to leave to make room, if no other set may be better?
//
// An item holds amounts of the resources that are short, one column for each shortage. A set of items makes
// room if it holds enough of every column and, if the question requires it, the [Host] agrees. Of these sets
// the best one is wanted. Measures compare sets one after the other (see [Measure]). Items have
// parts that leave together, and a part takes from a budget. Parts beyond what a budget has left
// are violations, so the number of violations that an item adds depends on the other items.
//
// The host fills in a [Question] before the search, as tables. The search reads only these tables while it goes
// from set to set; it asks the host about whole sets that hold enough. The search is branch and bound. It ends
// after a number of steps, and then gives a [Score] that no set beats. The same question has the same answer in
// the same number of steps.
//
// The package knows nothing of pods, nodes and disruption budgets. The proofs of its bounds are in
// preemption/engine/ENGINE.md, under "Exact victims", and for comparisons by tiers in tiers.go.
package exact
