package run

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
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
`

// written writes a study's file.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "study.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// started runs the program, and returns its status and its outputs.
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

	third := t.TempDir() // three runs go together
	require.Zero(t, run(t.Context(), &options{study: study, out: third, atOnce: 20}, io.Discard, io.Discard))
	sameTables(t, first, third)

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

// built builds a program into the test's folder.
func built(t *testing.T, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	text, err := exec.Command("go", "build", "-o", path, pkg).CombinedOutput()
	require.NoError(t, err, "%s", text)
	return path
}

// jobServer starts a Prism job server as a process of its own, and returns its address.
func jobServer(t *testing.T) string {
	t.Helper()
	server := built(t, "github.com/apache/beam/sdks/v2/go/cmd/prism")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	require.NoError(t, l.Close())
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	prism := exec.CommandContext(ctx, server, "-job_port", port, "-serve_http=false", "-log_level", "error")
	require.NoError(t, prism.Start())
	t.Cleanup(func() { stop(); _ = prism.Wait() })
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 20*time.Second, 50*time.Millisecond)
	return address
}

// A study is worked off through a job server by two workers, which are processes of their
// own as the server is. Its tables are those of the embedded runner, to the byte.
func TestJobServer(t *testing.T) {
	address, program := jobServer(t), built(t, "..")
	study := written(t, small)
	embedded, served := t.TempDir(), t.TempDir()
	status, _, stderr := started(t, study, embedded)
	require.Zero(t, status, stderr)

	worker := func(more ...string) *exec.Cmd {
		args := append([]string{"-study", study, "-out", served, "--runner=universal", "--endpoint=" + address, "--environment_type=LOOPBACK"}, more...)
		return exec.CommandContext(t.Context(), program, args...)
	}
	var texts [2]bytes.Buffer
	var workers [2]*exec.Cmd
	for i := range workers {
		workers[i] = worker("-part", fmt.Sprintf("%d/2", i+1))
		workers[i].Stdout, workers[i].Stderr = &texts[i], &texts[i]
		require.NoError(t, workers[i].Start())
	}
	for i, w := range workers {
		require.NoError(t, w.Wait(), texts[i].String())
		assert.Contains(t, texts[i].String(), fmt.Sprintf("Part %d/2 is in ", i+1))
		assert.Contains(t, texts[i].String(), "4 of 4 runs")
	}
	text, err := worker().CombinedOutput()
	require.NoError(t, err, "%s", text)
	assert.Contains(t, string(text), "8 of 8 runs, 8 from before")
	sameTables(t, embedded, served)
}

// A study that is interrupted ends at once, reports that, and goes on from the present
// results.
func TestInterrupted(t *testing.T) {
	program := built(t, "..")
	study := written(t, strings.Replace(small, "count: 4", "count: 25", 1))
	out, whole := t.TempDir(), t.TempDir()
	var text bytes.Buffer
	command := exec.CommandContext(t.Context(), program, "-study", study, "-out", out)
	command.Stderr = &text
	require.NoError(t, command.Start())
	made := func() int {
		files, err := filepath.Glob(filepath.Join(out, "runs", "*", "*.json"))
		require.NoError(t, err)
		return len(files)
	}
	require.Eventually(t, func() bool { return made() > 2 }, time.Minute, 5*time.Millisecond, "results are written as they come")
	require.NoError(t, command.Process.Signal(os.Interrupt))
	var exit *exec.ExitError
	require.ErrorAs(t, command.Wait(), &exit, text.String())
	assert.Equal(t, 1, exit.ExitCode())
	assert.Contains(t, text.String(), "interrupted; the same command goes on from the runs that are there")
	before := made()
	require.Less(t, before, 50)
	assert.NoFileExists(t, filepath.Join(out, "table.md"))

	status, _, stderr := started(t, study, out)
	require.Zero(t, status, stderr)
	assert.Contains(t, stderr, fmt.Sprintf("50 of 50 runs, %d from before", before))
	status, _, stderr = started(t, study, whole)
	require.Zero(t, status, stderr)
	sameTables(t, whole, out)
}

// Parts are made one after another or at once, on any machine, and leave no run out.
func TestParts(t *testing.T) {
	study := written(t, small)
	whole, parts := t.TempDir(), t.TempDir()
	status, _, stderr := started(t, study, whole)
	require.Zero(t, status, stderr)
	for k := range 3 {
		var o, e bytes.Buffer
		require.Zero(t, run(t.Context(), &options{study: study, out: parts, part: part{k + 1, 3}}, &o, &e), e.String())
		assert.NoFileExists(t, filepath.Join(parts, "table.md"))
		assert.Contains(t, e.String(), []string{"3 of 3 runs", "3 of 3 runs", "2 of 2 runs"}[k])
	}
	status, _, stderr = started(t, study, parts)
	require.Zero(t, status, stderr)
	assert.Contains(t, stderr, "8 of 8 runs, 8 from before")
	sameTables(t, whole, parts)
	for text, ok := range map[string]bool{"1/1": true, "2/3": true, "0/1": false, "2/1": false, "1": false, "a/b": false, "1/2/3": false, "1/9999999": false} {
		assert.Equal(t, ok, new(part).Set(text) == nil, text)
	}
}

// Missing data are named, with their source, and so is every other mistake.
func TestMissingData(t *testing.T) {
	files, err := filepath.Glob("../studies/*.yaml")
	require.NoError(t, err)
	for _, file := range files {
		var o, e bytes.Buffer
		if status := run(t.Context(), &options{study: file, data: t.TempDir(), dryRun: true}, &o, &e); status == 0 {
			continue // it needs none
		}
		assert.Contains(t, e.String(), "trace openb: ", file)
		assert.Contains(t, e.String(), "openb_node_list_all_node.csv", file)
		assert.Contains(t, e.String(), "its files are from github.com/alibaba/clusterdata", file)
		assert.Contains(t, e.String(), "-data names the folder", file)
	}
}

// A study's name may be anything, and its folder stands where it belongs.
func TestFolderName(t *testing.T) {
	for name, want := range map[string]string{"exact": "exact", "../../x": "study..-..-x", "a b/c": "a-b-c", "..": "study..", "é": "é"} {
		assert.Equal(t, want, folderName(name))
	}
}

// A cell that fails is reported with its seed, and the others go on.
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
	assert.Contains(t, string(failures), ",7,\"trace own: ")
	assert.Contains(t, string(failures), ",8,\"trace own: ")
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

func TestVersion(t *testing.T) {
	var stdout, stderr bytes.Buffer
	assert.Zero(t, run(t.Context(), &options{version: true}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "study (devel), rules of Kubernetes v1.37 (the default) and v1.36, go")
	assert.Empty(t, stderr.String())
}
