package sim

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// A pod whose binding fails loses its nomination and waits for its backoff, another
// one takes the room at once, and the first is tried again.
func TestFailedBinding(t *testing.T) {
	for _, nominated := range []bool{false, true} {
		failures := 0
		config := Config{Bind: func(pod *outrank.Pod, n *outrank.Node) error {
			require.Equal(t, "n1", n.Name)
			if pod.Name == "p" && failures < 2 {
				failures++
				return errors.New("timeout")
			}
			return nil
		}}
		p := asking("p", 100, "3")
		p.PreemptionPolicy = outrank.PreemptNever
		if nominated {
			p.NominatedNodeName = "n1"
		}
		work := []Work{endless(p, 10), lasting(asking("q", 50, "4"), 10, 1), endless(asking("small", 0, "1"), 20)}
		w := watched(t, nodes(node("n1", "4")), work, config)
		w.at(10, map[string]Place{"p": {Phase: Queued}, "q": {Phase: Running, Node: "n1"}})
		require.Equal(t, "backoff", w.s.Where("default/p").Pool)
		require.Equal(t, 1, failures)
		w.at(19, map[string]Place{"p": {Phase: Running, Node: "n1"}})
		require.Equal(t, 2, failures, "the second time fails, too")
		w.run(30)
		require.Equal(t, Running, w.s.Where("default/small").Phase)
	}
}
