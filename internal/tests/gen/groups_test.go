package gen_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

func TestPreemptorGroupIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods := gen.PreemptorGroup(gen.Full()).Draw(t, "group")
		names := map[string]bool{}
		for _, p := range pods {
			if err := p.Validate(); err != nil {
				t.Fatalf("PreemptorGroup: %v", err)
			}
			if p.GroupKey() != pods[0].GroupKey() || p.PriorityValue() != pods[0].PriorityValue() || p.PreemptionPolicy != pods[0].PreemptionPolicy {
				t.Fatalf("%s and %s are no group", pods[0].Key(), p.Key())
			}
			names[string(p.Key())] = true
		}
		if len(names) != len(pods) || len(pods) > 4 {
			t.Fatalf("%d pods with %d names", len(pods), len(names))
		}
	})
}
