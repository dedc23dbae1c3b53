package kubeletadmit

import "github.com/outrank-go/outrank"

// Certificate says how good the pods are that a search chose (rule 17.8.7). It belongs to the
// caller.
type Certificate struct {
	// Optimal: no other pods that cover the shortages are better. Without it the search
	// ended early, and these are the best that it met.
	Optimal bool
	// Steps is the number of steps that the search took: looks at a pod beside others that go.
	Steps int
	// Tiers are those of which pods go or may have to, the one that is spared most first.
	Tiers []TierCount
}

// TierCount is how many pods of a tier go, and how many have to.
type TierCount struct {
	Class outrank.QOSClass
	// Priority is that of the pods of the tier. It is nil where priorities make no tiers.
	Priority *int32
	// Chosen is how many pods of the tier go. AtLeast is a bound: whichever pods cover
	// the shortages, their numbers by tier are AtLeast everywhere, or more in the first
	// tier in which they are not. If the set is optimal the two are equal.
	Chosen, AtLeast int
}
