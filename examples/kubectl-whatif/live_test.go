package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kubectl puts a script of this name in front of the PATH.
func kubectl(t *testing.T, script string) {
	t.Helper()
	dir := files(t, map[string]string{"kubectl": "#!/bin/sh\n" + script + "\n"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "kubectl"), 0o755))
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}

// The cluster of kubectl is one like any other, and its source is reported.
func TestLive(t *testing.T) {
	sample, err := filepath.Abs("sample/cluster.json")
	require.NoError(t, err)
	kubectl(t, `case "$*" in "get nodes,pods,pdb,"*" -A -o json --context=prod") cat '`+sample+`';; *) echo "unexpected $*" >&2; exit 1;; esac`)
	want := strings.Replace(answered(t, "", "--pending", sampleQuestion), "the sample cluster", "context prod", 1)
	got := answered(t, "", "--context", "prod", "-n", "shop", "--pending", "checkout-2")
	assert.Equal(t, strings.TrimSuffix(want, "\nThis was the sample cluster. To ask about your own, run kubectl whatif -h.\n"), got)

	kubectl(t, `case "$*" in *,pdb,*) echo 'Error from server (Forbidden): x cannot list resource "poddisruptionbudgets" y' >&2; exit 1;; esac; cat '`+sample+`'`)
	status, stdout, stderr := whatif("", "--live", "--pending", sampleQuestion)
	assert.Zero(t, status)
	assert.Contains(t, stdout, "Who would shop/checkout-2 push out of the current context of kubectl?")
	assert.Equal(t, "whatif: warning: pdb are left out: Error from server (Forbidden): x cannot list resource \"poddisruptionbudgets\" y\n"+
		"whatif: warning: \"kubectl whatif clusterrole\" prints a ClusterRole that allows them\n", stderr)
}

// Where nobody names a namespace, that of kubectl's context counts, as it does for kubectl.
func TestLiveNamespace(t *testing.T) {
	sample, err := filepath.Abs("sample/cluster.json")
	require.NoError(t, err)
	kubectl(t, `case "$*" in "config view --minify -o jsonpath="*) printf "$NAMESPACE";; *) cat '`+sample+`';; esac`)
	t.Setenv("NAMESPACE", "shop")
	assert.Contains(t, answered(t, "", "--live", "--pending", "checkout-2"), "Who would shop/checkout-2 push out")
	assert.Contains(t, answered(t, "", "--live", "--cpu", "1"), "Who would shop/what-if push out")
	assert.Contains(t, answered(t, "", "--live", "--pending", "ml/train-2"), "Who would ml/train-2 push out")
	assert.Contains(t, answered(t, "", "--live", "-n", "media", "--cpu", "1"), "Who would media/what-if push out")
	manifest := files(t, map[string]string{"pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: a, resources: {requests: {cpu: 1, memory: 1}}}]}\n"}) + "/pod.yaml"
	assert.Contains(t, answered(t, "", "--live", "-f", manifest), "Who would shop/web push out")
	t.Setenv("NAMESPACE", "")
	assert.Contains(t, answered(t, "", "--live", "-f", manifest), "Who would default/web push out")
}

func TestLiveThatFails(t *testing.T) {
	kubectl(t, `echo "Unable to connect to the server: dial tcp" >&2; exit 1`)
	for _, args := range []string{"--live", "--context prod", "--kubeconfig /x"} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Equal(t, 2, status)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "whatif: kubectl failed (exit status 1): Unable to connect to the server: dial tcp; to see it by itself, run")
	}
	t.Setenv("PATH", t.TempDir())
	_, _, stderr := whatif("", "--live")
	assert.Contains(t, stderr, "kubectl is not installed here")
	for args, want := range map[string]string{
		"--live --cluster x":         "--live asks kubectl for the cluster, and --cluster names a file; use one of them",
		"--context prod --cluster x": "--context asks kubectl",
		"--context=":                 "--context is empty",
	} {
		_, _, stderr := whatif("", strings.Fields(args)...)
		assert.Contains(t, stderr, want)
	}
}
