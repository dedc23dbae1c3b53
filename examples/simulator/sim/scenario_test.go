package sim_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

var update = flag.Bool("update", false, "write the logs of the scenarios anew")

// TestScenarios plays the stories of testdata/scenarios; scenario_parse_test.go
// has their syntax. Each is played twice in every order of carrying plans out,
// unless it is about some of them: the expectations hold in all of these, and the
// same order gives the same events. The log, where a file has one, is that of the
// last order.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			sc, err := parseScenario(filepath.Base(path), string(text))
			require.NoError(t, err)
			log := playAll(t, sc)
			if !sc.hasLog || log == sc.log {
				return
			}
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(sc.head+logStart+"\n"+log), 0o644))
				return
			}
			t.Errorf("the events are others than in %s; -update writes them anew:\n%s", path, testdiff.Diff(sc.log, log))
		})
	}
}

// playAll plays a scenario in its orders, and gives the log of the last one.
func playAll(t *testing.T, sc *scenario) (log string) {
	t.Helper()
	orders := sc.orders
	if orders == nil {
		orders = []execution.Order{execution.Asynchronous, execution.Synchronous}
	}
	for _, order := range orders {
		first, err := sc.play(order)
		require.NoError(t, err)
		for _, failure := range first.failures {
			t.Errorf("%v order: %s", order, failure)
		}
		second, err := sc.play(order)
		require.NoError(t, err)
		require.Equal(t, first.log, second.log, "the same story told twice")
		log = first.log
	}
	return log
}
