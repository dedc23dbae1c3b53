package difftest

import (
	"flag"
	"strings"
	"testing"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
)

var (
	pluginCases = flag.Int("plugincases", 260, "number of random cases with the plugin in place of DefaultPreemption")
	pluginSeed  = flag.Uint64("pluginseed", 1, "seed of the first of them")
	pluginMost  = flag.Int("pluginmost", 1, "number of them that may differ before the test ends")
)

// RunPlugin compares a scheduler that has another plugin in place of DefaultPreemption with the stock one. Both
// must nominate, evict and clear the same, write the same condition and event, and put the pod back into the same
// part of the queue.
func RunPlugin(t *testing.T, h *differential.Harness, instead differential.Instead) {
	differential.Quiet()
	left := *pluginMost
	for i := range *pluginCases {
		kind, seed := differential.Kinds[i%len(differential.Kinds)], *pluginSeed+uint64(i/len(differential.Kinds))
		c, err := differential.Generate(kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		c = h.Distinct(c)

		// The run of the stock scheduler also says whether several nodes tie.
		r, err := h.Run(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := differential.RunReference(c, instead)
		if err != nil {
			t.Fatal(err)
		}

		// Of several nodes that are equal in every rank any is right.
		if r.Tied && got.Nominated != r.Reference.Nominated {
			continue
		}
		if differences := differential.CompareReferences(c, r.Reference, got); len(differences) > 0 {
			t.Errorf("kind %s, seed %d: with the plugin in the place of what outrank is here:\n%s", kind, seed, strings.Join(differences, "\n"))
			if left--; left <= 0 {
				break
			}
		}
	}
}
