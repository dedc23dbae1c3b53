package documents

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// solitude is a node of one core, and a pod that asks for half of it.
func solitude() *world {
	n := &outrank.Node{Name: "n1", Labels: map[string]string{host: "n1"}, Allocatable: amounts(2, 1)}
	n.Allocatable[resource.Pods] = resource.New(10)
	return &world{nodes: []*outrank.Node{n}, pod: halfCore("zz", 10)}
}

func halfCore(name string, priority int32) *outrank.Pod {
	return &outrank.Pod{
		Name: name, UID: name, Labels: map[string]string{"app": "x"}, Priority: outrank.Priority(priority),
		Containers: []outrank.Container{{Name: "c", Requests: amounts(1, 0)}},
	}
}

// outcomes are what the library says by each variant, which is the same.
func (w *world) outcomes(t *testing.T) preemption.Outcome {
	t.Helper()
	seen := map[preemption.Outcome]bool{}
	var last preemption.Outcome
	for _, variant := range []outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified} {
		plan, err := w.fast(preemption.Config{Variant: variant})
		require.NoError(t, err)
		last = plan.Outcome
		seen[last] = true
	}
	require.Len(t, seen, 1, "%v", w)
	return last
}

// The anti-affinity of a nominated pod counts once a pod that runs has such a term, too, in every variant (rules
// 7.13.16 and 13.1.6).
func TestAntiAffinityOfNominatedPods(t *testing.T) {
	w := solitude()
	lonely := halfCore("lonely", 20)
	lonely.NominatedNodeName = "n1"
	lonely.Affinity.PodAntiAffinity = []outrank.PodAffinityTerm{{TopologyKey: host, LabelSelector: labelled("app", "x")}}
	w.pods = []*outrank.Pod{lonely}
	require.Equal(t, preemption.Fits, w.outcomes(t))

	far := &outrank.Node{Name: "n2", Labels: map[string]string{host: "n2"}, Unschedulable: true}
	other := halfCore("other", 20)
	other.NodeName, other.Affinity = "n2", lonely.Affinity
	w.nodes, w.pods = append(w.nodes, far), append(w.pods, other)
	require.Equal(t, preemption.NothingHelps, w.outcomes(t))
}

// A pod takes no room from itself by its own nomination, in every variant (rules 7.16.1 and 13.1.6).
func TestOwnNominationTakesNoRoom(t *testing.T) {
	w := solitude()
	w.pod.NominatedNodeName = "n1"
	w.pod.Containers[0].Requests = amounts(2, 0)
	w.pods = []*outrank.Pod{w.pod}
	require.Equal(t, preemption.Fits, w.outcomes(t))
}
