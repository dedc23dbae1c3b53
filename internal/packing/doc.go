// Package packing answers: where do items of a few kinds go, in bins whose occupants can leave, and
// what does no placement beat?
//
// An item needs an amount of every row of a bin. A leaver frees some amounts and has a weight. Budgets cover
// leavers: beyond what a budget has left a leaver is a violation. A placement is the better the fewer
// violations it has, and of equal ones the less its leavers weigh.
//
// [Relax] prices the items, so that each bin can be filled for itself (sack.go has the items, cover.go
// who leaves for them), and looks for the prices whose bound is the highest (relax.go, bundle.go). [Place]
// sells the items at such prices, and then takes some back and sells them again (place.go). Both count steps
// and not time, and use no randomness but a fixed sequence: the same problem has the same answer for the
// same limit.
//
// The package knows nothing of pods, nodes and disruption budgets. The proof of the bound is in
// preemption/engine/ENGINE.md, under "Several pods at once".
package packing
