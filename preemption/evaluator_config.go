package preemption

import (
	"slices"

	"github.com/outrank-go/outrank/preemption/internal/filters"
)

// Config returns the configuration that the evaluator decides by. The slices in it are
// the caller's; what they and its functions point to is shared, and must not change.
func (e *Evaluator) Config() Config {
	c := e.asked
	c.Filters, c.Schedulers, c.Extenders = slices.Clone(c.Filters), slices.Clone(c.Schedulers), slices.Clone(c.Extenders)
	c.Scorers, c.Policy.Ranks = slices.Clone(c.Scorers), slices.Clone(c.Policy.Ranks)
	c.Plugins = filters.ClonePlugins(&c.Plugins)
	return c
}
