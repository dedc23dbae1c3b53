package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/simulator/report"
)

func summaryOf(t *testing.T, args ...string) *report.Summary {
	t.Helper()
	var s report.Summary
	require.NoError(t, json.Unmarshal([]byte(answered(t, append(args, "-o", "json")...)), &s))
	return &s
}

// A static pod on every node of the sample: some push others out, which start elsewhere.
func TestStaticPods(t *testing.T) {
	s := summaryOf(t, "-static", "6000,8192")
	require.Equal(t, 162, s.Pods.Arrived, "one more for each of the 12 nodes")
	require.Equal(t, 162, s.Pods.Run)
	require.Greater(t, s.Kubelets.ForCritical, 3)
	require.Positive(t, s.Kubelets.Evicted.Elsewhere)
	require.Zero(t, s.Kubelets.UnderMemory, "pods use what they ask for, where nothing else is said")
	require.Equal(t, "pods 2,000,001,000", "pods "+report.Count(int(s.Waits[0].Priority)))
	require.Equal(t, 12, s.Waits[0].Pods)
	require.Nil(t, summaryOf(t).Kubelets)
	require.Contains(t, answered(t, "-static", "6000,8192", "-inspect"), "static      2000001000    12         12")
}

// The order decides who goes for a static pod.
func TestKubeletOrder(t *testing.T) {
	crowded := func(more ...string) *report.Summary {
		return summaryOf(t, append(more, "-static", "6000,8192", "-load", "2")...)
	}
	plain := crowded()
	require.Equal(t, plain, crowded("-kubelet-order", "class"))
	for _, order := range []string{"priority", "best"} {
		require.NotEqual(t, plain, crowded("-kubelet-order", order), order)
	}
}

// Kubelets alone change nothing about the sample.
func TestKubeletsWithoutWork(t *testing.T) {
	with := summaryOf(t, "-kubelets")
	require.Equal(t, with.Pods.Run+with.Preemption.Evictions, with.Kubelets.Started, "each start of a pod")
	with.Kubelets = nil
	require.Equal(t, summaryOf(t), with)
}

const ownPods = `name,cpu_milli,memory_mib,qos,creation_time,deletion_time,node_name,static,memory_used_mib
web,2000,1024,LS,0,3600,,,
batch,2000,1024,BE,10,3000,,,4000
agent,7000,1024,Guaranteed,100,,b,true,
`

// Columns of a user's table: a static pod, and one that uses more than it asks for.
func TestColumnsForKubelets(t *testing.T) {
	nodes, pods := file(t, twoNodes), file(t, ownPods)
	s := summaryOf(t, "-nodes", nodes, "-pods", pods, "-kubelets", "-seed", "0")
	require.Equal(t, 3, s.Pods.Run)
	require.Positive(t, s.Kubelets.UnderMemory)
	require.Positive(t, s.Kubelets.ForCritical)
	events := answered(t, "-nodes", nodes, "-pods", pods, "-kubelets", "-seed", "0", "-events", "-")
	require.Contains(t, events, "100.000\tarrive\tdefault/agent\tb\tpriority 2000, static\n")
	require.Contains(t, events, "under memory pressure, uses 4000Mi and requests 1Gi")
	require.Contains(t, events, "by default/agent, which its kubelet starts")
}

func TestKubeletsRefused(t *testing.T) {
	nodes, pods := file(t, twoNodes), file(t, ownPods)
	elsewhere := file(t, "creation_time,node_name\n0,z\n")
	noNode := file(t, "creation_time,static,memory_used_mib\n0,true,\n0,yes,\n0,,-1\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-nodes", nodes, "-pods", pods}, `pod "batch": node_name, static and memory_used_mib need -kubelets`},
		{[]string{"-nodes", nodes, "-pods", pods, "-inspect"}, "need -kubelets"},
		{[]string{"-nodes", nodes, "-pods", elsewhere, "-kubelets"}, `node_name: there is no node "z"`},
		{[]string{"-nodes", nodes, "-pods", noNode, "-kubelets"}, "in.csv:2:3: static: a static pod needs a node_name"},
		{[]string{"-nodes", nodes, "-pods", noNode, "-kubelets"}, `static: "yes" is neither true nor false`},
		{[]string{"-nodes", nodes, "-pods", noNode, "-kubelets"}, "memory_used_mib: -1 is negative"},
		{[]string{"-static", "4"}, `"4" is not cpu_milli,memory_mib; write 4000,8192`},
		{[]string{"-static", "4,5,6"}, "is not cpu_milli,memory_mib"},
		{[]string{"-static", "-4,5"}, "is not cpu_milli,memory_mib"},
		{[]string{"-gangs", "3", "-kubelets"}, "-gangs does not go together with -kubelets, -kubelet-order and -static"},
		{[]string{"-kubelet-order", "name"}, "it is one of best, class, priority"},
		{[]string{"-gangs", "3", "-kubelet-order", "best"}, "-gangs does not go together"},
		{[]string{"-gangs", "3", "-static", "1,1"}, "-gangs does not go together"},
	} {
		status, stdout, stderr := simulator(tt.args...)
		require.Equal(t, 2, status, tt.args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, tt.want)
	}
}

// The picture shows every eviction of the log, and the settings of the run.
func TestPictureShowsEvictions(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		args   []string
		called string
	}{
		{nil, "Called without flags: the sample"},
		{[]string{"-policy", "simplified", "-load", "1.5", "-grace", "45s"}, "Called with -grace 45s -load 1.5 -policy simplified"},
		{[]string{"-static", "6000,8192", "-recreate=false"}, "Called with -recreate=false -static 6000,8192"},
		{[]string{"-until", "45m", "-classes", "LS=9,BE=1,Burstable=5,Guaranteed=20"}, "Called with -classes LS=9,BE=1,Burstable=5,Guaranteed=20 -until 45m0s"},
	} {
		events, picture := filepath.Join(dir, "events"), filepath.Join(dir, "chart.svg")
		answered(t, append(tt.args, "-events", events, "-chart", picture)...)
		text, err := os.ReadFile(events)
		require.NoError(t, err)
		svg, err := os.ReadFile(picture)
		require.NoError(t, err)
		wellFormed(t, svg)
		evicted := strings.Count(string(text), "\tevict\t")
		require.Positive(t, evicted)
		require.Contains(t, string(svg), ", "+strconv.Itoa(evicted)+" in all")
		require.Contains(t, string(svg), tt.called)
		require.Contains(t, string(svg), "Rules: policy ")
	}
}
