package controlplane

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

// script is a program that stands for one of the control plane.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return file
}

func TestAClusterThatDoesNotStartEnds(t *testing.T) {
	lasts, fails := script(t, "exec sleep 100"), script(t, "echo no such flag; exit 1")
	c, err := New(t.Context(), Options{
		Dir: t.TempDir(), Say: t.Logf, Scheduler: "kube-scheduler",
		Program: func(name string) string {
			if name == "etcd" {
				return lasts
			}
			return fails
		},
	})
	require.ErrorContains(t, err, "kube-apiserver has ended: exit status 1")
	require.ErrorContains(t, err, "no such flag")
	require.Len(t, c.processes, 2)
	ids := []int{c.processes[0].ID(), c.processes[1].ID()}
	c.End()
	for _, id := range ids {
		assert.ErrorIs(t, syscall.Kill(id, 0), syscall.ESRCH)
	}
	c.End() // again
}

func TestAClusterThatIsInterruptedEnds(t *testing.T) {
	lasts := script(t, "exec sleep 100")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	c, err := New(ctx, Options{Dir: t.TempDir(), Say: t.Logf, Scheduler: "kube-scheduler", Program: func(string) string { return lasts }})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ids := []int{c.processes[0].ID(), c.processes[1].ID()}
	c.End()
	for _, id := range ids {
		assert.ErrorIs(t, syscall.Kill(id, 0), syscall.ESRCH)
	}
}

// The file of profiles is a configuration that whatif reads, without the plugin
// in place of DefaultPreemption.
func TestWriteProfiles(t *testing.T) {
	for _, names := range [][]string{nil, {"a", "b"}} {
		c := &Cluster{options: Options{Plugin: "Outrank", Profiles: names}, scheduler: "kubeconfig"}
		file := filepath.Join(t.TempDir(), "profiles.json")
		require.NoError(t, c.WriteProfiles(file))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		read, err := schedulerconfig.Read(outrank.V1_37, bytes.NewReader(text))
		require.NoError(t, err)
		for _, name := range c.profiles() {
			profile, ok := read.Profile(name)
			require.True(t, ok, name)
			assert.NotContains(t, profile.Config.Profile.Off, preemption.DefaultPreemption)
			assert.Equal(t, c.profiles(), profile.Config.Profile.Schedulers)
		}
	}
}

// Nothing listens elsewhere than on this machine, and nothing speaks without TLS.
func TestEverythingIsLocal(t *testing.T) {
	c := &Cluster{options: Options{AuditPolicy: "{}"}, dir: t.TempDir()}
	require.NoError(t, c.prepare())
	all := strings.Join(slices.Concat(c.etcdArguments(), c.apiserverArguments(), c.controllersArguments(), c.schedulerArguments("config", 1)), " ")
	assert.NotContains(t, all, "http://")
	assert.NotContains(t, all, "0.0.0.0")
	assert.Equal(t, 3, strings.Count(all, "--bind-address=127.0.0.1"))
	assert.Contains(t, all, "--audit-log-path="+c.AuditLog())
	assert.Equal(t, local("https", c.Ports.APIServer), c.Rest.Host)
}
