package kubeletadmit

import "github.com/outrank-go/outrank"

// Certificate says how good the pods are that a search chose (rule 17.8.7). It belongs to the
// caller.
type Certificate struct {
	// Optimal is set if no better set of pods covers the shortages. If it is not set, the search
	// ended early, and the set is the best one that it met.
	Optimal bool
	// Steps is the number of steps that the search took. A step looks at one pod, beside
	// others that are assumed to go.
	Steps int
	// Tiers lists the tiers with pods that go or may have to go. The tier that is evicted last
	// comes first.
	Tiers []TierCount
}

// TierCount says how many pods of a tier go, and bounds how many have to go.
type TierCount struct {
	Class outrank.QOSClass
	// Priority is the priority of the tier's pods. It is nil where priorities make no tiers.
	Priority *int32
	// Chosen is the number of pods of the tier that go. AtLeast bounds all sets of pods that
	// cover the shortages: compared tier by tier in this order, none has fewer pods in the
	// first tier where its number differs from AtLeast. In an optimal set Chosen equals AtLeast.
	Chosen, AtLeast int
}
