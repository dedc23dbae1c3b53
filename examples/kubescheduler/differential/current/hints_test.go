package current

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/difftest"
)

// hints compares the queueing hints of v1.37 with outrank's.
var hints = differential.Hints{
	Release: outrank.V1_37, Pod: convert.Pod, Node: convert.Node, Storage: convert.StorageChange, Alter: alterPolicy,
}

// alterPolicy has a node allow preemption for resizes, or forbid it.
func alterPolicy(n *corev1.Node, choice int) {
	n.Spec.PodPreemptionPolicy = nil
	if choice > 0 {
		n.Spec.PodPreemptionPolicy = &corev1.NodePodPreemptionPolicy{DisableResizePreemption: []string{"example.com/autoscaler"}}
	}
}

// Each filter's hint says of each change what the plugin's hint says (rules 5.4.21 to 5.4.33).
func TestHints(t *testing.T) { difftest.RunHints(t, hints) }

// So it does about pods that wait on their nodes for a resize (rule 5.4.17).
func TestHintsOfResizes(t *testing.T) {
	const gate = "InPlacePodVerticalScalingSchedulerPreemption"
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, gate, true)
	release, err := outrank.V1_37.With(map[string]bool{gate: true})
	require.NoError(t, err)
	h := hints
	h.Release, h.Resizes = release, true
	difftest.RunHints(t, h)
}
