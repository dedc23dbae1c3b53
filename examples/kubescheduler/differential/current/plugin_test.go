package current

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	configtesting "k8s.io/kubernetes/pkg/scheduler/apis/config/testing"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

var pluginCases = flag.Int("plugincases", 180, "number of random cases with the plugin in place of DefaultPreemption")

// A scheduler with plugin Outrank in place of DefaultPreemption does and says what the
// stock one does: it nominates, evicts, clears nominations and writes the same event.
func TestPlugin(t *testing.T) {
	differential.Quiet()
	var profiles []configv1.KubeSchedulerProfile
	for _, name := range []string{"default-scheduler", differential.SecondProfile} {
		profiles = append(profiles, configv1.KubeSchedulerProfile{
			SchedulerName: &name,
			Plugins: &configv1.Plugins{MultiPoint: configv1.PluginSet{
				Enabled:  []configv1.Plugin{{Name: plugin.Name}},
				Disabled: []configv1.Plugin{{Name: "DefaultPreemption"}},
			}},
		})
	}
	config := configtesting.V1ToInternalWithDefaults(t, configv1.KubeSchedulerConfiguration{Profiles: profiles})
	for i := range *pluginCases {
		kind, seed := differential.Kinds[i%len(differential.Kinds)], uint64(1+i/len(differential.Kinds))
		c, err := differential.Generate(kind, seed)
		require.NoError(t, err)
		r, err := Harness.Run(c)
		require.NoError(t, err)
		got, err := differential.RunReference(c, scheduler.WithProfiles(config.Profiles...),
			scheduler.WithFrameworkOutOfTreeRegistry(runtime.Registry{plugin.Name: plugin.Factory(plugin.Options{})}))
		require.NoError(t, err)
		if r.Tied && got.Nominated != r.Reference.Nominated {
			continue // any of them is right
		}
		if differences := differential.Compare(r.Reference, got); len(differences) > 0 {
			t.Errorf("kind %s, seed %d: with the plugin in the place of what outrank is here:\n%s", kind, seed, strings.Join(differences, "\n"))
		}
	}
}
