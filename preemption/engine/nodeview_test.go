package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// A node is short of what its pods and the preemptor take beyond what it offers, and of nothing that the
// preemptor does not ask for. Each pod takes one place.
func TestPropertyShortIsWhatIsMissing(t *testing.T) {
	t.Parallel()
	names := []resource.Name{resource.CPU, resource.Memory, "example.com/gpu"}
	rapid.Check(t, func(t *rapid.T) {
		upTo := func(most int, what string) int64 { return int64(rapid.IntRange(0, most).Draw(t, what)) }
		offers, taken, places := resource.List{}, map[resource.Name]int64{}, upTo(5, "places")
		offers[resource.Pods] = resource.MustParse(fmt.Sprint(places))
		c := &outrank.Cluster{Nodes: []*outrank.Node{{Name: "n", Allocatable: offers}}}
		for i := range upTo(6, "pods") {
			p := &outrank.Pod{Name: fmt.Sprint("p", i), NodeName: "n", Containers: []outrank.Container{{Name: "c", Requests: resource.List{}}}}
			for _, name := range names {
				amount := upTo(3, "amount")
				taken[name] += amount
				p.Containers[0].Requests[name] = amountOf(name, amount)
			}
			c.Pods = append(c.Pods, p)
		}

		preemptor := pod("preemptor", 9, "0")
		want := map[resource.Name]int64{resource.Pods: max(0, int64(len(c.Pods))+1-places)}
		for _, name := range names {
			offer, asks := upTo(9, "offer"), upTo(5, "asks")
			offers[name], preemptor.Containers[0].Requests[name] = amountOf(name, offer), amountOf(name, asks)
			if want[name] = 0; asks > 0 {
				want[name] = max(0, taken[name]+asks-offer)
			}
		}

		lookAt, err := newEvaluator(t, preemption.Config{}).LookAt(newSnapshot(t, c), preemption.Request{Pod: preemptor, Now: gen.Now})
		require.NoError(t, err)
		view, err := lookAt("n")
		require.NoError(t, err)
		for name, short := range want {
			require.Equal(t, short, view.Short(name), "of %s", name)
		}
	})
}
