package queue

import (
	"maps"
	"slices"
)

// HelpedBy names, in order, the filters of which it is known what may help,
// LooksAt those of which it is known what they look at in the pod itself.
func LooksAt() []string { return slices.Sorted(maps.Keys(looksAt)) }

func HelpedBy() []string { return slices.Sorted(maps.Keys(helpers)) }
