package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

// Tests hold little memory, so that rare collections save a quarter of their work.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

var update = flag.Bool("update", false, "write the golden files anew")

func simulator(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(context.Background(), args, &out, &err)
	return status, out.String(), err.String()
}

func answered(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := simulator(args...)
	require.Zero(t, status, stderr)
	require.Empty(t, stderr)
	return stdout
}

func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"sample.txt", nil},
		{"sample.json", []string{"-o", "json"}},
		{"packed.txt", []string{"-seed", "7", "-score", "most", "-queue", "fifo", "-policy", "simplified", "-until", "90m"}},
		{"gangs.txt", []string{"-gangs", "5"}},
		{"gangs.json", []string{"-gangs", "5", "-o", "json"}},
		{"gangevents.txt", []string{"-gangs", "3", "-events", "-", "-until", "37m"}},
		{"events.txt", []string{"-events", "-", "-until", "37m"}},
		{"static.txt", []string{"-static", "6000,8192"}},
		{"static.json", []string{"-static", "6000,8192", "-o", "json"}},
		{"metrics.txt", []string{"-fragments", "gpu", "-score", "profile", "-until", "3h"}},
		{"inspect.txt", []string{"-inspect"}},
		{"inspect.json", []string{"-inspect", "-o", "json"}},
		{"denser.txt", []string{"-inspect", "-load", "2.5", "-time-scale", "0.5", "-seed", "7"}},
		{"usage.txt", []string{"-h"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := answered(t, tt.args...)
			file := filepath.Join("testdata", tt.file+".golden")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			if diff := testdiff.Diff(string(want), got); diff != "" {
				t.Errorf("simulator %q, after a change that is meant run go test -update (-want +got):\n%s", tt.args, diff)
			}
		})
	}
}

// file writes a file for a test.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "in.csv")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	return name
}

const twoNodes = "sn,cpu_milli,memory_mib,gpu,model\na,4000,4096,2,T4\nb,8000,8192,0,\n"

func TestOwnFiles(t *testing.T) {
	nodes := file(t, twoNodes)
	pods := file(t, `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,creation_time,deletion_time
fits,8000,1024,0,,,gold,100,300
large,8001,1024,0,,,gold,100,
scarce,1000,1024,1,500,P100,none,150,160
shared,1000,1024,1,500,T4|P100,,200,600
`)
	var s inputSummary
	out := answered(t, "-nodes", nodes, "-pods", pods, "-classes", "gold=7", "-o", "json", "-inspect")
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	want := inputSummary{
		Nodes: 2, Capacity: amounts{12, 12, 2}, Pods: 4, Seconds: 100, Unplaceable: 2,
		Classes: []class{
			{Name: "gold", Priority: 7, Pods: 2, Endless: 1, Asks: amounts{Cores: 16.001, Memory: 2}, MedianSeconds: 200},
			{Name: "none", Pods: 2, Asks: amounts{2, 2, 1}, MedianSeconds: 10},
		},
	}
	demand := s.Demand
	s.Demand = nil
	if diff := testdiff.Diff(want, s); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	require.Len(t, demand, 10)
	require.Equal(t, 2, demand[0].Arrivals)
	require.InDelta(t, 16.001/12, demand[0].CPU, 1e-9)
	require.InDelta(t, 0.25, demand[5].GPU, 1e-9, "all of one second from 50 on")
	require.Equal(t, 1, demand[9].Arrivals)
	require.InDelta(t, 2, demand[9].Pods, 1e-9, "the last one comes as the stretch ends")
}

func TestOutputsOfInput(t *testing.T) {
	dir := t.TempDir()
	events, picture := filepath.Join(dir, "events"), filepath.Join(dir, "chart.svg")
	answered(t, "-inspect", "-events", events, "-chart", picture)
	text, err := os.ReadFile(events)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, lines, 152, "a heading, the pods and the end of the last line")
	require.Equal(t, "0.000\tarrive\tdefault/batch-29\t-\tclass BE, priority 0, 8 cores, 16 GiB, 0 GPUs", lines[1])
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	wellFormed(t, svg)
	require.True(t, strings.HasPrefix(answered(t, "-inspect", "-events", "-"), string(text)))
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	for dec := xml.NewDecoder(bytes.NewReader(text)); ; {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestRefused(t *testing.T) {
	nodes := file(t, twoNodes)
	broken := file(t, "creation_time,qos\nx,LS\n1,gold\n")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-nodes", nodes}, "-nodes and -pods belong together"},
		{[]string{"-nodes", nodes, "-pods", "/no/such/file"}, "-pods: open /no/such/file"},
		{[]string{"-nodes", "/no/such/file", "-pods", nodes}, "-nodes: open /no/such/file"},
		{[]string{"-nodes", nodes, "-pods", broken}, `in.csv:2:1: creation_time: "x" is not a number of seconds`},
		{[]string{"-nodes", nodes, "-pods", broken}, `service classes without a priority: "gold" (1 pods)`},
		{[]string{"-classes", "LS"}, `"LS" is not class=priority`},
		{[]string{"-classes", "LS=1"}, `"BE" (53 pods), "Burstable" (25 pods), "Guaranteed" (5 pods); there are priorities for LS=1`},
		{[]string{"-load", "0"}, "-load and -time-scale are factors above 0"},
		{[]string{"-load", "-1"}, "load -1 is not between"},
		{[]string{"-time-scale", "NaN"}, "time scale NaN is not between"},
		{[]string{"-load", "100000"}, "more than 5000000 pods of 150"},
		{[]string{"-jitter", "-1s"}, "jitter -1s"},
		{[]string{"-pods-per-node", "0"}, "-pods-per-node 0 is not between"},
		{[]string{"-o", "yaml"}, "the formats are text and json"},
		{[]string{"-chart", "-"}, "-chart needs the name of a file"},
		{[]string{"-gangs", "1"}, "-gangs 1 is neither 0 nor between 2 and 10000"},
		{[]string{"-gangs", "-2"}, "-gangs -2 is neither 0"},
		{[]string{"-gangs", "10001"}, "-gangs 10001 is neither 0"},
		{[]string{"-gangs", "2", "-queue", "fifo"}, "-gangs needs -queue priority and -policy current"},
		{[]string{"-gangs", "2", "-policy", "simplified"}, "-gangs needs -queue priority and -policy current"},
		{[]string{"-chart", "/no/such/dir/x.svg"}, "open /no/such/dir/x.svg"},
		{[]string{"-events", "-", "-o", "json"}, "both write standard output"},
		{[]string{"-events", "a/../b", "-chart", "b"}, "-events and -chart are the same file"},
		{[]string{"-nodes", nodes, "-pods", "p", "-events", nodes}, "-nodes and -events are the same file"},
		{[]string{"-queue", "lifo"}, "it is one of fifo, priority"},
		{[]string{"-score", ""}, "it is one of least, most"},
		{[]string{"-policy", "v1"}, "it is one of current, simplified, v1.13"},
		{[]string{"-order", "async", "-policy", "v1.13"}, "-order does not go together with -policy v1.13, which has its own"},
		{[]string{"-early-pop=false", "-policy", "v1.13"}, "-early-pop does not go together with -policy v1.13, which has no backoff"},
		{[]string{"-order", "a"}, "it is one of async, sync"},
		{[]string{"-grace", "-1s"}, "-cycle, -grace and -until are not negative"},
		{[]string{"-fast"}, "run simulator -h for the flags"},
		{[]string{"now"}, `unexpected argument "now"`},
	} {
		status, stdout, stderr := simulator(tt.args...)
		require.Equal(t, 2, status, tt.args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, tt.want)
		for line := range strings.Lines(stderr) {
			require.True(t, strings.HasPrefix(line, "simulator: "), line)
		}
	}
}

// All at once, and never.
func TestPodsAtOnce(t *testing.T) {
	nodes := file(t, twoNodes)
	pods := file(t, "creation_time\n5\n5\n")
	out := answered(t, "-nodes", nodes, "-pods", pods, "-inspect")
	require.Contains(t, out, "2 pods, which come within 0.0s")
	require.NotContains(t, out, "together, if each")
}

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Zero(t, run(t.Context(), []string{"-version"}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "simulator (devel), rules of Kubernetes v1.37 (the default) and v1.36, go")
	assert.Empty(t, stderr.String())
}
