package controlplane

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAReplicaIsStartedAgainUntilItIsStopped(t *testing.T) {
	program := script(t, "exec sleep 100")
	c := &Cluster{dir: t.TempDir(), logs: t.TempDir(), options: Options{Say: t.Logf, Program: func(string) string { return program }}}
	var err error
	c.authority, err = NewAuthority(filepath.Join(c.dir, "pki"))
	require.NoError(t, err)
	r, err := c.StartReplica("one", Scheduler{Program: "kube-scheduler", Plugin: "Outrank", Profiles: []string{"a", "b"}})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(c.dir, "one.json"))
	require.NoError(t, err)
	assert.Contains(t, string(text), `"leaderElect": true`)
	assert.Equal(t, 2, strings.Count(string(text), "schedulerName"))

	first := r.Process()
	require.NoError(t, first.Kill())
	require.Eventually(t, func() bool { return r.Starts() == 2 }, 10*time.Second, 10*time.Millisecond)
	second := r.Process()
	assert.NotEqual(t, first.ID(), second.ID())
	_, err = r.Metrics(t.Context())
	assert.ErrorContains(t, err, "one:")
	r.Stop()
	assert.ErrorIs(t, syscall.Kill(second.ID(), 0), syscall.ESRCH)
	assert.Equal(t, 2, r.Starts())
}

func TestBackOffIsAKubelets(t *testing.T) {
	var b backOff
	for _, step := range []struct {
		ran  time.Duration
		wait time.Duration
	}{
		{time.Second, 0}, {time.Second, 10 * time.Second}, {time.Second, 20 * time.Second}, {time.Second, 40 * time.Second},
		{time.Second, 40 * time.Second}, {time.Minute, 0}, {time.Second, 10 * time.Second},
	} {
		assert.Equal(t, step.wait, b.next(step.ran))
	}
}

func TestSumsOfMetrics(t *testing.T) {
	m, err := ReadMetrics([]byte("a{x=\"1\",y=\"2\"} 3\na{x=\"1\"} 4\na_b{x=\"1\"} 8\na 1\nleader_election_master_status{name=\"s\"} 1\n"))
	require.NoError(t, err)
	assert.EqualValues(t, 8, m.Sum("a"))
	assert.EqualValues(t, 7, m.Sum("a", `x="1"`))
	assert.EqualValues(t, 3, m.Sum("a", `x="1"`, `y="2"`))
	assert.True(t, m.Leads())
	assert.False(t, Metrics{}.Leads())
}
