package chart

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What the API server and the program that applies an object add to it is no difference, and all
// else is one.
func TestStored(t *testing.T) {
	read := func(text string) map[string]any {
		t.Helper()
		all, err := stored([]byte(text))
		require.NoError(t, err)
		return all
	}
	helm := `{"items": [
		{"kind": "Deployment", "metadata": {"name": "a", "uid": "1", "generation": 3, "labels": {"l": "v"},
			"annotations": {"meta.helm.sh/release-name": "a", "deployment.kubernetes.io/revision": "3"}}, "spec": {"replicas": 2}, "status": {"replicas": 2}},
		{"kind": "Service", "metadata": {"name": "a", "annotations": {"mine": "1"}}, "spec": {"clusterIP": "10.0.0.1", "ports": [1]}}]}`
	kubectl := `{"items": [
		{"kind": "Service", "metadata": {"name": "a", "resourceVersion": "7", "annotations": {"mine": "1", "kubectl.kubernetes.io/last-applied-configuration": "{}"}}, "spec": {"clusterIP": "10.0.0.2", "ports": [1]}},
		{"kind": "Deployment", "metadata": {"name": "a", "uid": "2", "labels": {"l": "v"}}, "spec": {"replicas": 2}}]}`
	assert.Empty(t, Apart(read(helm), read(kubectl)))
	other := `{"items": [
		{"kind": "Service", "metadata": {"name": "a", "annotations": {"mine": "2"}}, "spec": {"clusterIP": "10.0.0.2", "ports": [1]}},
		{"kind": "Secret", "metadata": {"name": "a"}}]}`
	assert.Equal(t, []string{"Deployment/a", "Secret/a", "Service/a"}, Apart(read(helm), read(other)))
	_, err := stored([]byte(`{"items": [{}]}`))
	assert.Error(t, err)
}
