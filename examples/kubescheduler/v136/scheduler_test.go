//go:build kube136

package v136

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

const kubeconfig = `{apiVersion: v1, kind: Config, current-context: c,
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
contexts: [{name: c, context: {cluster: c, user: u}}], users: [{name: u, user: {}}]}`

// made makes a scheduler of v1.36 with the example configuration, in which one text stands for another.
func made(t *testing.T, changes ...string) (*scheduler.Scheduler, error) {
	t.Helper()
	dir := t.TempDir()
	raw, err := os.ReadFile("../config.yaml")
	require.NoError(t, err)
	text := strings.NewReplacer(changes...).Replace(string(raw))
	require.True(t, len(changes) == 0 || text != string(raw))
	server, file := filepath.Join(dir, "scheduler.conf"), filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(server, []byte(kubeconfig), 0o600))
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(text, "/etc/kubernetes/scheduler.conf", server, 1)), 0o600))
	o := options.NewOptions()
	o.ConfigFile = file
	o.SecureServing.BindPort = 0
	o.Authentication.SkipInClusterLookup = true
	_, s, err := app.Setup(t.Context(), o, app.WithPlugin(plugin.Name, plugin.New))
	return s, err
}

// The scheduler starts with the example configuration: Outrank is at its extension points, and
// DefaultPreemption at none.
func TestConfigLoads(t *testing.T) {
	s, err := made(t)
	require.NoError(t, err)
	on := s.Profiles["default-scheduler"].ListPlugins()
	for name, set := range map[string]config.PluginSet{"preEnqueue": on.PreEnqueue, "postFilter": on.PostFilter} {
		has := func(plugin string) bool {
			return slices.ContainsFunc(set.Enabled, func(p config.Plugin) bool { return p.Name == plugin })
		}
		assert.True(t, has(plugin.Name), name)
		assert.False(t, has("DefaultPreemption"), name)
	}
	assert.Equal(t, outrank.V1_36, plugin.Reference)
}

// With a gate whose rules the library does not follow the scheduler does not start.
func TestGatesOfGroupsAreRefused(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.GenericWorkload, true)
	_, err := made(t)
	assert.ErrorContains(t, err, `feature gate "GenericWorkload": true is not followed for v1.36`)
}

// The allocator that decides about devices is that of v1.37.
func TestDevicesAreRefused(t *testing.T) {
	_, err := made(t, "      - name: DefaultPreemption\n", "      - name: DefaultPreemption\n  pluginConfig:\n  - name: Outrank\n    args: {draPreemption: true}\n")
	assert.ErrorContains(t, err, "draPreemption: the plugin for v1.36 does not preempt for devices")
}
