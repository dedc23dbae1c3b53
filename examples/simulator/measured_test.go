package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/simulator/metrics"
	"github.com/outrank-go/outrank/examples/simulator/report"
)

// The metrics stand behind the summary, which stays as it is.
func TestMetricsStandBehindTheSummary(t *testing.T) {
	plain, with := answered(t), answered(t, "-metrics")
	require.True(t, strings.HasPrefix(with, plain+"\nJobs\n"))

	var out struct {
		report.Summary
		Metrics *metrics.Report `json:"metrics"`
	}
	require.NoError(t, json.Unmarshal([]byte(answered(t, "-fragments", "gpu", "-o", "json")), &out))
	require.Equal(t, out.Pods.Finished, out.Metrics.All.Finished)
	require.Equal(t, out.Preemption.Evictions, out.Metrics.All.Evicted())
	require.InDelta(t, out.Lost.PodSeconds, out.Metrics.All.LostSeconds, 1e-6)
	require.InDelta(t, out.Lost.CPUHours*3600, out.Metrics.All.Resources[0].Lost, 1e-6)
	require.EqualValues(t, "example.com/gpu-milli", out.Metrics.Fragmentation.Resource)
	require.True(t, out.Metrics.Fragmentation.Share.Defined())
	require.NotContains(t, answered(t, "-o", "json"), "metrics")

	status, _, complaint := simulator("-inspect", "-fragments", "cpu")
	require.Equal(t, 2, status)
	require.Contains(t, complaint, "-inspect runs nothing")
	status, _, complaint = simulator("-fragments", "disk")
	require.Equal(t, 2, status)
	require.Contains(t, complaint, "cpu, gpu, memory")
}

// An audit finds nothing, and changes nothing that comes out.
func TestAudited(t *testing.T) {
	for _, args := range [][]string{
		{"-seed", "7", "-score", "most", "-queue", "fifo", "-policy", "simplified", "-until", "90m"},
		{"-gangs", "3", "-events", "-"}, {"-static", "6000,8192", "-kubelet-order", "best"}, {"-order", "async", "-policy", "current", "-cycle", "20ms"},
		{"-policy", "v1.13", "-load", "2", "-cycle", "20ms"},
	} {
		args = append(args, "-until", "40m")
		require.Equal(t, answered(t, args...), answered(t, append(args, "-audit")...), args)
	}
}
