package lifecycle

import (
	"time"

	"github.com/outrank-go/outrank"
)

// Grace returns the time that a variant gives victims (rule 13.3.8); nil where each has its own. It is
// the caller's.
func Grace(v outrank.Variant) *time.Duration {
	if v == outrank.VariantSimplified {
		return new(time.Duration)
	}
	return nil
}
