package plugin_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
)

// klogFor returns a context whose logger writes lines of level 0 to the test, and
// keeps all up to level 3.
func klogFor(t *testing.T) (klog.Logger, context.Context) {
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.Verbosity(3), ktesting.BufferLogs(true)))
	return logger, klog.NewContext(t.Context(), logger)
}

// lines are what was logged so far with a message.
func lines(logger klog.Logger, message string) (all ktesting.Log) {
	for _, entry := range logger.GetSink().(ktesting.Underlier).GetBuffer().Data() {
		if entry.Message == message {
			all = append(all, entry)
		}
	}
	return all
}

// The line of a decision is of level 2 where pods have to leave, and of level 3
// where none do: a pod for which there is no room is tried as long as it waits.
func TestLevelsOfLines(t *testing.T) {
	c := newCluster(t, node("n1", "4"), running("low", 1, "3", "n1", 0))
	c.run()
	c.create(pending("high", 10, "2"), pending("huge", 10, "9"))
	c.isOn("high", "n1")
	c.eventually("tried", func() bool { return len(c.recorder.about("huge Warning FailedScheduling")) > 0 })
	said := lines(c.log, "Preemption")
	require.NotEmpty(t, said)
	levels := map[string]int{}
	for _, entry := range said {
		require.Equal(t, ktesting.LogInfo, entry.Type)
		for i := 0; i+1 < len(entry.ParameterKVList); i += 2 {
			if entry.ParameterKVList[i] == "outcome" {
				levels[entry.ParameterKVList[i+1].(string)] = entry.Verbosity
			}
		}
	}
	require.Equal(t, map[string]int{"preempt": 2, "nothing-helps": 3}, levels)
}
