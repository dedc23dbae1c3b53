package plugin_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

// Unknown arguments keep the scheduler from starting, as those of its own plugins
// do: a misspelt one made the plugin decide by its defaults.
func TestArguments(t *testing.T) {
	for _, yaml := range []bool{false, true} {
		for text, want := range map[string]string{
			`{"workers": 2, "seed": 7, "minCandidateNodesAbsolute": 5}`: "",
			`{"apiVersion": "v1", "kind": "OutrankArgs", "workers": 2}`: "",
			`{}`:                                "",
			``:                                  "",
			`{"worker": 2}`:                     `unknown field "worker"`,
			`{"Workers": 2}`:                    `unknown field "Workers"`,
			`{"minCandidateNodePercentage": 5}`: `unknown field "minCandidateNodePercentage"`,
			`{"workers": 2, "workers": 3}`:      `workers`,
			`{"workers": "two"}`:                `workers`,
			`{"workers": -1}`:                   `workers: -1 is not between 0 and 1024`,
			`{"whenNotUnderstood": "Isolate"}`:  "",
			`{"whenNotUnderstood": "isolate"}`:  `neither Isolate nor DefaultPreemption`,
			`{"workers": 2`:                     ``,
		} {
			raw := &apiruntime.Unknown{Raw: []byte(text), ContentType: apiruntime.ContentTypeJSON}
			if yaml {
				raw.ContentType = apiruntime.ContentTypeYAML
			}
			_, err := plugin.New(t.Context(), raw, &handle{c: newCluster(t)})
			if want == "" && text != `{"workers": 2` {
				require.NoError(t, err, text)
				continue
			}
			require.ErrorContains(t, err, "Outrank: args: ", text)
			require.ErrorContains(t, err, want, text)
		}
	}
	_, err := plugin.New(t.Context(), &v1.Pod{}, &handle{c: newCluster(t)})
	require.EqualError(t, err, "Outrank: args: want args of type runtime.Unknown, got *v1.Pod")
}

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
