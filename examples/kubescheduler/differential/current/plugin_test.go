package current

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
)

var (
	pluginCases = flag.Int("plugincases", 260, "number of random cases with the plugin in place of DefaultPreemption")
	pluginSeed  = flag.Uint64("pluginseed", 1, "seed of the first of them")
	pluginMost  = flag.Int("pluginmost", 1, "number of them that may differ before the test ends")
)

// A scheduler with plugin Outrank in place of DefaultPreemption does the same as
// the stock one: it nominates, evicts, clears nominations, writes the same
// condition and event, and puts the pod back into the same part of the queue.
func TestPlugin(t *testing.T) {
	differential.Quiet()
	instead := differential.Instead{Name: plugin.Name, Make: plugin.Factory(plugin.Options{})}
	left := *pluginMost
	for i := range *pluginCases {
		kind, seed := differential.Kinds[i%len(differential.Kinds)], *pluginSeed+uint64(i/len(differential.Kinds))
		c, err := differential.Generate(kind, seed)
		require.NoError(t, err)
		r, err := Harness.Run(c)
		require.NoError(t, err)
		got, err := differential.RunReference(c, instead)
		require.NoError(t, err)
		if r.Tied && got.Nominated != r.Reference.Nominated {
			continue // any of them is right
		}
		if differences := differential.CompareReferences(c, r.Reference, got); len(differences) > 0 {
			t.Errorf("kind %s, seed %d: with the plugin in the place of what outrank is here:\n%s", kind, seed, strings.Join(differences, "\n"))
			if left--; left <= 0 {
				break
			}
		}
	}
}
