package invariants

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/resource"
)

// sameAmount compares quantities by what they are, not by how they are written.
var sameAmount = cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })

// parsed reads what a failure shows as a scenario, and returns its commands by their names.
func parsed(t *rapid.T, shown fmt.GoStringer) map[string]*scenario.Command {
	file, err := scenario.Parse("shown", shown.GoString())
	require.NoError(t, err)
	commands := map[string]*scenario.Command{}
	for _, c := range file.Commands {
		commands[c.Name] = c
	}
	return commands
}

// ShownAsTheyAre holds what a failure shows to what was drawn: it is a scenario of the same cluster and the same
// question.
func ShownAsTheyAre(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Worlds.Draw(t, "world")
		commands := parsed(t, w)
		requireSame(t, w.Cluster(), scenario.Cluster(commands["cluster"].Body))
		requireSame(t, w.Request().Pod, commands["explain"].Line.Pod())

		w = GroupWorlds.Draw(t, "group's world")
		commands = parsed(t, w)
		requireSame(t, w.Cluster(), scenario.Cluster(commands["cluster"].Body))
		for i, l := range commands["group"].Body {
			require.Equal(t, "pod", l.Next("kind"))
			requireSame(t, w.Asks[i].object(), l.Pod())
		}

		h := Hosts.Draw(t, "host")
		commands = parsed(t, h)
		c := scenario.Cluster(commands["host"].Body)
		requireSame(t, []*outrank.Node{h.Node()}, c.Nodes)
		for i, p := range h.Pods[:min(mostShown, len(h.Pods))] {
			requireSame(t, p.Object(), c.Pods[i])
		}
		require.Len(t, c.Pods, min(mostShown, len(h.Pods)))
		question := commands["admit"]
		if h.PriorityFirst {
			question = commands["by-priority"]
		}
		requireSame(t, h.Asks.Object(), question.Line.Pod())
	})
}

func requireSame(t *rapid.T, want, got any) {
	if diff := cmp.Diff(want, got, sameAmount); diff != "" {
		t.Fatalf("(-drawn +shown):\n%s", diff)
	}
}
