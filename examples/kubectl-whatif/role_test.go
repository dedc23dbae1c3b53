package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
)

// resourcesOf are the resources that kubectl's names stand for, behind their API groups.
var resourcesOf = map[string]string{
	"nodes": "/nodes", "pods": "/pods", "namespaces": "/namespaces", "pv": "/persistentvolumes", "pvc": "/persistentvolumeclaims",
	"quota": "/resourcequotas", "pdb": "policy/poddisruptionbudgets", "priorityclasses": "scheduling.k8s.io/priorityclasses",
	"podgroups": "scheduling.k8s.io/podgroups", "compositepodgroups": "scheduling.k8s.io/compositepodgroups",
	"sc": "storage.k8s.io/storageclasses", "csinodes": "storage.k8s.io/csinodes", "csidrivers": "storage.k8s.io/csidrivers",
}

// The role allows to list the kinds that the program lists, and nothing else.
func TestClusterRole(t *testing.T) {
	var role struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Rules            []struct{ APIGroups, Resources, Verbs []string }
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(answered(t, "", "clusterrole")), &role))
	assert.Equal(t, "rbac.authorization.k8s.io/v1 ClusterRole kubectl-whatif", role.APIVersion+" "+role.Kind+" "+role.Metadata.Name)
	var allowed, listed []string
	for _, rule := range role.Rules {
		assert.Equal(t, []string{"list"}, rule.Verbs)
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				allowed = append(allowed, group+"/"+resource)
			}
		}
	}
	for _, kind := range slices.Concat(live.Kinds, groupKinds) {
		require.Contains(t, resourcesOf, kind)
		listed = append(listed, resourcesOf[kind])
	}
	assert.ElementsMatch(t, listed, allowed)
}

// Where rights are missing, the role is named: once among warnings, and in the error.
func TestRoleIsNamed(t *testing.T) {
	kubectl(t, `case "$*" in *nodes*) echo 'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope' >&2; exit 1;; esac`)
	status, stdout, stderr := whatif("", "--live", "--cpu", "1")
	assert.Equal(t, exitUnusable, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, `"nodes" in API group "" at the cluster scope; "kubectl whatif clusterrole" prints a ClusterRole that allows it; to see it by itself, run kubectl get nodes,`)
}
