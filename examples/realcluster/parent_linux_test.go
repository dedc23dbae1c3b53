package main

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// On Linux what this program has started ends even where it is killed itself, a paused
// process too.
func TestAllEndsWhenKilled(t *testing.T) {
	parent, ids := processes(t)
	require.NoError(t, syscall.Kill(ids[1], syscall.SIGKILL))
	_ = parent.Wait()
	ends(t, ids[2])
}
