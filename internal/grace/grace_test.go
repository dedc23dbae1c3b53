package grace

import (
	"testing"

	"github.com/outrank-go/outrank"
)

// The simplified variant gives victims no time; by the others each has its own (rule 13.3.8).
func TestOf(t *testing.T) {
	for variant, own := range map[outrank.Variant]bool{0: true, outrank.VariantV1_13: true, outrank.VariantSimplified: false} {
		if got := Of(variant); (got == nil) != own || !own && *got != 0 {
			t.Errorf("Of(%v) = %v", variant, got)
		}
	}
}
