package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/config"
)

// What a file changes beside the filters, and the scores of an extender, are told. Plugins of the default profile at
// their points are no change.
func TestWhatIsToldAside(t *testing.T) {
	for _, test := range []struct{ name, file, want, scores string }{
		{"nothing", `"profiles": [{}]`, "", ""},
		{"as they are", `"profiles": [{"plugins": {"queueSort": {"enabled": [{"name": "PrioritySort"}], "disabled": [{"name": "PrioritySort"}]}}}]`, "", ""},
		{"off that never was", `"profiles": [{"plugins": {"permit": {"disabled": [{"name": "Mine"}]}}}]`, "", ""},
		{"a gate of one's own", `"profiles": [{"plugins": {"preEnqueue": {"enabled": [{"name": "Mine"}]}}}]`,
			"profiles[0].plugins.preEnqueue.enabled: plugin Mine is not one of kube-scheduler's default profile: what it does to attempts is not known", ""},
		{"gates off", `"profiles": [{"plugins": {"preEnqueue": {"disabled": [{"name": "SchedulingGates"}]}}}]`,
			"profiles[0].plugins.preEnqueue.disabled: SchedulingGates is off here: attempts go on as if it were on", ""},
		{"all off", `"profiles": [{"plugins": {"reserve": {"disabled": [{"name": "*"}]}}}]`, "profiles[0].plugins.reserve.disabled: * is off here: attempts go on as if it were on", ""},
		{"scores of an extender", `"extenders": [{"urlPrefix": "http://x", "prioritizeVerb": "rate", "weight": 7}]`, "", "extenders[0].prioritizeVerb: an extender gives nodes scores with the weight 7; they are not known"},
	} {
		t.Run(test.name, func(t *testing.T) {
			read, err := config.Read(outrank.V1_37, strings.NewReader(`{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", `+test.file+"}"))
			require.NoError(t, err)
			assert.Equal(t, test.want, told(read.Profiles[0].Unsupported))
			assert.Equal(t, test.scores, told(read.Profiles[0].UnsupportedScores))
		})
	}
}

func told(ps []outrank.Problem) string {
	var texts []string
	for _, p := range ps {
		texts = append(texts, strings.TrimPrefix(p.String(), p.Object+": "))
	}
	return strings.Join(texts, "\n")
}
