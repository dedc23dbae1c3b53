package schedules_test

import (
	"flag"
	"fmt"
	"sync/atomic"
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
	var next atomic.Uint64
	t.Run("workers", func(t *testing.T) {
		for i := range 2 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				run := func(s *schedules.Schedule) schedules.Outcome { return schedules.Run(t, s, schedules.NewLibrary) }
				for n := next.Add(1); n <= uint64(*count) && !t.Failed(); n = next.Add(1) {
					s := schedules.Draw(*seed, n)
					if run(s).Broke != "" {
						t.Errorf("%s\nschedule %d of seed %d", schedules.Explain(s, run), n, *seed)
					}
				}
			})
		}
	})
}
