package main

import (
	"flag"
	"os/exec"
	"strings"
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
	assert.Equal(t, "Outrank", pluginOf(o.scheduler))
	assert.Equal(t, "kube-scheduler-outrank", programOf(o.scheduler))

	o, err = parse(nil)
	require.NoError(t, err)
	assert.Empty(t, pluginOf(o.scheduler))
	assert.Equal(t, "kube-scheduler", programOf(o.scheduler))
	assert.NotEmpty(t, o.dir)
	assert.Equal(t, stock, o.scheduler)

	o, err = parse([]string{"-load", "2m", "-faults", "apiserver-away,odd-objects"})
	require.NoError(t, err)
	assert.Equal(t, both, o.scheduler)
	assert.Len(t, o.faults, 2)

	for _, args := range [][]string{
		{"x"}, {"-trials", "-1"}, {"-scheduler", "mine"}, {"-kinds", "ever"}, {"-nothing"}, {"-load", "-1m"},
		{"-load", "1m", "-faults", "flood"}, {"-faults", "all"}, {"-scheduler", "both"},
		{"-chart", "-load", "1m"}, {"-chart", "-scheduler", "outrank"}, {"-devices", "-chart"}, {"-devices", "-load", "1m"}, {"-devices", "-scheduler", "stock"}, {"-devices", "-kinds", "large"},
	} {
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

// The helm that is built is the one whose name it has.
func TestHelmVersion(t *testing.T) {
	_, version, _ := strings.Cut(helmProgram, "-")
	out, err := exec.Command("go", "list", "-C", deployModule, "-m", "-f", "{{.Version}}", "helm.sh/helm/v3").Output()
	require.NoError(t, err)
	assert.Equal(t, version, strings.TrimSpace(string(out)))
}

// The programs are built by the command, not with the packages of this module.
func TestNothingOfTheServersIsCompiled(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./...").Output()
	require.NoError(t, err)
	assert.NotContains(t, string(out), "k8s.io/kubernetes/")
	assert.NotContains(t, string(out), "k8s.io/apiserver/pkg/server")
	assert.NotContains(t, string(out), "go.etcd.io/")
	for path := range strings.FieldsSeq(string(out)) {
		if _, of, found := strings.Cut(path, "examples/clientgo/"); found {
			assert.Contains(t, []string{"mirror", "convert"}, of) // which follow the cluster under load
		}
		if _, of, found := strings.Cut(path, "examples/kubescheduler/"); found {
			assert.Equal(t, "devices", of) // a module of its own, which foretells
		}
	}
}
