package filtertest_test

import (
	"flag"
	"runtime/debug"
	"testing"
)

// clusters is how many clusters a filter without a fault is tried on. The step properties of
// .ci/run takes as many as a user does who says nothing.
var clusters = flag.Int("clusters", 20, "how many clusters to try a filter without a fault on")

// Tests hold little memory, so that rare collections save a tenth of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	flag.Parse()
	if testing.Short() && *clusters == 20 {
		*clusters = 6
	}
	m.Run()
}
