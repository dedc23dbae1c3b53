//go:build unix

package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe in the folder is no file: opening it would wait for somebody to write there.
func TestPipes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	s := usual()
	s.files, s.patience = dir, 20*time.Second
	text, failed := called(t, connected(t, s), "report", object{"cluster": "pipe"})
	assert.True(t, failed)
	assert.Contains(t, text, "is no file in the folder of -files")

	err := run(t.Context(), []string{"-cluster", filepath.Join(dir, "pipe")}, nil)
	assert.ErrorContains(t, err, "is no regular file")
}
