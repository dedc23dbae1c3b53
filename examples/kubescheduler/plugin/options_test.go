package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// Feature gates of the process count, those that make no difference here are passed over, and
// one whose other setting the module does not follow keeps the scheduler from starting.
func TestFeatureGates(t *testing.T) {
	t.Run("elsewhere", func(t *testing.T) {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SchedulerPopFromBackoffQ, false)
		_, err := plugin.New(t.Context(), nil, &handle{c: newCluster(t)})
		require.NoError(t, err)
	})
	t.Run("not followed", func(t *testing.T) {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, true)
		_, err := plugin.New(t.Context(), nil, &handle{c: newCluster(t)})
		require.ErrorContains(t, err, `Outrank: the scheduler's feature gates: `)
		require.ErrorContains(t, err, "TaintTolerationComparisonOperators")
	})
}
