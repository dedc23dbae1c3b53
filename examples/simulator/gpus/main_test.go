package main

import (
	"bytes"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/preemption"
)

// The program is short, no GPU has more than it can, and the score that fills GPUs up leaves less in
// fragments.
func TestSimulate(t *testing.T) {
	looks := 0
	out := simulate("least allocated", nil)
	out += simulate("tight", func(c *sim.Choice) int64 {
		looks++
		require.GreaterOrEqual(t, slices.Min(free(c.Node, c.Snapshot.PodsOn(c.Node.Name))), int64(0))
		return tight(c)
	})
	require.Equal(t, `least allocated  300 of 300 pods finished, 35 evicted, slowdown 1.15, 74.4% of all GPUs used, 36.2% of the rest in fragments
tight            300 of 300 pods finished, 28 evicted, slowdown 1.12, 74.5% of all GPUs used, 32.0% of the rest in fragments
`, out)
	require.Greater(t, looks, 300)
	text, err := os.ReadFile("main.go")
	require.NoError(t, err)
	require.LessOrEqual(t, bytes.Count(text, []byte("\n")), 100)
}

// Three pods with 600 each fit no two GPUs, although there is enough in all; a nominated pod counts.
func TestTakes(t *testing.T) {
	node := &outrank.Node{Name: "n", Value: 2}
	pod := func(milli, on int64, node string) *outrank.Pod {
		return &outrank.Pod{NodeName: node, Value: &share{milli, on}}
	}
	first, second, nominated := pod(600, 0, "n"), pod(600, 1, "n"), pod(600, 0, "")
	require.True(t, takes(pod(600, 0, ""), node, []*outrank.Pod{first}).Code == preemption.Success)
	require.False(t, takes(pod(600, 0, ""), node, []*outrank.Pod{first, second}).Code == preemption.Success)
	require.False(t, takes(pod(600, 0, ""), node, []*outrank.Pod{first, nominated}).Code == preemption.Success)
	require.True(t, takes(pod(400, 0, ""), node, []*outrank.Pod{first, nominated}).Code == preemption.Success)
}
