package difftest

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

var (
	hintCases = flag.Int("hintcases", 270, "number of random clusters whose changes hints are asked about")
	hintSeed  = flag.Uint64("hintseed", 1, "seed of the first of them")
)

// RunHints compares the hints of the scheduler's plugins with those of outrank's queue on random changes.
func RunHints(t *testing.T, h differential.Hints) {
	differential.Quiet()
	count, kinds := differential.HintCount{}, differential.ClusterKinds
	for i := range *hintCases {
		kind, seed := kinds[i%len(kinds)], *hintSeed+uint64(i/len(kinds))
		differences, err := h.Run(kind, seed, count)
		if err != nil {
			t.Fatalf("kind %s, seed %d: %v", kind, seed, err)
		}
		if len(differences) > 0 {
			t.Fatalf("kind %s, seed %d differs; repeat with -hintseed %d:\n%s", kind, seed, seed, strings.Join(differences[:min(4, len(differences))], "\n"))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%8d %s", count[what], what)
	}
}
