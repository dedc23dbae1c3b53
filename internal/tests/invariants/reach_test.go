package invariants_test

import (
	"testing"

	"github.com/outrank-go/outrank/internal/tests/invariants"
	"github.com/outrank-go/outrank/internal/tests/seeded"
	"github.com/outrank-go/outrank/kubeletadmit"
	"github.com/outrank-go/outrank/preemption"
)

func TestMain(m *testing.M) { seeded.Run(m, 100) }

func TestPropertyWorldsAreShownAsTheyAre(t *testing.T) { invariants.ShownAsTheyAre(t) }

func TestWorldsReachEverything(t *testing.T) {
	book := invariants.Decider{Preempt: preemption.Preempt, Explain: preemption.Explain, PreemptGroup: preemption.PreemptGroup}
	invariants.ReachEverything(t, book, kubeletadmit.Admit)
}
