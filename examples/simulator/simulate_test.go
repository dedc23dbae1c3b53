package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/simulator/report"
)

// The sample shows preemption at once.
func TestSampleShowsPreemption(t *testing.T) {
	var s report.Summary
	require.NoError(t, json.Unmarshal([]byte(answered(t, "-o", "json")), &s))
	require.Equal(t, 150, s.Pods.Arrived)
	require.Equal(t, 150, s.Pods.Run)
	require.Equal(t, 145, s.Pods.Finished, "all but those that never end")
	require.Greater(t, s.Preemption.Preemptions, 20)
	require.Greater(t, s.Pods.EvictedAgain, 5)
	require.Greater(t, s.Lost.CPUHours, 10.0)
	require.Less(t, s.Waits[0].Median, s.Waits[len(s.Waits)-1].Median, "who is more important waits less")
}

// Gangs of the sample are placed, pushed out and made anew together.
func TestSampleWithGangs(t *testing.T) {
	var s report.Summary
	require.NoError(t, json.Unmarshal([]byte(answered(t, "-gangs", "3", "-o", "json")), &s))
	require.Equal(t, 150, s.Pods.Arrived)
	require.Equal(t, 145, s.Pods.Finished, "all but those that never end")
	require.Equal(t, 48, s.Gangs.Arrived, "three of a class each, and what is left stays as it was")
	require.Equal(t, 48, s.Gangs.Placed)
	require.Greater(t, s.Gangs.Preempted, 10)
	require.Greater(t, s.Gangs.Preemptions, 10)
	require.Zero(t, s.Gangs.Waiting)
}

// Same input, same bytes, in every output.
func TestReproducible(t *testing.T) {
	outputs := func(args ...string) string {
		dir := t.TempDir()
		events, picture := filepath.Join(dir, "events"), filepath.Join(dir, "chart.svg")
		out := answered(t, append(args, "-events", events, "-chart", picture, "-o", "json")...)
		for _, name := range []string{events, picture} {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			out += string(text)
		}
		return out
	}
	for _, args := range [][]string{
		{"-seed", "3", "-load", "1.2", "-gangs", "4", "-order", "async"},
		{"-seed", "3", "-static", "5000,8192", "-order", "async"},
		{"-seed", "3", "-until", "75m", "-queue", "fifo", "-score", "most", "-order", "async", "-cycle", "5ms"},
	} {
		args = append(args, "-until", "40m")
		require.Equal(t, outputs(args...), outputs(args...), args)
	}
	require.NotEqual(t, outputs("-seed", "3"), outputs("-seed", "4"))
}

func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	events, picture := filepath.Join(dir, "events"), filepath.Join(dir, "chart.svg")
	summary := answered(t, "-events", events, "-chart", picture)
	text, err := os.ReadFile(events)
	require.NoError(t, err)
	counts := map[string]int{}
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		require.Len(t, fields, 5, line)
		counts[fields[1]]++
	}
	require.Equal(t, counts["arrive"]-150, counts["evict"], "every evicted pod is made anew")
	require.Equal(t, counts["evict"], counts["gone"])
	require.Equal(t, 145, counts["finish"])
	require.Contains(t, summary, " evictions\n")
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	wellFormed(t, svg)
	require.Contains(t, string(svg), "GPUs, mean")
	require.Contains(t, string(svg), "priority 1000")
	require.Equal(t, string(text)+summary, answered(t, "-events", "-"))
}

func TestFlagsHaveEffect(t *testing.T) {
	plain := answered(t)
	for _, args := range [][]string{
		{"-queue", "fifo"}, {"-score", "most"}, {"-policy", "simplified"}, {"-cycle", "1s"}, {"-grace", "0s"},
		{"-order", "sync"}, {"-early-pop=false"},
		{"-recreate=false"}, {"-until", "1h"}, {"-classes", "LS=0,BE=0,Burstable=0,Guaranteed=0"}, {"-pods-per-node", "3"},
	} {
		require.NotEqual(t, plain, answered(t, args...), args)
	}
	require.Contains(t, answered(t, "-until", "1h"), "Simulated 1h 00m\n")
}
