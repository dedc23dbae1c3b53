package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
)

// TestGroupPlacedOnceAgreesWithBook compares the whole answer for a group from v1.37 on, over trees
// of groups and all gates, whether or not there is a place as things are, and with a function that
// places as the evaluator does itself.
func TestGroupPlacedOnceAgreesWithBook(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				config := preemption.Config{Profile: preemption.Profile{Schedulers: drawSchedulers(t)}}
				e, snap := newEvaluator(t, config), newSnapshot(t, w.Cluster)
				for _, refused := range []bool{false, true} {
					for _, place := range []preemption.PlaceFunc{nil, firstFitIn(e, snap)} {
						req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now, Refused: refused, Place: place}
						plan, err := e.PreemptGroup(context.Background(), snap, req)
						req.Place = nil // the function does the same
						sameGroupAsBook(t, w.Cluster, req, config, plan, err)
					}
				}
			})
		})
	}
}

// unitShapes are further sorts of clusters in which units of several pods leave, beside
// those in shapes.
var unitShapes = map[string]gen.Shape{
	"crowded": {Groups: 4, Units: true, Nodes: 3, PodsPerNode: 4, Budgets: 6},
	"volumes": {Groups: 3, Units: true, Nodes: 4, PodsPerNode: 5, Nominated: 3, Volumes: true},
	"full":    fullUnits(),
}

func fullUnits() gen.Shape {
	s := gen.Full()
	s.Units = true
	return s
}

// TestPropertyUnitsAgreeWithBook is TestAgreesWithBook where victims are units.
func TestPropertyUnitsAgreeWithBook(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(unitShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := gen.Cluster(unitShapes[name]).Draw(t, "cluster")
				p := gen.Preemptor(unitShapes[name]).Draw(t, "preemptor")
				agreeOn(t, c, p)
			})
		})
	}
}

// agreeOn compares the explanation with all that the book says, and every way to
// the answer.
func agreeOn(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
	sameAsBook(t, c, preemption.Request{Pod: p, Now: gen.Now}, preemption.Config{}, explain(t, c, p))
	w := newWorld(t, c)
	w.agree(t, p, gen.Now)
}

// The members of a group that ask for the same amounts, and differ only in fields that filters read, are told apart: the
// answers that are remembered for one of them are not given to another.
func TestPropertyLookalikesInAGroupAgreeWithBook(t *testing.T) {
	t.Parallel()
	shape := gen.Shape{Nodes: 4, PodsPerNode: 3, Taints: true, Selectors: true, Units: true}
	rapid.Check(t, func(t *rapid.T) {
		c := gen.Cluster(shape).Draw(t, "cluster")
		release, err := outrank.V1_37.With(map[string]bool{"GenericWorkload": true})
		require.NoError(t, err)
		c.Release = release

		pods := gen.Lookalikes(shape, 3).Draw(t, "pods")
		for i, p := range pods {
			p.Name, p.Group, p.NominatedNodeName = fmt.Sprint("member", i), "gang", ""
			p.Namespace, p.SchedulerName, p.PreemptionPolicy = pods[0].Namespace, pods[0].SchedulerName, ""
			p.Priority, p.Containers = outrank.Priority(50), pods[0].Containers
		}
		c.Groups = append(c.Groups, &outrank.PodGroup{Name: "gang", Namespace: pods[0].Namespace, Priority: outrank.Priority(50)})

		req := preemption.GroupRequest{Pods: pods, Now: gen.Now}
		plan, err := newEvaluator(t, preemption.Config{}).PreemptGroup(t.Context(), newSnapshot(t, c), req)
		sameGroupAsBook(t, c, req, preemption.Config{}, plan, err)
	})
}
