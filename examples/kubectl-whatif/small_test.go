package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An amount with a unit that does not exist is answered by one that does.
func TestAmountsThatAreMeant(t *testing.T) {
	for text, want := range map[string]string{"8GB": "8Gi?", "8gi": "8Gi?", "1.5 gb": "1.5Gi?", "512MB": "512Mi?", "8x": ""} {
		status, _, stderr := whatif("", "--cpu", "1", "--memory", text)
		assert.Equal(t, 2, status)
		if want == "" {
			assert.NotContains(t, stderr, "did you mean")
			continue
		}
		assert.Contains(t, stderr, "did you mean "+want)
	}
}

// A configuration of the scheduler may be in YAML, as clusters have it.
func TestSchedulerConfigInYAML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scheduler.yaml")
	require.NoError(t, os.WriteFile(file, []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: default-scheduler\n"), 0o600))
	assert.Equal(t, answered(t, ""), answered(t, "", "--scheduler-config", file))
}

// The version comes as a flag, too.
func TestVersionFlag(t *testing.T) {
	assert.Equal(t, answered(t, "", "version"), answered(t, "", "--version"))
}

// A namespace leaves its own turns of all that wait, and the others are counted.
func TestPendingOfANamespace(t *testing.T) {
	text := answered(t, "", "--pending", "all", "-n", "media")
	assert.Contains(t, text, "Of 1 pending pod 1 waits.")
	assert.Contains(t, text, "3 turns of other namespaces that come in between, too")
	assert.Contains(t, text, "media/thumbnails-6b8f4-5vxjw")
	assert.NotContains(t, text, "shop/checkout-2")
}

// The form for programs says what came before.
func TestChangesInJSON(t *testing.T) {
	for _, args := range []string{"--without apps-a1 --pending shop/checkout-2", "--without apps-a1 --pending shop/checkout-2 --replicas 2"} {
		var doc struct {
			Changes []string
			Before  struct {
				Moves []struct{ Origin string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(answered(t, "", append(strings.Fields(args), "-o", "json")...)), &doc))
		assert.Equal(t, []string{"--without apps-a1"}, doc.Changes)
		assert.NotEmpty(t, doc.Before.Moves)
	}
}
