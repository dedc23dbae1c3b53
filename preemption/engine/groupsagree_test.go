package engine_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
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
				config := preemption.Config{Profile: preemption.Profile{Schedulers: engine.DrawSchedulers(t)}}
				e, snap := newEvaluator(t, config), newSnapshot(t, w.Cluster)
				for _, refused := range []bool{false, true} {
					for _, place := range []preemption.PlaceFunc{nil, engine.FirstFit(e, snap)} {
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
