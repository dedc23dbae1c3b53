package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file among the results that is not the run's own is none: an empty object, another run,
// and waits that cannot be read.
func TestForeignResults(t *testing.T) {
	study, out, whole := written(t, small), t.TempDir(), t.TempDir()
	status, _, stderr := started(t, study, whole)
	require.Zero(t, status, stderr)
	status, _, stderr = started(t, study, out)
	require.Zero(t, status, stderr)
	runs, err := filepath.Glob(filepath.Join(out, "runs", "*", "*.json"))
	require.NoError(t, err)
	require.Len(t, runs, 8)
	require.NoError(t, os.WriteFile(runs[0], []byte("{}"), 0o600))
	other, err := os.ReadFile(runs[1])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runs[2], other, 0o600))
	text, err := os.ReadFile(runs[3])
	require.NoError(t, err)
	fields := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &fields))
	fields["waits"] = map[string]string{"0": "/w=="}
	text, err = json.Marshal(fields)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runs[3], text, 0o600))

	status, _, stderr = started(t, study, out)
	require.Zero(t, status, stderr)
	assert.Contains(t, stderr, "8 of 8 runs, 5 from before")
	sameTables(t, whole, out)
}

// A folder that cannot be written is an error of one line, before anything is run.
func TestNowhereToWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	status, stdout, stderr := started(t, written(t, small), filepath.Join(file, "results"))
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "study: results cannot be written: ")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	out := t.TempDir()
	status, _, stderr = started(t, written(t, small), out)
	require.Zero(t, status, stderr)
	tries, err := filepath.Glob(filepath.Join(out, "runs", "try-*"))
	require.NoError(t, err)
	assert.Empty(t, tries, "the trial leaves nothing behind")
}

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A table that nobody could read is no success.
func TestOutputFull(t *testing.T) {
	for _, opts := range []*options{{}, {dryRun: true}, {part: part{1, 2}}} {
		opts.study, opts.out = written(t, small), t.TempDir()
		var e bytes.Buffer
		assert.Equal(t, 2, run(t.Context(), opts, full{}, &e), "%+v", opts)
		assert.Contains(t, e.String(), "study: no space left\n")
	}
}

// Failed runs of a part are reported, also in the status, as those of a whole study are.
func TestPartTellsFailures(t *testing.T) {
	dump := filepath.Join(t.TempDir(), "dump.json")
	require.NoError(t, os.WriteFile(dump, []byte(`{"kind": "List", "items": [`), 0o600))
	study := written(t, "name: failing\ntraces: [{name: own, dump: "+dump+"}]\nseeds: {count: 4}\n")
	var o, e bytes.Buffer
	assert.Equal(t, 1, run(t.Context(), &options{study: study, out: t.TempDir(), part: part{1, 2}}, &o, &e))
	assert.Contains(t, o.String(), "Part 1/2 is in ")
	assert.Contains(t, e.String(), "study: 2 runs failed; they are tried again when the tables are made\n")
}

// An error of a pipeline is reported without its plan.
func TestCause(t *testing.T) {
	long := errors.New("job job-001 failed:\nbundle inst006 failed: while executing:\n1: DataSource\n\tcaused by:\nDoFn[UID:2] failed:\nwrite x: no space left on device")
	assert.EqualError(t, cause(long, false), "write x: no space left on device (-verbose has all that Beam says)")
	assert.Equal(t, long, cause(long, true))
	other := errors.New("no such host")
	assert.Equal(t, other, cause(other, false))
}

// A dry run that is interrupted promises nothing.
func TestInterruptedDryRun(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var o, e bytes.Buffer
	assert.Equal(t, 1, run(ctx, &options{study: written(t, small), dryRun: true}, &o, &e))
	assert.Equal(t, "study: interrupted; a dry run keeps nothing\n", e.String())
}
