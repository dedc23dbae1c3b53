package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Replace registers the collector in the place of others of the same names: it takes them out
// of the registry and adds their values to its own from then on, so that what goes on counting
// in them is not lost. One that the registry does not have is passed over. Call it once for a
// registry.
func (c *Collector) Replace(registry prometheus.Registerer, others ...prometheus.Collector) error {
	for _, of := range others {
		if !registry.Unregister(of) {
			continue
		}
		if err := c.replaced.Register(of); err != nil {
			return fmt.Errorf("metrics: %w", err)
		}
	}
	if err := registry.Register(c); err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}
