package lifecycle_test

import (
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/lifecycle"
)

// The simplified variant gives victims no time; by the others each has its own (rule 13.3.8).
func TestGrace(t *testing.T) {
	for variant, own := range map[outrank.Variant]bool{0: true, outrank.VariantV1_13: true, outrank.VariantSimplified: false} {
		if got := lifecycle.Grace(variant); (got == nil) != own || !own && *got != 0 {
			t.Errorf("Grace(%v) = %v", variant, got)
		}
	}
}
