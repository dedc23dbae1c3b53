package schedules

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// workers is how many schedules run at once.
const workers = 2

// RunAll runs the schedules of a seed from the first to a number, and explains those that fail. Each worker stops
// at its first.
func RunAll(t *testing.T, seed uint64, count int, maker Maker) {
	var next atomic.Uint64
	t.Run("workers", func(t *testing.T) {
		for i := range workers {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				run := func(s *Schedule) Outcome { return Run(t, s, maker) }
				for n := next.Add(1); n <= uint64(count) && !t.Failed(); n = next.Add(1) {
					if s := Draw(seed, n); run(s).Broke != "" {
						t.Errorf("%s\nschedule %d of seed %d", Explain(s, run), n, seed)
					}
				}
			})
		}
	})
}
