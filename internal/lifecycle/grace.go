package lifecycle

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Grace returns the grace period that a variant gives all victims (rule 13.3.8). It is nil if each victim has
// its own. The pointer belongs to the caller.
func Grace(v outrank.Variant) *time.Duration {
	if v == outrank.VariantSimplified {
		return new(time.Duration)
	}
	return nil
}
