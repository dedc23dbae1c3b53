package main

import (
	"flag"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	o, err := parse([]string{"-trials", "7", "-seed", "3", "-kinds", "never", "-scheduler", "outrank", "-dir", "/somewhere", "-keep"})
	require.NoError(t, err)
	assert.Equal(t, 7, o.trials)
	assert.EqualValues(t, 3, o.seed)
	assert.Len(t, o.kinds, 1)
	assert.True(t, o.keep)
	assert.Equal(t, "Outrank", pluginOf(o))
	assert.Equal(t, "kube-scheduler-outrank", schedulerOf(o))

	o, err = parse(nil)
	require.NoError(t, err)
	assert.Empty(t, pluginOf(o))
	assert.Equal(t, "kube-scheduler", schedulerOf(o))
	assert.NotEmpty(t, o.dir)

	for _, args := range [][]string{{"x"}, {"-trials", "-1"}, {"-scheduler", "mine"}, {"-kinds", "ever"}, {"-nothing"}} {
		_, err := parse(args)
		assert.Error(t, err, args)
		assert.Equal(t, 2, status(t.Context(), args))
	}
	_, err = parse([]string{"-h"})
	assert.ErrorIs(t, err, flag.ErrHelp)
	assert.Equal(t, 0, status(t.Context(), []string{"-h"}))
	assert.Contains(t, usage(), "budgets-mixed")
	assert.Contains(t, usage(), "-trials")
}

// The programs are built by the command, not with the packages of this module.
func TestNothingOfTheServersIsCompiled(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./...").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), "k8s.io/kubernetes/")
	assert.NotContains(t, string(out), "k8s.io/apiserver/")
	assert.NotContains(t, string(out), "go.etcd.io/")
	assert.NotContains(t, string(out), "examples/kubescheduler")
}
