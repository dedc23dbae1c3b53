package difftest

import (
	"flag"
	"strings"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
)

var (
	foreignCases = flag.Int("foreigncases", 300, "number of random cases with a plugin of somebody else's in the profile")
	foreignSeed  = flag.Uint64("foreignseed", 1, "seed of the first of them")
	foreignMost  = flag.Int("foreignmost", 1, "number of them that may differ before the test ends")
)

// RunForeign is RunPlugin for profiles with a foreign plugin ([thirdparty.Foreign]). That plugin may count how
// often it is asked, remember what it heard, hear without being asked, and fail.
func RunForeign(t *testing.T, h *differential.Harness, instead differential.Instead) {
	differential.Quiet()
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.SchedulerAsyncPreemption, false)
	left, preempt := *foreignMost, 0
	for i := range *foreignCases {
		kind, seed := differential.Kinds[i%len(differential.Kinds)], *foreignSeed+uint64(i/len(differential.Kinds))
		c, err := differential.Generate(kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		c = h.Distinct(c)
		c.Around.Foreign = thirdparty.GenerateForeign(seed*uint64(len(differential.Kinds)) + uint64(i%len(differential.Kinds)))

		// The plugin goes first: the stock scheduler may have to be run until it takes the same node.
		got, err := differential.RunReference(c, instead)
		if err != nil {
			t.Fatal(err)
		}
		want, err := runTied(c, got.Nominated)
		if err != nil {
			t.Fatal(err)
		}

		if got.Preempts {
			preempt++
		}
		if differences := differential.CompareReferences(c, want, got); len(differences) > 0 {
			t.Errorf("kind %s, seed %d, %+v: with the plugin in the place of what outrank is here:\n%s", kind, seed, *c.Around.Foreign, strings.Join(differences, "\n"))
			if left--; left <= 0 {
				break
			}
		}
	}
	t.Logf("%d cases, %d preempt", *foreignCases, preempt)
}

// runTied runs the stock scheduler until it takes the node, because it may take any of several nodes that are
// equal in every rank. After 20 runs the last answer counts.
func runTied(c *differential.Case, node string) (answer *differential.Answer, err error) {
	for range 20 {
		if answer, err = differential.RunReference(c, differential.Instead{}); err != nil || answer.Nominated == node {
			break
		}
	}
	return answer, err
}
