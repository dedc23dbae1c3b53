// Package packing places items of a few kinds in bins, some of whose occupants leave, and says
// what no placement beats.
//
// An item needs some of every row of a bin, a leaver frees some and has a weight, and budgets cover
// leavers: beyond what a budget has left a leaver is a violation. A placement has few violations, and
// then little weight.
//
// [Relax] prices the items, so that each bin can be filled for itself (sack.go has the items, cover.go
// who leaves for them), and looks for the prices whose bound is the highest (relax.go, bundle.go). [Place] sells the items at
// such prices, and then takes some back and sells them again (place.go). Both count steps and not
// time, and use no randomness but a fixed sequence: the same problem has the same answer for the
// same limit.
//
// The package knows nothing of pods, nodes and disruption budgets. The proof of the bound is in
// preemption/engine/ENGINE.md, under "Several pods at once".
package packing
