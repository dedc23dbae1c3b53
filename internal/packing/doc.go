// Package packing answers: where do items of a few kinds go, in bins whose occupants can leave, and
// which bound does no placement beat?
//
// A bin has an amount of room in each row, one row for each resource. An item needs an amount of every row. A
// leaver is an occupant that can leave: it then frees some amounts, and costs its weight. Budgets cover
// leavers: a leaver beyond what a budget has left is a violation. A placement is better than another if it has
// fewer violations or, with equally many, if its leavers weigh less.
//
// [Relax] puts prices on the items, so that each bin can be filled independently of the others (sack.go chooses
// the items, cover.go the leavers for them), and looks for the prices with the highest bound (relax.go,
// bundle.go). [Place] sells the items to the bins at such prices, and then takes some back and sells them again
// (place.go). Both count steps and not time, and use a fixed random sequence: the same problem has the same
// answer for the same limit.
//
// The package knows nothing of pods, nodes and disruption budgets. The proof of the bound is in
// preemption/engine/ENGINE.md, under "Several pods at once".
package packing
