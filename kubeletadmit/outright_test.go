package kubeletadmit_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/resource"
)

// Some pods are rejected before anything else is checked, critical or not, and
// although room could be made.
func TestRejectedOutright(t *testing.T) {
	labelled := func(os string) map[string]string { return map[string]string{"kubernetes.io/os": os} }
	for _, test := range []struct {
		name string
		node outrank.Node
		pod  outrank.Pod
		want string
	}{
		{"nothing said", outrank.Node{}, outrank.Pod{}, ""},
		{"linux is what a node without a label is", outrank.Node{}, outrank.Pod{Labels: labelled("linux"), OS: "linux"}, ""},
		{"another label", outrank.Node{}, outrank.Pod{Labels: labelled("windows")}, "PodOSSelectorNodeLabelDoesNotMatch"},
		{"the node's label counts", outrank.Node{Labels: labelled("windows")}, outrank.Pod{Labels: labelled("windows"), OS: "windows"}, ""},
		{"another system", outrank.Node{}, outrank.Pod{OS: "windows"}, "PodOSNotSupported"},
		{"the label first", outrank.Node{}, outrank.Pod{Labels: labelled("windows"), OS: "windows", StrictGroups: true}, "PodOSSelectorNodeLabelDoesNotMatch"},
		{"the system before the groups", outrank.Node{}, outrank.Pod{OS: "windows", StrictGroups: true}, "PodOSNotSupported"},
		{"strict groups", outrank.Node{}, outrank.Pod{StrictGroups: true}, "SupplementalGroupsPolicyNotSupported"},
		{"that the node supports", outrank.Node{StrictGroups: true}, outrank.Pod{StrictGroups: true}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.node.Name, test.node.Allocatable = "n", resource.MustList("cpu", "1", "pods", "5")
			low := &outrank.Pod{Name: "low", Priority: outrank.Priority(0), Containers: []outrank.Container{{Requests: resource.MustList("cpu", "1")}}}
			test.pod.Name, test.pod.Priority = "p", outrank.Priority(2_000_000_000)
			test.pod.Containers = []outrank.Container{{Requests: resource.MustList("cpu", "1")}}
			adm, err := kubeletadmit.Admit(&test.node, []*outrank.Pod{low}, &test.pod, kubeletadmit.Config{})
			require.NoError(t, err)
			assert.Equal(t, test.want, adm.Reason)
			if test.want == "" {
				assert.Len(t, adm.Evictions, 1)
				return
			}
			assert.Equal(t, kubeletadmit.Rejected, adm.Outcome)
			assert.NotEmpty(t, adm.Message)
			assert.Empty(t, adm.Failures)
			assert.Empty(t, adm.Evictions)
		})
	}
}

// TestSystemLabelIsFilledIn: rule 17.2.6.
func TestSystemLabelIsFilledIn(t *testing.T) {
	wants := func(os string) map[string]string { return map[string]string{"kubernetes.io/os": os} }
	affine := outrank.Affinity{NodeAffinity: &outrank.NodeSelector{NodeSelectorTerms: []outrank.NodeSelectorTerm{{
		MatchExpressions: []outrank.NodeRequirement{{Key: "kubernetes.io/os", Operator: outrank.Exists}},
	}}}}
	zone := map[string]string{"zone": "a"}
	for _, test := range []struct {
		name   string
		labels map[string]string
		pod    outrank.Pod
		want   string
	}{
		{"selected", zone, outrank.Pod{NodeSelector: wants("linux")}, ""},
		{"by affinity", zone, outrank.Pod{Affinity: affine}, ""},
		{"another system", zone, outrank.Pod{NodeSelector: wants("windows")}, "NodeAffinity"},
		{"no labels at all", nil, outrank.Pod{NodeSelector: wants("linux")}, "NodeAffinity"},
		{"a label of its own", wants("windows"), outrank.Pod{NodeSelector: wants("windows")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			node := outrank.Node{Name: "n", Labels: test.labels, Allocatable: resource.MustList("pods", "5")}
			test.pod.Name = "p"
			adm, err := kubeletadmit.Admit(&node, nil, &test.pod, kubeletadmit.Config{})
			require.NoError(t, err)
			assert.Equal(t, test.want, adm.Reason)
			assert.Len(t, zone, 1, "the caller's labels stay as they are")
		})
	}
}
