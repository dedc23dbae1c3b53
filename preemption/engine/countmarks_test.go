package engine_test

import (
	"fmt"
	"testing"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

// Pods of one class may have different priorities. Whether those that may leave are enough for anti-affinity follows
// from the priorities on the node, also after the most important pod has left and while others of its class stay.
func TestPodsThatCountByPriority(t *testing.T) {
	const asks = 100
	for _, high := range []int32{1, 2, asks - 1, asks, asks + 1} {
		for _, key := range []string{"kind", "zone"} {
			t.Run(fmt.Sprint(high, " ", key), func(t *testing.T) {
				w := newWorld(t, halfYard(pod("low", 1, "1", on("a"), app("shunned")), pod("high", high, "0", on("a"), app("shunned"))))
				p := pod("asker", asks, "1", apart("shunned"))
				p.Affinity.PodAntiAffinity[0].TopologyKey = key
				for range 2 {
					w.agree(t, p, gen.Now)
					w.remove(t, pod("high", high, "0").Key())
					w.agree(t, p, gen.Now)
					w.add(t, pod("high", high, "0", on("a"), app("shunned")))
				}

				// The same with a state that has not counted for such a pod before.
				w = newWorld(t, w.cluster())
				w.remove(t, pod("high", high, "0").Key())
				w.agree(t, p, gen.Now)
			})
		}
	}
}
