package schedules_test

import (
	"flag"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/schedules"
)

// The step schedules of .ci/run asks for more of them.
var (
	count = flag.Int("schedules", 60, "how many schedules are run")
	seed  = flag.Uint64("seed", 1, "the seed of all schedules")
)

// Whatever goes wrong and whenever: nobody is told to go twice, no victim is lost, no preemptor is stuck, and
// what a scheduler knows is what a fresh list has once everything is quiet.
func TestInvariantSchedules(t *testing.T) {
	schedules.RunAll(t, *seed, *count, schedules.NewLibrary)
}
