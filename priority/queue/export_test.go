package queue

import (
	"maps"
	"slices"
)

// HelpedBy names, in order, the filters of which it is known what may help.
func HelpedBy() []string { return slices.Sorted(maps.Keys(helpers)) }
