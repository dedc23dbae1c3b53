package inverse_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/inverse"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/preemption/preemptiontest/clustergen"
	"github.com/outrank-go/outrank/resource"
)

// The largest size finds a place, on the node that is named, and one step more finds none, nor
// does any larger one that was drawn; every smaller one finds one.
func TestPropertyLargestIsTrue(t *testing.T) {
	fits, evicts, none := 0, 0, 0
	overShapes(t, func(t *rapid.T, s question.Setting) {
		pod := drawPod(t, clustergen.Shape{})
		cpu, memory := rapid.Int64Range(1, 3000).Draw(t, "cpu"), rapid.Int64Range(1, 5000).Draw(t, "memory")
		pod.Containers = []outrank.Container{{Name: "main"}}
		pod.InitContainers, pod.Resources, pod.Overhead = nil, nil, nil
		sized := func(l resource.List) *outrank.Pod {
			one := *pod
			one.Containers = []outrank.Container{{Name: "main", Requests: l}}
			return &one
		}
		times := func(steps, of int64) *outrank.Pod {
			return sized(resource.List{
				resource.CPU: resource.NewMilli((cpu*steps + of - 1) / of), resource.Memory: resource.NewBinary((memory*steps + of - 1) / of << 20),
			})
		}
		pod = times(1, 1)
		r := stable(t, func() (*inverse.Largest, error) { return inverse.AskLargest(scenario(t, s), pod) })
		require.Equal(t, "1m", r.Step.String())
		for _, size := range []struct {
			*inverse.Size
			free bool
		}{{r.Fits, true}, {r.Evicting, false}} {
			does := func(p *outrank.Pod) bool {
				ok, leave := places(t, s, s.Snapshot, p)
				if !size.free {
					return ok
				}
				nodes, err := s.Evaluator.Feasible(t.Context(), s.Snapshot, p)
				require.NoError(t, err)
				require.Equal(t, len(nodes) > 0, ok && leave == 0 && len(nodes) > 0)
				return len(nodes) > 0
			}
			if size.Size == nil {
				require.False(t, does(times(1, cpu)))
				require.False(t, does(times(rapid.Int64Range(1, 20_000).Draw(t, "steps"), cpu)))
				none++
				continue
			}
			require.True(t, times(size.Steps, size.Of).Requests().Equal(size.Requests))
			require.True(t, times(size.Steps+1, size.Of).Requests().Equal(size.Next))
			require.True(t, does(sized(size.Requests)))
			require.False(t, does(sized(size.Next)))
			require.False(t, does(times(size.Steps+rapid.Int64Range(1, 10_000).Draw(t, "more"), size.Of)))
			require.True(t, does(times(rapid.Int64Range(1, size.Steps).Draw(t, "less"), size.Of)))
			if size.free {
				status, err := s.Evaluator.Check(s.Snapshot, sized(size.Requests), size.Node)
				require.NoError(t, err)
				require.Empty(t, status.Reasons)
				fits++
			} else if len(size.Victims) > 0 {
				evicts++
			}
		}
		if r.Fits != nil {
			require.GreaterOrEqual(t, r.Evicting.Steps, r.Fits.Steps)
		}
	})
	require.Positive(t, fits)
	require.Positive(t, evicts)
	require.Positive(t, none)
}
