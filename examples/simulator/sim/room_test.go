package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

// A nominated pod that cannot be placed keeps others from an empty node, until it
// is gone, lands elsewhere or loses its nomination. They are tried at once then,
// not after five minutes.
func TestRoomGivenUp(t *testing.T) {
	shy := &outrank.LabelSelector{MatchLabels: map[string]string{"app": "loud"}}
	for _, c := range []struct {
		name   string
		change Change
		want   Place // of the nominated pod
	}{
		{"deleted", DeletePod("default/p"), Place{Phase: Gone}},
		{"lands elsewhere", SetLabels("default/p", map[string]string{"app": "quiet"}), Place{Phase: Running, Node: "n2"}},
		{"nomination cleared", Call(func(s *Simulation) error {
			return s.actions.clearNomination(t.Context(), s.lives.pods["default/p"].obj)
		}), Place{Phase: Queued}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := asking("p", 100, "3")
			p.NominatedNodeName, p.Labels = "n1", map[string]string{"app": "loud"}
			p.PreemptionPolicy = outrank.PreemptNever // so it keeps its nomination
			p.NodeSelector = map[string]string{"big": "yes"}
			old := asking("old", 1000, "1")
			old.NodeName = "n2"
			old.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{LabelSelector: shy, TopologyKey: "host"}}
			n1, n2 := node("n1", "4"), node("n2", "4")
			n1.Labels, n2.Labels = map[string]string{"host": "n1"}, map[string]string{"host": "n2", "big": "yes"}
			cluster := nodes(n1, n2)
			cluster.Pods = []*outrank.Pod{p, old}
			w := watched(t, cluster, []Work{endless(asking("q", 50, "4"), 5)}, Config{})
			w.at(10, map[string]Place{"p": {Phase: Queued, Nominated: "n1"}, "q": {Phase: Queued}})
			require.NoError(t, w.s.At(seconds(20), c.change))
			w.at(20, map[string]Place{"p": c.want, "q": {Phase: Running, Node: "n1"}})
		})
	}
}
