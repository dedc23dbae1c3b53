package explain_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// What a node has, what is kept for a nominated pod, and what is missing once one pod is gone.
func ExampleRoomOn() {
	asks := func(cpu string) []outrank.Container {
		return []outrank.Container{{Requests: resource.MustList("cpu", cpu)}}
	}
	snap, _ := engine.NewSnapshot(&outrank.Cluster{
		Nodes: []*outrank.Node{{Name: "n1", Allocatable: resource.MustList("cpu", "4", "pods", "10")}},
		Pods: []*outrank.Pod{
			{Name: "batch", NodeName: "n1", Priority: outrank.Priority(10), Containers: asks("2")},
			{Name: "agent", NodeName: "n1", Priority: outrank.Priority(5), Containers: asks("1")},
			{Name: "next", NominatedNodeName: "n1", Priority: outrank.Priority(200), Containers: asks("1")},
		},
	})
	eval, _ := engine.New(preemption.Config{})
	lookAt, _ := eval.LookAt(snap, preemption.Request{Pod: &outrank.Pod{Name: "web", Priority: outrank.Priority(100), Containers: asks("3")}})
	view, err := lookAt("n1")
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range explain.RoomOn(eval, snap, view, view.Possible()[0]) {
		fmt.Println(r.Resource, "needed:", r.Needed, "offered:", r.Offered, "free:", r.Free, "short:", r.Short, "reserved:", r.Reserved)
	}
	// Output:
	// pods needed: 1 offered: 10 free: 8 short: 0 reserved: 1
	// cpu needed: 3 offered: 4 free: 2 short: 1 reserved: 1
}

// What is taken is what the pods that stay and the nominated ones ask for, added up pod by pod; and where nothing is
// short, NodeResourcesFit does not turn the pod away.
func TestPropertyRoomIsWhatPodsTake(t *testing.T) {
	shorts := 0
	for _, name := range allShapes() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c, pod := gen.Cluster(shapes[name]).Draw(t, "cluster"), gen.Preemptor(shapes[name]).Draw(t, "preemptor")
				pod.Group = ""
				snap, err := engine.NewSnapshot(c)
				require.NoError(t, err)
				eval, err := engine.New(preemption.Config{})
				require.NoError(t, err)
				lookAt, err := eval.LookAt(snap, preemption.Request{Pod: pod, Now: gen.Now})
				require.NoError(t, err)
				for n := range snap.Nodes() {
					view, err := lookAt(n.Name)
					require.NoError(t, err)
					gone := slices.DeleteFunc(view.Possible(), func(*outrank.Pod) bool { return rapid.Bool().Draw(t, "stays") })
					rooms := explain.RoomOn(eval, snap, view, gone...)
					short := false
					for _, r := range rooms {
						units := func(q resource.Quantity) int64 { return resource.Amount(r.Resource, q) }
						taken := units(r.Offered) - units(r.Free)
						require.Equal(t, takenPlainly(snap, pod, n.Name, gone, r.Resource), taken, "%s of %s", r.Resource, n.Name)
						require.Equal(t, units(r.Needed) > units(r.Free), units(r.Short) > 0)
						short = short || units(r.Short) > 0
					}
					if says := view.Check(gone...); says.Code == preemption.Success || says.Filter == preemption.NodeResourcesFit {
						require.Equal(t, says.Code != preemption.Success, short, "%s: %s", n.Name, says)
					}
					if short {
						shorts++
					}
				}
			})
		})
	}
	require.Positive(t, shorts)
}

// takenPlainly adds up what is taken of a resource on a node.
func takenPlainly(snap *engine.Snapshot, pod *outrank.Pod, node string, gone []*outrank.Pod, name resource.Name) int64 {
	sum := int64(0)
	for _, p := range snap.PodsOn(node) {
		switch {
		case slices.Contains(gone, p):
		case name == resource.Pods:
			sum++
		default:
			sum += p.RunningRequests(snap.Release()).Amount(name)
		}
	}
	for _, p := range snap.NominatedTo(node) {
		switch {
		case p.PriorityValue() < pod.PriorityValue() || p.Key() == pod.Key() || p.Terminating() || p.Gated() && snap.Release() == outrank.V1_36:
		case name == resource.Pods:
			sum++
		default:
			sum += p.Requests().Amount(name)
		}
	}
	return sum
}
