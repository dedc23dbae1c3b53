package schedules_test

import (
	"flag"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/schedules"
)

// The step schedules of .ci/run asks for more of them.
var (
	count = flag.Int("schedules", 30, "how many schedules are run")
	seed  = flag.Uint64("seed", 1, "the seed of all schedules")
)

// Whatever goes wrong and whenever, a scheduler that reaches the cluster through the mirror and the actions keeps
// what the library's own parts keep, and once everything is quiet its mirror is what a fresh list has.
func TestInvariantSchedules(t *testing.T) { schedules.RunAll(t, *seed, *count, newBrain) }
