package metrics

import (
	"fmt"

	"github.com/prometheus/client_golang/prometheus"
)

// Replace registers the collector in place of others with the same names. It removes the others from the
// registry and from then on adds their values to its own, so that nothing that is still counted in them is
// lost. It ignores collectors that the registry does not have. Call it once for a registry.
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
