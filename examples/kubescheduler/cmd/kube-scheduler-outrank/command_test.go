//go:build !kube136

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

const kubeconfig = `{apiVersion: v1, kind: Config, current-context: c,
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}]}`

// outrankInTests is the plugin of all schedulers of the tests. Its metrics can be registered but once in a process.
var (
	configFile     string
	outrankInTests = withOutrank(func() string { return configFile })
)

// started sets a scheduler up with a configuration. The edit, of two strings as in strings.Replace, puts the file with
// the API server's address, SERVER, into it.
func started(t *testing.T, config, old, new string) *scheduler.Scheduler {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	server, file := filepath.Join(dir, "scheduler.conf"), filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(server, []byte(kubeconfig), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), old, strings.Replace(new, "SERVER", server, 1), 1)), 0o600))
	configFile = file
	o := options.NewOptions()
	o.ConfigFile = file
	o.SecureServing.BindPort = 0
	o.Authentication.SkipInClusterLookup = true
	_, s, err := app.Setup(t.Context(), o, outrankInTests)
	require.NoError(t, err)
	return s
}

// The scheduler starts with the example configuration: Outrank is at its
// extension points, and DefaultPreemption at none.
func TestConfigLoads(t *testing.T) {
	s := started(t, "../../config.yaml", "/etc/kubernetes/scheduler.conf", "SERVER")
	profile := s.Profiles["default-scheduler"]
	on := profile.ListPlugins()
	var at []string
	for name, set := range map[string][]string{
		"preEnqueue": names(on.PreEnqueue), "postFilter": names(on.PostFilter), "podGroupPostFilter": names(on.PodGroupPostFilter),
	} {
		assert.NotContains(t, set, "DefaultPreemption", name)
		if assert.Contains(t, set, plugin.Name, name) {
			at = append(at, name)
		}
	}
	assert.Len(t, at, 3)

	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	found := map[string]bool{}
	for _, f := range families {
		found[f.GetName()] = true
	}
	assert.True(t, found["scheduler_preemption_attempts_total"])
	assert.True(t, found["outrank_snapshot_duration_seconds"])
}

func names(set config.PluginSet) (list []string) {
	for _, p := range set.Enabled {
		list = append(list, p.Name)
	}
	return list
}
