package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Folders of runs that are over are removed, but for the newest. Those of others that run
// stay, and so does everything else.
func TestClearRuns(t *testing.T) {
	in := t.TempDir()
	aged := func(dir string, hours int) string {
		at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(hours) * time.Hour)
		require.NoError(t, os.Chtimes(dir, at, at))
		return filepath.Base(dir)
	}
	removed, err := clearRuns(filepath.Join(in, "none"))
	require.NoError(t, err)
	assert.Empty(t, removed)
	runs, lock, err := newRun(in)
	require.NoError(t, err)
	defer lock.Close()
	aged(runs, 100)
	var over []string
	for i := range 5 {
		dir, lock, err := newRun(in)
		require.NoError(t, err)
		require.NoError(t, lock.Close())
		require.NoError(t, os.WriteFile(filepath.Join(dir, "log"), nil, 0o600))
		over = append(over, aged(dir, i))
	}
	old := filepath.Join(in, "run-old") // of a version without locks
	require.NoError(t, os.MkdirAll(filepath.Join(old, "etcd"), 0o700))
	aged(old, 50)
	programs := filepath.Join(in, "k8s-v1.37.1")
	require.NoError(t, os.Mkdir(programs, 0o700))
	aged(programs, 200)

	removed, err = clearRuns(in)
	require.NoError(t, err)
	assert.Equal(t, []string{over[3], over[4], "run-old"}, removed)
	for _, dir := range []string{filepath.Base(runs), over[0], over[1], over[2], "k8s-v1.37.1"} {
		assert.DirExists(t, filepath.Join(in, dir))
	}
	assert.NoDirExists(t, old)

	require.NoError(t, lock.Close())
	removed, err = clearRuns(in)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Base(runs)}, removed)
}
