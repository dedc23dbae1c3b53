package engine_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/filter"
	"github.com/outrank-go/outrank/internal/gen"
	"github.com/outrank-go/outrank/internal/reference"
	"github.com/outrank-go/outrank/internal/testdiff"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
)

// toldWorkload is the answer about a group that is placed once, in a form that both sides
// share.
type toldWorkload struct {
	Fits                    bool
	Placed                  map[string]string
	Code                    string
	Reasons                 []string
	Placement, Nominations  map[string]string
	Possible                int
	Violations, Disruptions int
	Units                   []toldWhole
	Before, After           map[string]int
	// Kept is what a guard says where nothing helps.
	Kept reference.Status
}

type toldWhole struct {
	Group      string
	Composite  bool
	Pods       []string
	Priority   int32
	Violations int
	Blocks     map[string]int
	Kept       reference.Status
}

// toldOf is what the engine says of a group as things are, and what it comes to if it is
// told that there is no place.
func toldOf(first, plan *preemption.GroupPlan, possible int) toldWorkload {
	out := toldWorkload{
		Fits: first.Outcome == preemption.Fits, Code: filter.Code(plan.Status.Code), Reasons: plan.Status.Reasons,
		Placement: placement(plan.Placement), Nominations: placement(plan.Nominations), Possible: possible,
		Before: refusalOf(first.TurnedDown), After: refusalOf(plan.Unhelpful),
	}
	if out.Fits {
		out.Placed = placement(first.Placement)
	}
	if plan.Unhelpful != nil {
		out.Kept = status(plan.Unhelpful.Guard)
	}
	for unit := range plan.Units() {
		first := unit[0]
		u := toldWhole{Pods: keys(engine.PodsOf(unit)), Priority: first.Priority}
		if first.Blocked != nil {
			u.Blocks = refusal(&preemption.Refusal{Pod: first.Blocked, Nodes: []preemption.Count{{Status: first.Blocks, Nodes: 1}}})
		} else {
			u.Kept = status(first.Blocks)
		}
		for _, v := range unit {
			if len(v.Violated) > 0 {
				u.Violations++
			}
		}
		if first.Group != nil {
			u.Group = string(first.Group.Key())
		}
		if u.Composite = first.Composite != nil; u.Composite {
			u.Group = string(first.Composite.Key())
		}
		out.Violations += u.Violations
		out.Disruptions += disrupted(unit)
		out.Units = append(out.Units, u)
	}
	return out
}

// disrupted is 1 for a group, and for a pod that names one.
func disrupted(unit []preemption.Victim) int {
	if unit[0].Pod.Group != "" {
		return 1
	}
	return 0
}

// refusalOf is refusal also where nothing names a pod.
func refusalOf(r *preemption.Refusal) map[string]int {
	if r == nil || r.Pod == nil {
		return nil
	}
	return refusal(r)
}

// toldBy is what the reference says.
func toldBy(d reference.GroupDecision) toldWorkload {
	out := toldWorkload{
		Fits: d.Fit.Code == reference.Success, Code: d.Status.Code.String(), Reasons: d.Status.Reasons,
		Nominations: d.Nominations, Possible: d.Possible, Violations: d.Violations, Disruptions: d.Disruptions,
		After: asRefusal(d.After), Kept: d.Kept,
	}
	if out.Fits {
		out.Placed = d.Placement
	} else {
		out.Before = asRefusal(d.Before)
	}
	if d.Status.Code == reference.Success && !d.Ongoing {
		out.Placement = d.Nominations
	}
	for _, v := range d.Victims {
		out.Units = append(out.Units, toldWhole{v.Group, v.Composite, keys(v.Pods), v.Priority, v.Violations, asRefusal(v.Blocked), v.Kept})
	}
	return out
}

// TestGroupPlacedOnceAgreesWithReference compares the whole answer for a group from v1.37
// on, over trees of groups and all gates, whether or not there is a place as things are,
// and with a function that places as the evaluator does itself.
func TestGroupPlacedOnceAgreesWithReference(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(groupShapes)) {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := gen.Workloads(groupShapes[name]).Draw(t, "workload")
				schedulers := engine.DrawSchedulers(t)
				d := reference.DecideGroup(reference.GroupInput{Cluster: w.Cluster, Pods: w.Pods, Now: gen.Now, Setup: reference.Setup{Schedulers: schedulers}})
				e, snap := newEvaluator(t, preemption.Config{Profile: preemption.Profile{Schedulers: schedulers}}), newSnapshot(t, w.Cluster)
				req := preemption.GroupRequest{Pods: w.Pods, Now: gen.Now}
				first, err := e.PreemptGroup(context.Background(), snap, req)
				if d.Err != nil || err != nil {
					require.Equal(t, d.Err != nil, err != nil, "the reference says %v, the engine %v", d.Err, err)
					return
				}
				req.Refused = true
				for _, place := range []preemption.PlaceFunc{nil, engine.FirstFit(e, snap)} {
					req.Place = place
					plan, err := e.PreemptGroup(context.Background(), snap, req)
					require.NoError(t, err)
					if diff := testdiff.Diff(toldBy(d), toldOf(first, plan, engine.PossibleUnits(e, snap, req)), equateEmpty); diff != "" {
						t.Fatalf("own function: %v (-reference +engine):\n%s\ncluster: %s\ngroup: %s", place != nil, diff, asJSON(w.Cluster), asJSON(w.Pods))
					}
				}
				if first.Outcome != preemption.Fits {
					require.Empty(t, testdiff.Diff(toldOf(first, first, engine.PossibleUnits(e, snap, req)), toldBy(d), equateEmpty))
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

// TestPropertyUnitsAgreeWithReference is TestAgreesWithReference where victims are units.
func TestPropertyUnitsAgreeWithReference(t *testing.T) {
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

// agreeOn compares the explanation with all that the reference says, and every way to
// the answer.
func agreeOn(t *rapid.T, c *outrank.Cluster, p *outrank.Pod) {
	want := sortReasons(reference.Decide(reference.Input{Cluster: c, Pod: p, Now: gen.Now}))
	ex, err := newEvaluator(t, preemption.Config{}).Explain(context.Background(), newSnapshot(t, c), preemption.Request{Pod: p, Now: gen.Now})
	require.NoError(t, err)
	got := asReference(ex)
	got.ClearedNominations = want.ClearedNominations
	if diff := testdiff.Diff(want, got, equateEmpty); diff != "" {
		t.Fatalf("Explain (-reference +engine):\n%s\ncluster: %s\npod: %s", diff, asJSON(c), asJSON(p))
	}
	w := newWorld(t, c)
	w.agree(t, p, gen.Now)
}
