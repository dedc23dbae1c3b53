package kubeletadmit

import "github.com/outrank-go/outrank"

// Certificate says how good the pods are that a search chose (rule 17.8.7). It belongs to the
// caller.
type Certificate struct {
	// Optimal is set if no other pods that cover the shortages are better. If it is not set, the
	// search ended early, and these are the best pods that it met.
	Optimal bool
	// Steps is the number of steps that the search took. A step looks at one pod, beside
	// others that are assumed to go.
	Steps int
	// Tiers lists the tiers of which pods go or may have to go. The last to be evicted comes
	// first.
	Tiers []TierCount
}

// TierCount says how many pods of a tier go, and bounds how many have to go.
type TierCount struct {
	Class outrank.QOSClass
	// Priority is the priority of the tier's pods. It is nil where priorities make no tiers.
	Priority *int32
	// Chosen is the number of pods of the tier that go. AtLeast is a bound for all sets of
	// pods that cover the shortages: a set has AtLeast pods of every tier, or more than that
	// of the first tier where the numbers differ. In an optimal set Chosen equals AtLeast.
	Chosen, AtLeast int
}
