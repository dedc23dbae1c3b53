package v136

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/component-helpers/auth/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
	"sigs.k8s.io/yaml"
)

// The role of the chart, which kustomize has as well, gives no right that an API server of v1.36
// does not give its own scheduler.
func TestRights(t *testing.T) {
	text, err := os.ReadFile("../deploy/kustomize/v1.36/scheduler.yaml")
	require.NoError(t, err)
	var given []rbacv1.PolicyRule
	for part := range strings.SplitSeq(string(text), "\n---") {
		var role rbacv1.ClusterRole
		require.NoError(t, yaml.Unmarshal([]byte(part), &role))
		if role.Kind == "ClusterRole" {
			given = append(given, role.Rules...)
		}
	}
	require.NotEmpty(t, given)
	var own []rbacv1.PolicyRule
	for _, role := range bootstrappolicy.ClusterRoles() {
		if slices.Contains([]string{"system:kube-scheduler", "system:volume-scheduler", "system:auth-delegator"}, role.Name) {
			own = append(own, role.Rules...)
		}
	}
	_, beyond := validation.Covers(own, given)
	assert.Empty(t, beyond)
}
