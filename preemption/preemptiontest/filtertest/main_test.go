package filtertest_test

import (
	"flag"
	"runtime/debug"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/seeded"
)

// clusters is how many clusters a filter without a fault is tried on. The step properties of
// .ci/run takes as many as a user does who says nothing.
var clusters = flag.Int("clusters", 0, "how many clusters to try a filter without a fault on; 0 for 20, or 6 in short tests")

// Tests hold little memory, so that rare collections save a tenth of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	flag.Parse()
	if *clusters == 0 {
		*clusters = seeded.Sample(6, 20)
	}
	m.Run()
}
