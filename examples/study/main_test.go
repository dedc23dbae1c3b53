package main

import (
	"bytes"
	"context"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/study/internal/progress"
)

func TestMain(m *testing.M) {
	flag.Parse()
	beamlog.LogLevel = "error"
	beam.Init()
	os.Exit(m.Run())
}

const small = `
name: small
traces: [{name: sample, sample: true}]
grid: {policy: [current, simplified]}
seeds: {count: 4}
resamples: 200
`

// written writes a study's file.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// started runs the program, and returns its status and what it wrote.
func started(t *testing.T, study, out string) (status int, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(t.Context(), &options{study: study, out: out}, &o, &e)
	return status, o.String(), e.String()
}

// compared are the files that depend on the study alone.
var compared = []string{"table.md", "figures.csv", "waits.csv", "failures.csv", "study.json", "picture-evictions.svg"}

func sameTables(t *testing.T, want, got string) {
	t.Helper()
	for _, name := range compared {
		a, err := os.ReadFile(filepath.Join(want, name))
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(got, name))
		require.NoError(t, err)
		assert.Equal(t, string(a), string(b), name)
	}
}

// A study gives the same tables again, from nothing, and from what an interrupted one left
// behind: files of some runs, and one that was cut off.
func TestSameTablesAgain(t *testing.T) {
	study := written(t, small)
	first, second := t.TempDir(), t.TempDir()
	status, stdout, _ := started(t, study, first)
	require.Zero(t, status)
	require.Contains(t, stdout, "| policy | evictions |")
	require.Contains(t, stdout, "| simplified |")
	status, again, _ := started(t, study, second)
	require.Zero(t, status)
	assert.Equal(t, strings.ReplaceAll(stdout, first, ""), strings.ReplaceAll(again, second, ""))
	sameTables(t, first, second)

	runs, err := filepath.Glob(filepath.Join(second, "runs", "*", "*.json"))
	require.NoError(t, err)
	require.Len(t, runs, 8)
	require.NoError(t, os.Remove(runs[0]))
	require.NoError(t, os.Truncate(runs[1], 10))
	require.NoError(t, os.Remove(filepath.Join(second, "figures.csv")))
	status, _, stderr := started(t, study, second)
	require.Zero(t, status)
	assert.Contains(t, stderr, "8 of 8 runs, 6 from before")
	made, _, known, _ := progress.Counts()
	assert.Equal(t, []int{2, 6}, []int{made, known})
	sameTables(t, first, second)
}

// A study is worked off in a process of its own, a Prism job server, as on the embedded
// runner.
func TestJobServer(t *testing.T) {
	server := filepath.Join(t.TempDir(), "prism")
	build := exec.Command("go", "build", "-o", server, "github.com/apache/beam/sdks/v2/go/cmd/prism")
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	prism := exec.CommandContext(ctx, server, "-job_port", port, "-serve_http=false", "-log_level", "error")
	require.NoError(t, prism.Start())
	defer func() { stop(); _ = prism.Wait() }()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)

	study := written(t, small)
	embedded, served := t.TempDir(), t.TempDir()
	status, _, stderr := started(t, study, embedded)
	require.Zero(t, status, stderr)
	for name, value := range map[string]string{"runner": "universal", "endpoint": address, "environment_type": "LOOPBACK"} {
		old := flag.Lookup(name).Value.String()
		require.NoError(t, flag.Set(name, value))
		defer func() { require.NoError(t, flag.Set(name, old)) }()
	}
	status, _, stderr = started(t, study, served)
	require.Zero(t, status, stderr)
	sameTables(t, embedded, served)
}

// A cell that fails is told with its seed, and the others go on.
func TestFailures(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nodes.csv"), []byte("sn,cpu_milli,memory_mib,gpu,model\nn1,4000,8192,0,\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pods.csv"), []byte("name,cpu_milli,memory_mib,qos,creation_time,deletion_time\np1,1000,1024,LS,0,60\n"), 0o600))
	path := filepath.Join(dir, "study.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
name: failing
traces: [{name: own, nodes: nodes.csv, pods: pods.csv}]
grid: {classes: ["LS=1000,BE=0", "BE=0"]}
compare: classes
seeds: {first: 7, count: 2}
`), 0o600))
	out := t.TempDir()
	status, _, stderr := started(t, path, out)
	assert.Equal(t, 1, status)
	assert.Contains(t, stderr, "2 runs failed")
	failures, err := os.ReadFile(filepath.Join(out, "failures.csv"))
	require.NoError(t, err)
	assert.Contains(t, string(failures), ",all,7,\"trace own: ")
	assert.Contains(t, string(failures), ",all,8,\"trace own: ")
	figures, err := os.ReadFile(filepath.Join(out, "figures.csv"))
	require.NoError(t, err)
	assert.Contains(t, string(figures), `"LS=1000,BE=0"`)
	assert.Contains(t, string(figures), "arrived,pods,2,1,1,1")
}

func TestBadStudies(t *testing.T) {
	for text, want := range map[string]string{
		"name: x\ntraces: []\n":                                         "traces: there is none",
		"traces: [{name: a, sample: true}]\n":                           "name: it has between 1 and 256 bytes",
		"name: x\ntraces: [{name: a}]\n":                                "one of sample, nodes with pods, dump and generate",
		"name: x\ntraces: [{name: a, sample: true}]\ngrid: {load: [0]}": "grid.load[0]: 0: it is a factor above 0",
		"name: x\ntraces: [{name: a, sample: true}]\ngrid: {pace: [0]}": "grid.pace: there is no such axis",
		"name: x\ntraces: [{name: a, nodes: n.csv, pods: p.csv}]":       "no such file",
		"name: x\nnames: y\n":                                           `unknown field "names"`,
		"name: [":                                                       "yaml",
	} {
		status, stdout, stderr := started(t, written(t, text), t.TempDir())
		assert.Equal(t, 2, status, text)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, want)
	}
}

func TestDryRun(t *testing.T) {
	var out, errs bytes.Buffer
	require.Zero(t, run(t.Context(), &options{study: written(t, small), dryRun: true}, &out, &errs), errs.String())
	assert.Contains(t, out.String(), "small: 2 cells, 4 seeds each, 8 runs\n")
	assert.Contains(t, out.String(), "measured on 2")
}
