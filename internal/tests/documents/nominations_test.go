package documents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// nominations says which node each pod is nominated to (nominatedPodMap).
type nominations map[string]string

// add nominates a pod to a node or, if none is given, to the one that it names itself.
func (m nominations) add(p *outrank.Pod, node string) {
	delete(m, p.Name)
	if node == "" {
		node = p.NominatedNodeName
	}
	if node != "" {
		m[p.Name] = node
	}
}

// to returns the pods that are nominated to a node, sorted.
func (m nominations) to(node string) (names []string) {
	for name, at := range m {
		if at == node {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestNominationsOfV113(t *testing.T) {
	for i := range *cases {
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		port, ours := nominations{}, &execution.Nominator{}
		for range 25 {
			p := &outrank.Pod{Name: fmt.Sprint("p", r.IntN(5)), NominatedNodeName: one(r, "", "", "", "n0", "n1", "n2")}
			p.UID = p.Name
			switch node := one(r, "n0", "n1", "n2"); r.IntN(3) {
			case 0: // Add of the queue
				port.add(p, "")
				require.NoError(t, ours.Add(p, ""))
			case 1: // UpdateNominatedPodForNode
				port.add(p, node)
				ours.Remove(p)
				require.NoError(t, ours.Add(p, node))
			case 2: // DeleteNominatedPodIfExists
				delete(port, p.Name)
				ours.Remove(p)
			}

			for _, node := range []string{"n0", "n1", "n2"} {
				require.Equal(t, port.to(node), namesOf(ours.NominatedTo(node)), "sequence %d, nominated to %s", i, node)
			}
			require.Equal(t, port[p.Name], ours.NodeOf(p.Key()), "sequence %d", i)
		}
	}
}
