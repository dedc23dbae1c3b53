// Package grace answers how long the victims of preemption get to end.
package grace

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Of returns the time that a variant gives victims (rule 13.3.8); nil where each has its own. It is
// the caller's.
func Of(v outrank.Variant) *time.Duration {
	if v == outrank.VariantSimplified {
		return new(time.Duration)
	}
	return nil
}
