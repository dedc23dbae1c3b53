package kube_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption/kube"
)

// Fields that matter to a cluster and that nothing here follows are told, each with its object and its place.
func TestUnreadFieldsAreTold(t *testing.T) {
	const (
		class   = `{"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "csi.example.com", "volumeBindingMode": "WaitForFirstConsumer"`
		alone   = `{"kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {"storageClassName": "fast"}}`
		pod     = `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}}`
		waiting = alone + pod
		demands = "persistentvolumeclaim default/data: spec.volumeName: none yet; on which nodes the claim can get one is not looked at: by its own spec.accessModes, spec.resources, spec.selector, " +
			"spec.volumeMode and spec.dataSource, and by the capacity, accessModes, storageClassName, volumeMode and claimRef of volumes that are free"
	)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{
			"a status in small letters",
			`{"kind": "Pod", "metadata": {"name": "p"}, "status": {"conditions": [{"type": "Odd", "status": "true"}, {"type": "Ready", "status": "true"}, {"type": "DisruptionTarget", "status": "yes"}]}}`,
			[]string{
				`pod default/p: status.conditions[1].status: "true" is none of True, False, Unknown; the condition Ready does not hold`,
				`pod default/p: status.conditions[2].status: "yes" is none of True, False, Unknown; the condition DisruptionTarget does not hold`,
			},
		},
		{"words of conditions", `{"kind": "Pod", "metadata": {"name": "p"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}, {"type": "Ready"}]}}`, nil},
		{
			"settings of the kernel",
			`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"securityContext": {"sysctls": [{"name": "a"}], "appArmorProfile": {"type": "Localhost"}},
				"containers": [{"name": "c", "securityContext": {}}, {"name": "d", "securityContext": {"appArmorProfile": {"type": "Localhost"}}}],
				"initContainers": [{"name": "i", "securityContext": {"appArmorProfile": {"type": "Localhost"}}}]}}`,
			[]string{
				"pod default/p: spec.securityContext.sysctls: a kubelet that does not allow one of them refuses the pod, which is not looked at",
				"pod default/p: spec.securityContext.appArmorProfile: a kubelet without AppArmor refuses the pod, which is not looked at",
				"pod default/p: spec.containers[1].securityContext.appArmorProfile: a kubelet without AppArmor refuses the pod, which is not looked at",
				"pod default/p: spec.initContainers[0].securityContext.appArmorProfile: a kubelet without AppArmor refuses the pod, which is not looked at",
			},
		},
		{"a kubelet has taken them", `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"nodeName": "n", "securityContext": {"sysctls": [{"name": "a"}]}}}`, nil},
		{
			"a status about an older spec",
			`{"kind": "PodDisruptionBudget", "metadata": {"name": "b", "generation": 3}, "status": {"observedGeneration": 2}}`,
			[]string{"poddisruptionbudget default/b: status.observedGeneration: 2, and the spec is of generation 3; the status counts as it stands, though it is about an older spec"},
		},
		{"a status about this spec", `{"kind": "PodDisruptionBudget", "metadata": {"name": "b", "generation": 3}, "status": {"observedGeneration": 3}}`, nil},
		{"a status of nobody", `{"kind": "PodDisruptionBudget", "metadata": {"name": "b", "generation": 3}}`, nil},
		{
			"a namespace that goes",
			`{"kind": "Namespace", "metadata": {"name": "shop", "deletionTimestamp": "2026-01-10T12:00:00Z"}}`,
			[]string{"namespace shop: metadata.deletionTimestamp: the namespace is being deleted; a pod that is created in it is decided on as in any other, though an API server refuses it"},
		},
		{
			"devices of a group", `{"kind": "PodGroup", "metadata": {"name": "g"}, "spec": {"resourceClaims": [{"name": "gpu"}]}}`,
			[]string{"podgroup default/g: spec.resourceClaims: devices that are claimed are not looked at"},
		},
		{
			"a phase that does not exist", `{"kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "status": {"phase": "lost"}}`,
			[]string{`persistentvolumeclaim default/data: status.phase: "lost" is none of Pending, Bound, Lost; the claim counts as one that is not lost`},
		},
		{"a claim that waits", waiting + class + "}", []string{demands}},
		{"a class for some nodes", class + `, "allowedTopologies": [{}]}` + waiting, []string{demands + `; allowedTopologies of the storage class "fast"`}},
		{
			"a driver that counts", waiting + class + `}{"kind": "CSIDriver", "metadata": {"name": "csi.example.com"}, "spec": {"storageCapacity": true}}`,
			[]string{demands + `; storageCapacity of the CSI driver "csi.example.com"`},
		},
		{
			"a claim with a volume",
			strings.NewReplacer(`"data"}, "spec": {`, `"data", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": "v", `).Replace(waiting) + class + `}{"kind": "PersistentVolume", "metadata": {"name": "v"}}`,
			nil,
		},
		{"a claim whose binding is not final", strings.Replace(waiting, `"spec": {`, `"spec": {"volumeName": "v", `, 1) + class + "}", nil},
		{"a claim that goes", strings.Replace(waiting, `"data"`, `"data", "deletionTimestamp": "2026-01-10T12:00:00Z"`, 1) + class + "}", nil},
		{"a claim of a class that is not there", waiting, nil},
		{"a claim that waits for nobody", alone + class + "}", nil},
		{"a claim of a pod that has a node", alone + class + "}" + strings.Replace(pod, `"spec": {`, `"spec": {"nodeName": "n", `, 1), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := kube.ReadCluster(strings.NewReader(test.text))
			require.NoError(t, err)
			var got []string
			for _, p := range c.Unread {
				got = append(got, p.String())
			}
			assert.Equal(t, test.want, got)
			for _, p := range c.Unread {
				assert.Contains(t, c.Warnings(), p)
			}
		})
	}
}

// A dump that is read on several cores tells the same, in the order of its objects; beyond a thousand there is no more.
func TestUnreadFieldsInOrder(t *testing.T) {
	var dump strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&dump, `{"kind": "Pod", "metadata": {"name": "p%04d", "annotations": {"x": %q}}, "status": {"conditions": [{"type": "Ready", "status": "true"}]}}`, i, strings.Repeat("x", 300))
	}
	c, err := kube.ReadCluster(strings.NewReader(dump.String()))
	require.NoError(t, err)
	require.Len(t, c.Unread, 1000)
	for i, p := range c.Unread {
		require.Equal(t, fmt.Sprintf("pod default/p%04d", i), p.Object)
	}
}

// A manifest's warnings have them, too.
func TestUnreadFieldsOfManifests(t *testing.T) {
	_, warnings, err := kube.ReadManifest(strings.NewReader(`{"kind": "Pod", "metadata": {"name": "p", "uid": "u"}, "status": {"conditions": [{"type": "Ready", "status": "true"}]}}`))
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, "status.conditions[0].status", warnings[0].Field)
}
