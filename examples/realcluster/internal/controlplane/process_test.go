package controlplane

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStopEndsAProcess(t *testing.T) {
	p, err := Start("sleeper", "/bin/sh", t.TempDir(), "-c", "echo here; exec sleep 100")
	require.NoError(t, err)
	assert.NoError(t, p.Failure())
	wrote(t, p)
	require.NoError(t, p.Pause())
	p.Stop(10 * time.Second) // also a paused one
	assert.ErrorIs(t, syscall.Kill(p.ID(), 0), syscall.ESRCH)
	assert.ErrorContains(t, p.Failure(), "here")
	p.Stop(time.Second) // again
}

func TestStopKillsAProcessThatDoesNotListen(t *testing.T) {
	dir := t.TempDir()
	p, err := Start("deaf", "/bin/sh", dir, "-c", "trap '' TERM; echo deaf; while :; do sleep 0.05; done")
	require.NoError(t, err)
	wrote(t, p)
	p.Stop(100 * time.Millisecond)
	assert.ErrorIs(t, syscall.Kill(p.ID(), 0), syscall.ESRCH)
}

func TestAProcessThatEndsByItselfSaysWhy(t *testing.T) {
	p, err := Start("short", "/bin/sh", t.TempDir(), "-c", "echo bad flag; exit 3")
	require.NoError(t, err)
	<-p.Ended()
	err = p.Failure()
	assert.ErrorContains(t, err, "exit status 3")
	assert.ErrorContains(t, err, "bad flag")
}

func TestAProgramThatIsNotThere(t *testing.T) {
	_, err := Start("nobody", "/no/such/program", t.TempDir())
	assert.ErrorContains(t, err, "nobody")
}

func TestFreePortsDiffer(t *testing.T) {
	p, err := FreePorts()
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, n := range []int{p.EtcdClient, p.EtcdPeer, p.APIServer, p.Controllers, p.Scheduler} {
		assert.Positive(t, n)
		assert.False(t, seen[n])
		seen[n] = true
	}
}

// wrote waits for output of the process.
func wrote(t *testing.T, p *Process) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, _ := os.ReadFile(p.Log)
		return len(text) > 0
	}, 10*time.Second, 10*time.Millisecond)
}
