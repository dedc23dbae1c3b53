package kubeletadmit

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/prose"
)

// defaultSteps is how many steps the search of [Admitter.Exact] takes at most where
// [Admitter.MostSteps] is zero. They take some tens of milliseconds.
const defaultSteps = 100_000

// Certificate says how good the pods are that a search chose (rule 17.8.7). It belongs to
// the caller. It can be written as JSON, as it stands in that of an [Admission], and read.
type Certificate struct {
	// Optimal: no other pods that cover the shortages are better. Without it the search
	// ended early, and these are the best that it met.
	Optimal bool `json:"optimal"`
	// Steps is the number of steps that the search took: looks at a pod beside others that go.
	Steps int `json:"steps"`
	// Tiers are those of which pods go or may have to, the one that is spared most first.
	Tiers []TierCount `json:"tiers"`
}

// TierCount is how many pods of a tier go, and how many have to.
type TierCount struct {
	Class outrank.QOSClass `json:"class"`
	// Priority is that of the pods of the tier. It is nil where priorities make no tiers.
	Priority *int32 `json:"priority,omitempty"`
	// Chosen is how many pods of the tier go. AtLeast is a bound: whichever pods cover
	// the shortages, their numbers by tier are AtLeast everywhere, or more in the first
	// tier in which they are not. If the set is optimal the two are equal.
	Chosen  int `json:"chosen"`
	AtLeast int `json:"atLeast"`
}

// Gap returns the first tier of which more pods go than are known to have to. It is not
// ok if there is none: then at most the sums of what the pods request could be less, and
// not even these if the set is optimal.
func (c *Certificate) Gap() (t TierCount, ok bool) {
	for _, t := range c.Tiers {
		if t.Chosen != t.AtLeast {
			return t, true
		}
	}
	return TierCount{}, false
}

// String says in a line how good the pods are.
func (c *Certificate) String() string {
	switch gap, ok := c.Gap(); {
	case c.Optimal:
		return fmt.Sprintf("the best there is, found in %s", prose.Plural(c.Steps, "step"))
	case ok:
		return fmt.Sprintf("the best found in %s: %s, and at least %d", prose.Plural(c.Steps, "step"), gap, gap.AtLeast)
	}
	return fmt.Sprintf("the fewest pods there are, found in %s; others may request less", prose.Plural(c.Steps, "step"))
}

// String returns how many pods of the tier go, as in "2 Burstable pods" or "1 Burstable
// pod of priority 10".
func (t TierCount) String() string {
	text := prose.Plural(t.Chosen, string(t.Class)+" pod")
	if t.Priority != nil {
		text += fmt.Sprintf(" of priority %d", *t.Priority)
	}
	return text
}
